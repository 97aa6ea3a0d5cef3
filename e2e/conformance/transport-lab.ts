import { randomBytes, randomUUID } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import type { WorkerAccess } from '../../electron/engine/ports/destination-platform.ts';
import type { WorkerDevice } from '../../electron/engine/ports/write-target.ts';
import { agentLock } from '../../electron/engine/transport/agent-launch.ts';
import type { AgentSession } from '../../electron/engine/transport/agent-session.ts';
import type { ConnectWorkerOptions } from '../../electron/engine/transport/connect-options.ts';
import { connectWorker } from '../../electron/engine/transport/connect-worker.ts';
import { startCutProxy, type CutProxy } from '../rigs/cut-proxy.ts';
import { closing, temporaryFolder } from '../rigs/closing.ts';
import { freePort, startSshd, type SshdRig } from '../rigs/sshd.ts';

export type Mechanism = 'HTTPS' | 'SSH';

export const mebibyte = 1024 * 1024;
export const diskBytes = 24 * mebibyte;
export const never = new AbortController().signal;

/** A disk in a file, a worker's sshd, and links to it that can be cut; new ones for each test of the suite that calls this. */
export function transportLab(mechanism: Mechanism): TransportLab {
  const lab = new TransportLab(mechanism);
  beforeAll(async () => {
    lab.sshd = await startSshd();
  });
  afterAll(() => lab.sshd?.stop());
  beforeEach(() => lab.begin());
  afterEach(() => lab.end());
  return lab;
}

export class TransportLab {
  readonly mechanism: Mechanism;
  sshd!: SshdRig;
  ssh!: CutProxy;
  tls!: CutProxy;
  folder = '';
  disk = '';
  access!: WorkerAccess;
  #agentPort = 0;
  /** What one test has opened. */
  #opened = new AsyncDisposableStack();

  constructor(mechanism: Mechanism) {
    this.mechanism = mechanism;
  }

  async begin(): Promise<void> {
    this.#opened = new AsyncDisposableStack();
    this.#agentPort = await freePort();
    this.folder = await temporaryFolder(this.#opened, 'causeway-transport-');
    this.#opened.defer(async () => {
      const pid = await this.agentPid();
      if (pid !== undefined && isAlive(pid)) process.kill(pid, 'SIGKILL');
    });
    this.disk = join(this.folder, 'disk');
    await writeFile(this.disk, randomBytes(diskBytes));
    const { username, privateKeyPem, hostKey } = this.sshd;
    this.access = {
      workerId: randomUUID(),
      host: '127.0.0.1',
      sshPort: 0,
      httpsPort: 0,
      username,
      privateKeyPem,
      hostKey,
    };
    await this.renewLinks();
  }

  end(): Promise<void> {
    return this.#opened.disposeAsync();
  }

  /** Other ways to the same worker, as after a change of the network. */
  async renewLinks(): Promise<void> {
    const link = async (port: () => number): Promise<CutProxy> =>
      this.#opened.adopt(await startCutProxy(port), (proxy) => proxy.stop());
    this.ssh = await link(() => this.sshd.port);
    this.tls = await link(() => this.#agentPort);
    this.access = { ...this.access, sshPort: this.ssh.port, httpsPort: this.tls.port };
  }

  get options(): ConnectWorkerOptions {
    return { allowPaths: [this.folder], agentPorts: [this.#agentPort], deadlineMs: 60_000, loginGraceMs: 0 };
  }

  async connected(options: ConnectWorkerOptions = {}): Promise<AgentSession> {
    const session = await connectWorker(this.access, this.mechanism, { ...this.options, ...options }, never);
    return this.#opened.adopt(session, closing);
  }

  cutLink(how: 'cut' | 'blackhole'): void {
    this.ssh[how]();
    this.tls[how]();
  }

  async agentPid(): Promise<number | undefined> {
    for (const place of ['/run', tmpdir()]) {
      const text = await readFile(join(place, `causeway-agent-${agentLock(this.access.workerId)}.lock`), 'utf8').catch(
        () => '',
      );
      if (text !== '') return Number(text.split(' ')[0]);
    }
    return undefined;
  }
}

export function device(path: string): WorkerDevice {
  return { path, serial: '', byPath: [], sizeBytes: diskBytes, inUse: false };
}

export async function writeForever(writer: Awaited<ReturnType<AgentSession['open']>>): Promise<never> {
  const bytes = randomBytes(mebibyte);
  for (let turn = 0; ; turn++) {
    await Promise.all([0, 1, 2, 3].map((lane) => writer.write(((turn + lane) % 20) * mebibyte, bytes, never)));
  }
}

/** Where the agent of a process was put. */
export async function folderOfAgent(pid: number): Promise<string> {
  const commandLine = (await readFile(`/proc/${pid}/cmdline`, 'utf8')).split('\0');
  return dirname(commandLine.find((word) => word.endsWith('causeway_agent.py')) ?? '/');
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** A busy machine takes its time; a test that waits in vain ends all the same. */
export const patienceMs = 60_000;

export async function ended(pid: number): Promise<void> {
  for (const end = performance.now() + patienceMs; performance.now() < end; await delay(20)) if (!isAlive(pid)) return;
  expect.unreachable(`process ${pid} still lives after ${patienceMs} ms`);
}

export function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`not lost within ${patienceMs} ms`)), patienceMs);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
