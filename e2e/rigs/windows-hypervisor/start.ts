import { createServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { makeCertificate } from '../../../electron/engine/transport/certificates.ts';
import { closing } from '../closing.ts';
import {
  startWinrmStandIn,
  type CommandAnswer,
  type ReceivedCommand,
  type RequestEffect,
  type SignIn,
  type WinrmStandIn,
} from '../windows/winrm-stand-in/start.ts';
import { DiskFiles, startReader, type ReaderRequest, type RigReader } from './reader-stand-in.ts';
import { answerScript, changingScripts, scriptOf } from './script-answers.ts';
import { HypervWorld } from './world.ts';

export interface RigCall {
  readonly node: string;
  readonly name: string;
  /** Whether it may have changed something. */
  readonly changes: boolean;
}

/** Decides what becomes of a call, by its number from 1. `fails-later`: what it starts is accepted and fails. */
export type CallEffects = (call: RigCall, number: number) => RequestEffect | 'fails-later';

export interface HypervRig {
  readonly world: HypervWorld;
  readonly hosts: readonly WinrmStandIn[];
  readonly calls: RigCall[];
  /** All readers that were started over WinRM. */
  readonly readers: readonly RigReader[];
  /** The readers that run, once those that were asked for have started and those that were told to end have ended. */
  runningReaders(): Promise<readonly RigReader[]>;
  /**
   * What is on hosts only because of Causeway, once nothing goes on any more, beside one reference point of each VM, which the last success needs: checkpoints,
   * further reference points, rules of the firewall, readers. Nothing else can be there: scripts that make more have no answer here.
   */
  leftOfCauseway(): Promise<readonly string[]>;
  readonly files: DiskFiles;
  /** By node: carries a command out, for another way to it than WinRM. */
  readonly runOn: ReadonlyMap<string, (command: ReceivedCommand) => Promise<CommandAnswer>>;
  readonly rct: { readonly port: number; readonly key: string; readonly certificatePem: string };
  effects: CallEffects;
  readonly username: string;
  readonly password: string;
  close(): Promise<void>;
}

export interface HypervRigOptions {
  /** Addresses of loopback; the first one is the endpoint's. Default: one host. */
  readonly nodes?: readonly string[];
  readonly authentication?: 'basic' | 'ntlm';
  /** Signs callers in by something else, as the host with this certificate. */
  readonly signIn?: (certificatePem: string) => Promise<SignIn>;
  /** Of an authority's making, for all hosts; default: each has one that it signed itself. */
  readonly certificate?: { readonly key: string; readonly cert: string };
}

/** Hyper-V hosts that execute nothing: WinRM that answers the product's own scripts from a model, and the RCT service by its description. */
export async function startHyperv(options: HypervRigOptions = {}): Promise<HypervRig> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await startOnce(options);
    } catch (error) {
      // The port that the first node was given belongs to somebody at the address of another.
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE' || attempt === 20) throw error;
    }
  }
}

