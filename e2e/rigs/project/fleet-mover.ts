import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { CallInput, CallName, CallOutput } from '../../../shared/contract/contract.ts';
import type { Envelope } from '../../../shared/contract/envelope.ts';
import { CausewayError } from '../../../shared/model/causeway-error.ts';
import type { FleetConfig } from '../../../electron/fleet/fleet-config.ts';
import type { NetworkNamespace } from '../network-namespace.ts';
import type { NatsCluster } from '../nats-cluster.ts';
import { startCutProxy, type CutProxy } from '../cut-proxy.ts';
import { spawnBound } from '../machines/child-process.ts';
import type { LabProject } from './lab-options.ts';

/** How a mover takes part. */
export type MoverConfig = Pick<FleetConfig, 'project' | 'replicas' | 'claimSeconds'> &
  Partial<Pick<FleetConfig, 'carries' | 'reaches'>>;

/** An engine of a fleet in a process of its own, with a link of its own to each server. */
export interface FleetMover {
  readonly name: string;
  call<N extends CallName>(name: N, input: CallInput<N>): Promise<CallOutput<N>>;
  /** Kills it where it is, without a word to anybody, and starts it again. */
  killAndRestart(): Promise<void>;
  kill(): Promise<void>;
  /** After `kill`. */
  restart(): Promise<void>;
  sleep(): void;
  wake(): void;
  /** Nothing goes to the servers of the fleet and nothing comes from them; the cloud is still reached. */
  partition(): void;
  heal(): void;
  /** Nothing comes or goes at all, not to the cloud and its workers either; for movers in a network of their own. */
  unplug(): Promise<void>;
  plug(): Promise<void>;
  stop(): Promise<void>;
}

export async function startFleetMover(
  name: string,
  project: LabProject,
  cluster: NatsCluster,
  config: MoverConfig,
  network?: NetworkNamespace,
): Promise<FleetMover> {
  await using stack = new AsyncDisposableStack();
  if (network !== undefined) stack.adopt(network, (given) => given.remove());
  const links: CutProxy[] = [];
  for (const port of cluster.ports) links.push(stack.adopt(await startCutProxy(() => port), (link) => link.stop()));
  const fleet = { ...config, servers: links.map(({ port }) => `nats://127.0.0.1:${port}`) };
  const script = fileURLToPath(new URL('./mover-process.ts', import.meta.url));
  const waiting = new Map<
    number,
    { readonly resolve: (answer: Envelope<unknown>) => void; readonly reject: (error: Error) => void }
  >();
  let count = 0;
  let child: ChildProcess;
  const start = async (): Promise<void> => {
    const [command = '', ...first] = [...(network?.within ?? []), process.execPath];
    const started = spawnBound(command, [...first, script, JSON.stringify({ project, fleet })], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    child = started;
    const ready = Promise.withResolvers<void>();
    started.once('exit', (code, by) => {
      const ended = new Error(`mover ${name} ended: ${by ?? code}`);
      if (by !== 'SIGKILL') console.error(ended.message);
      ready.reject(ended);
      for (const { reject } of waiting.values()) reject(ended);
      waiting.clear();
    });
    // Said by its end.
    started.stdin?.on('error', () => undefined);
    createInterface({ input: started.stdout as NodeJS.ReadableStream }).on('line', (line) => {
      const message = JSON.parse(line) as { ready?: true; n?: number; answer?: Envelope<unknown> };
      if (message.ready === true) ready.resolve();
      if (message.n === undefined || message.answer === undefined) return;
      waiting.get(message.n)?.resolve(message.answer);
      waiting.delete(message.n);
    });
    await ready.promise;
  };
  const hasEnded = (): boolean => child.exitCode !== null || child.signalCode !== null;
  const end = async (): Promise<void> => {
    if (hasEnded()) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  };
  stack.defer(end);
  await start();
  const opened = stack.move();
  return {
    name,
    async call<N extends CallName>(call: N, input: CallInput<N>) {
      const n = ++count;
      const answer = await new Promise<Envelope<unknown>>((resolve, reject) => {
        if (hasEnded()) return reject(new Error(`mover ${name} has ended`));
        waiting.set(n, { resolve, reject });
        child.stdin?.write(`${JSON.stringify({ n, call, input })}\n`);
      });
      if (!answer.ok) throw new CausewayError(answer.error.code, answer.error.message);
      return answer.value as CallOutput<N>;
    },
    async killAndRestart() {
      await end();
      await start();
    },
    kill: end,
    restart: start,
    sleep: () => void child.kill('SIGSTOP'),
    wake: () => void child.kill('SIGCONT'),
    partition: () => {
      for (const link of links) link.blackhole();
    },
    heal: () => {
      for (const link of links) link.heal();
    },
    unplug: async () => network?.unplug(),
    plug: async () => network?.plug(),
    stop: () => opened.disposeAsync(),
  };
}
