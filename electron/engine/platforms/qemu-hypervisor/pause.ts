import { mkdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { CausewayError } from '../../../../shared/model/causeway-error.ts';
import type { SocketPlace } from '../../nbd/address.ts';
import { GuestAgent } from '../../qmp/guest-agent.ts';
import type { QmpCarrier } from '../../qmp/qmp-carrier.ts';
import { needObject, textAt } from './qmp-values.ts';

const ATTEMPTS = 4;
/** How long the way to another machine may be gone before a VM or its guest is left as it is there. */
const WAY_BACK_MS = 120_000;

/**
 * Remembers that we hold a VM still, so that one that we could not let go (a crash in those milliseconds) goes on as
 * soon as we are back.
 */
export class HoldRecord {
  readonly #folder: string;
  readonly #path: string;

  constructor(scratchFolder: string, key: string) {
    this.#folder = join(scratchFolder, 'qemu-hypervisor');
    this.#path = join(this.#folder, `held-${key}`);
  }

  async set(): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    await writeFile(this.#path, '', { mode: 0o600, flush: true });
  }

  async clear(): Promise<void> {
    await rm(this.#path, { force: true });
  }

  async isSet(): Promise<boolean> {
    return stat(this.#path).then(
      () => true,
      () => false,
    );
  }
}

/** Runs `work` while the VM stands still; one that does not run is left as it is. It always goes on afterwards. */
export async function whilePaused<T>(
  qmp: QmpCarrier,
  record: HoldRecord,
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<T> {
  if ((await vmStatus(qmp, signal)) !== 'running') return work();
  await record.set();
  try {
    await qmp.execute('stop', {}, signal);
    return await work();
  } finally {
    await persistently(() => qmp.execute('cont', {}, new AbortController().signal, 10_000));
    await record.clear();
  }
}

/** Continues a VM that an earlier process paused and could not continue. */
export async function resumeForgotten(qmp: QmpCarrier, record: HoldRecord, signal: AbortSignal): Promise<void> {
  if (!(await record.isSet())) return;
  if ((await vmStatus(qmp, signal)) === 'paused') await qmp.execute('cont', {}, signal);
  await record.clear();
}

/**
 * Runs `work` while the guest's file systems are frozen. They are thawed whatever happens, over a new connection if the
 * old one broke.
 * @throws CausewayError source.quiesce-failed
 */
export async function whileFrozen<T>(
  agentSocket: SocketPlace,
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<T> {
  const agent = await GuestAgent.connect(agentSocket, signal);
  let current = agent;
  try {
    await agent.freeze(signal);
    return await work();
  } finally {
    await persistently(async (attempt) => {
      if (attempt > 0) {
        current.close();
        current = await GuestAgent.connect(agentSocket, new AbortController().signal);
      }
      await current.thaw();
    }).finally(() => current.close());
  }
}

export async function vmStatus(qmp: QmpCarrier, signal: AbortSignal): Promise<string> {
  return textAt(needObject(await qmp.execute('query-status', {}, signal), 'query-status'), 'status') ?? 'unknown';
}

async function persistently(action: (attempt: number) => Promise<unknown>): Promise<void> {
  const begun = performance.now();
  for (let attempt = 0; ; attempt++) {
    try {
      await action(attempt);
      return;
    } catch (error) {
      const isWayLost = error instanceof CausewayError && error.code === 'source.ssh-unreachable';
      const goesOn = isWayLost ? performance.now() - begun < WAY_BACK_MS : attempt + 1 < ATTEMPTS;
      if (!goesOn || !(error instanceof CausewayError)) throw error;
      await delay(Math.min(5000, 100 * 2 ** attempt));
    }
  }
}