async function startOnce({
  nodes = ['127.0.0.1'],
  authentication = 'ntlm',
  signIn,
  certificate: issued,
}: HypervRigOptions): Promise<HypervRig> {
  await using stack = new AsyncDisposableStack();
  const world = new HypervWorld(nodes);
  const calls: RigCall[] = [];
  const hosts: WinrmStandIn[] = [];
  let effects: CallEffects = () => 'serve';
  const decide = (node: string, name: string, changes: boolean): RequestEffect | 'fails-later' => {
    const call = { node, name, changes };
    calls.push(call);
    return effects(call, calls.length);
  };
  let nextFails = false;
  const runOn = new Map<string, (command: ReceivedCommand) => Promise<CommandAnswer>>();
  const readers: RigReader[] = [];
  /** A reader is started to its end also when its caller has gone away meanwhile: who looks for one afterwards finds it. */
  const starting = new Set<Promise<CommandAnswer>>();
  const files = stack.adopt(new DiskFiles(), closing);
  const runs = async (
    node: string,
    { name, request }: NonNullable<ReturnType<typeof scriptOf>>,
    fails: boolean,
  ): Promise<CommandAnswer> => {
    const line = (answer: unknown): CommandAnswer => ({ stdout: `${JSON.stringify(answer)}\r\n` });
    if (name === 'run-reader') {
      if (fails || !world.canReadDisks)
        return {
          ...line({ error: { code: 'source.request-refused', message: 'Add-Type is blocked by the administrator' } }),
          exitCode: 3,
        };
      files.keep(world.frozenFiles);
      const started = startReader(node, request as unknown as ReaderRequest, files, world.rulesOf(node)).then(
        ({ reader, answer }) => {
          readers.push(reader);
          starting.delete(started);
          return answer;
        },
      );
      starting.add(started);
      return started;
    }
    await Promise.allSettled(starting);
    const running = readers.filter((reader) => reader.process.exitCode === null && reader.process.signalCode === null);
    if (name === 'find-reader')
      return line({
        found:
          world.rulesOf(node).has(String(request['name'])) || running.some((reader) => reader.name === request['name']),
      });
    if (name === 'remove-reader') {
      for (const reader of running.filter((each) => each.name === request['name'])) {
        reader.kill();
        await reader.gone;
      }
      world.rulesOf(node).delete(String(request['name']));
      return line({ removed: true });
    }
    const answer = answerScript(world, node, name, request, fails);
    if (['take-checkpoint', 'convert-checkpoint', 'remove-checkpoint'].includes(name))
      files.keep(readers.length > 0 || world.keepsFiles ? world.frozenFiles : []);
    return answer;
  };
  for (const node of nodes) {
    const onMessage = (action: string, command: ReceivedCommand | undefined): RequestEffect => {
      const name = command === undefined ? undefined : scriptOf(command)?.name;
      const effect = decide(
        node,
        name === undefined ? action : `${action} ${name}`,
        action === 'Send' && changingScripts.has(name ?? ''),
      );
      if (effect !== 'fails-later') return effect;
      nextFails = true;
      return 'serve';
    };
    const run = async (command: ReceivedCommand): Promise<CommandAnswer> => {
      const script = scriptOf(command);
      if (script === undefined)
        throw new Error(`a command that is no script of the product: ${command.script.slice(0, 80)}`);
      const fails = nextFails;
      nextFails = false;
      const mode = world.restrictedNodes.has(node) ? 'ConstrainedLanguage' : world.languageMode;
      if (mode !== 'FullLanguage')
        return {
          stdout: `{"error":{"code":"source.host-restricted","message":"PowerShell runs in ${mode} mode"}}\r\n`,
          exitCode: 3,
        };
      return runs(node, script, fails);
    };
    runOn.set(node, run);
    const first = hosts[0];
    const host = await startWinrmStandIn(run, {
      authentication,
      signIn,
      host: node,
      certificate: issued,
      onMessage,
      ...(first === undefined ? {} : { port: first.port, password: first.password }),
    });
    hosts.push(stack.adopt(host, closing));
  }
  const [first] = hosts;
  if (first === undefined) throw new Error('no node');
  const services: RctStandIn[] = [];
  for (const node of nodes)
    services.push(stack.adopt(await startRctService(world, node, services[0], decide), closing));
  stack.defer(() => {
    for (const reader of readers) reader.kill();
  });
  const [rct] = services;
  if (rct === undefined) throw new Error('no node');
  const runningReaders = async (): Promise<readonly RigReader[]> => {
    await Promise.allSettled(starting);
    // Who ends a shell in which one started meanwhile is told of it in the next turn.
    await new Promise((resolve) => setImmediate(resolve));
    await Promise.all(readers.filter((reader) => reader.isKilled()).map((reader) => reader.gone));
    return readers.filter((reader) => reader.process.exitCode === null && reader.process.signalCode === null);
  };
  const opened = stack.move();
  return {
    world,
    hosts,
    calls,
    readers,
    files,
    runOn,
    username: first.username,
    password: first.password,
    rct: { port: rct.port, key: rct.key, certificatePem: rct.certificatePem },
    get effects() {
      return effects;
    },
    set effects(next) {
      effects = next;
    },
    runningReaders,
    async leftOfCauseway() {
      return [
        ...world.vms.flatMap(({ facts, checkpoints, referencePoints, ownReferencePoints }) => [
          ...checkpoints
            .filter(({ name }) => name.startsWith('Causeway '))
            .map(({ name }) => `checkpoint ${name} of ${facts.name}`),
          ...referencePoints
            .filter(({ id }) => ownReferencePoints.has(id))
            .slice(1)
            .map(({ id }) => `reference point ${id} of ${facts.name}`),
        ]),
        ...(await runningReaders()).map(({ name }) => `reader ${name}`),
        ...[...world.firewallRules].flatMap(([node, rules]) =>
          [...rules].map((rule) => `firewall rule ${rule} on ${node}`),
        ),
      ];
    },
    async close() {
      await opened.disposeAsync();
      const violations = hosts.flatMap((host) => host.violations);
      if (violations.length > 0) throw new Error(`WinRM was asked what it does not take: ${violations.join('; ')}`);
    },
  };
}

