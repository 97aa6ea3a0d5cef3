// needs: nats-server
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { connect } from '@nats-io/transport-node';
import { jetstreamManager } from '@nats-io/jetstream';
import { temporaryFolder } from './closing.ts';
import { spawnBound } from './machines/child-process.ts';
import { freePort } from './sshd.ts';

/** Real NATS servers with JetStream on loopback: one, or a cluster. */
export interface NatsCluster {
  /** `nats://127.0.0.1:PORT` of each. */
  readonly urls: readonly string[];
  readonly ports: readonly number[];
  /** Ends a server with a signal; the default cannot be caught. */
  kill(index: number, signal?: NodeJS.Signals): Promise<void>;
  /** Starts a server again, with what it has on disk. */
  restart(index: number): Promise<void>;
  signal(index: number, signal: 'SIGSTOP' | 'SIGCONT'): void;
  stop(): Promise<void>;
}

/** Whether Debian's nats-server is installed. */
export const hasNats = existsSync('/usr/sbin/nats-server');

/** @param more of the configuration, for example accounts */
export async function startNats({
  servers: count,
  more = '',
}: {
  readonly servers: 1 | 3;
  readonly more?: string;
}): Promise<NatsCluster> {
  await using stack = new AsyncDisposableStack();
  const folder = await temporaryFolder(stack, 'causeway-nats-');
  const ports = await Promise.all(Array.from({ length: count }, freePort));
  const routes = await Promise.all(Array.from({ length: count }, freePort));
  const processes: (ChildProcess | undefined)[] = [];
  const start = async (index: number): Promise<void> => {
    const config = join(folder, `${index}.conf`);
    // Clients use the addresses that they are given: a link that is cut has no way around it.
    const cluster =
      count === 1
        ? ''
        : `cluster { name: lab, no_advertise: true, listen: 127.0.0.1:${routes[index]}, routes: [${routes.map((port) => `nats://127.0.0.1:${port}`).join(', ')}] }`;
    await writeFile(
      config,
      `server_name: n${index}\nlisten: 127.0.0.1:${ports[index]}\njetstream { store_dir: "${join(folder, `data-${index}`)}" }\n${cluster}\n${more}\n`,
    );
    const child = spawnBound('/usr/sbin/nats-server', ['-c', config, '-l', join(folder, `${index}.log`)], {
      stdio: 'ignore',
    });
    processes[index] = child;
    for (;;) {
      const log = await readFile(join(folder, `${index}.log`), 'utf8').catch(() => '');
      if (log.includes('Server is ready')) return;
      if (child.exitCode !== null) throw new Error(`nats-server ended: ${log.slice(-500)}`);
      await delay(20);
    }
  };
  const end = async (index: number, signal: NodeJS.Signals = 'SIGKILL'): Promise<void> => {
    const child = processes[index];
    processes[index] = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill('SIGCONT');
    child.kill(signal);
    await gone;
  };
  stack.defer(async () => void (await Promise.all(ports.map((_, index) => end(index)))));
  for (let index = 0; index < count; index++) await start(index);
  const urls = ports.map((port) => `nats://127.0.0.1:${port}`);
  if (more === '') await answers(urls);
  const opened = stack.move();
  return {
    urls,
    ports,
    kill: end,
    async restart(index) {
      await end(index);
      await start(index);
    },
    signal: (index, signal) => void processes[index]?.kill(signal),
    stop: () => opened.disposeAsync(),
  };
}

/** A cluster answers once it has chosen its leader, and keeps things on all of its servers only when the leader has heard of each. */
async function answers(urls: readonly string[]): Promise<void> {
  const connection = await connect({ servers: [...urls], waitOnFirstConnect: true });
  try {
    for (;;) {
      try {
        const { streams } = await jetstreamManager(connection, { timeout: 1000 });
        await streams.add({ name: 'placed', subjects: ['placed'], num_replicas: urls.length });
        await streams.delete('placed');
        return;
      } catch {
        await delay(100);
      }
    }
  } finally {
    await connection.close();
  }
}