interface RctStandIn {
  readonly port: number;
  readonly key: string;
  readonly certificatePem: string;
  close(): Promise<void>;
}

/** The RCT service as its description has it: size and content of a disk, for who knows the key. */
async function startRctService(
  world: HypervWorld,
  host: string,
  like: RctStandIn | undefined,
  decide: (node: string, name: string, changes: boolean) => RequestEffect | 'fails-later',
): Promise<RctStandIn> {
  const key = 'rig-key-4711';
  const certificate = await makeCertificate('rct service');
  const sockets = new Set<Socket>();
  const server = createServer({ cert: certificate.certPem, key: certificate.keyPem }, (request, response) => {
    const url = new URL(request.url ?? '', 'https://rig');
    const found = /^\/vdisk\/([^/]+)\/(info|content)$/.exec(url.pathname);
    const effect = decide(host, `rct ${found?.[2] ?? url.pathname}`, false);
    const end = (status: number, body: Buffer | string): void =>
      void response.writeHead(status, { 'content-length': String(Buffer.byteLength(body)) }).end(body);
    if (effect === 'never-answer') return;
    if (effect === 'cut-before' || effect === 'cut-after') return void request.socket.destroy();
    if (effect !== 'serve' && effect !== 'fails-later')
      return end(effect === 'refuse-429' ? 429 : effect === 'refuse-503' ? 503 : 502, '');
    if (request.headers['auth_key'] !== key) return end(401, '');
    const file = world.file(decodeURIComponent(found?.[1] ?? ''));
    if (file === undefined) return end(404, 'Bad vdisk path');
    if (found?.[2] === 'info')
      return end(
        200,
        JSON.stringify({
          virtual_size: file.content.length,
          parent_path: null,
          virtual_storage_type: 3,
          provider_sub_type: 3,
        }),
      );
    const ranges = (url.searchParams.get('ranges') ?? '').split(',').map((each) => each.split(':').map(Number));
    // Reads come from the physical drive, which takes whole sectors.
    if (
      ranges.some(
        ([offset = 1, length = 1]) => offset % 512 !== 0 || length % 512 !== 0 || offset + length > file.content.length,
      )
    )
      return end(500, '');
    end(200, Buffer.concat(ranges.map(([offset = 0, length = 0]) => file.content.subarray(offset, offset + length))));
  });
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(like?.port ?? 0, host, resolve));
  return {
    port: (server.address() as AddressInfo).port,
    key,
    certificatePem: certificate.certPem,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
