import { createHash } from 'node:crypto';
import { toErrorRecord } from '../../../shared/model/causeway-error.ts';
import type { JsonObject } from '../../../shared/model/json.ts';
import type { Vm } from '../../../shared/model/vm.ts';
import {
  isPooled,
  poolIdPrefix,
  type PooledWorker,
  type WorkerPoolSettings,
  type WorkerPoolView,
} from '../../../shared/model/worker-pool.ts';
import type { DestinationPlatform, DestinationRun, WorkerAccess } from '../ports/destination-platform.ts';
import { newId } from '../store/ids.ts';
import { ledgerScope } from '../store/ledger.ts';
import type { Store } from '../store/store.ts';
import type { Clock } from '../time/clock.ts';
import { removalRank } from '../workers/stop-worker.ts';

export interface WorkerPoolOptions {
  readonly store: Store;
  readonly clock: Clock;
  /** Opens a destination endpoint for a worker that outlives executions: the keys of the worker live in it. */
  open(endpointId: string): Promise<DestinationPlatform>;
  /** Tells what has no execution that it belongs to. */
  note(message: string, details: JsonObject): void;
}

/** What an execution wants a worker for. */
export interface PoolUse {
  readonly executionId: string;
  readonly endpointId: string;
  /** As the execution uses it. Workers are shared where it is the same. */
  readonly environment: JsonObject;
  readonly vm: Vm;
  readonly note: DestinationRun['note'];
}

interface Member {
  readonly id: string;
  readonly endpointId: string;
  readonly key: string;
  readonly destination: Promise<DestinationPlatform>;
  readonly startedAt: string;
  environment: JsonObject;
  vm: Vm;
  executionId: string | undefined;
  uses: number;
  idleSince: string | undefined;
  callOff: () => void;
}

const role = 'disk-copy';
/** How long the removal of a worker may take when nobody waits for it. */
const removalMs = 10 * 60_000;

/**
 * Disk copy workers that executions of this project use one after the other, where starting one costs more than the copy. They are recorded in
 * the ledger like others, under an id of their own instead of an execution's. No worker prepares guests: those are hostile, and get workers of
 * their own. Workers of an engine that ended are removed before the next one is used, because their keys are lost.
 */
export class WorkerPool {
  readonly #options: WorkerPoolOptions;
  readonly #members = new Set<Member>();
  /** Being removed: still recorded, and not left over. */
  readonly #leaving = new Map<string, Promise<void>>();
  /** Endpoints whose workers of former engines are gone, or going. */
  readonly #cleaned = new Map<string, Promise<void>>();
  /** Endpoints whose platform starts no workers that can be shared. */
  readonly #unsuitable = new Set<string>();
  #isClosing = false;

  constructor(options: WorkerPoolOptions) {
    this.#options = options;
  }

  view(): WorkerPoolView {
    const workers = [...this.#members].map(
      ({ id, endpointId, executionId, uses, startedAt, idleSince }): PooledWorker => ({
        id,
        endpointId,
        uses,
        startedAt,
        ...(executionId === undefined ? {} : { executionId }),
        ...(idleSince === undefined ? {} : { idleSince }),
      }),
    );
    return { ...this.#settings(), workers };
  }

  /** Whether a run of the ledger is a worker of the pool that is there or on its way out. */
  owns(id: string | undefined): boolean {
    return id !== undefined && (this.#leaving.has(id) || [...this.#members].some((member) => member.id === id));
  }

  /** Takes effect for the next executions, and for workers that nobody uses. */
  async configure(settings: WorkerPoolSettings): Promise<void> {
    this.#options.store.workerPool.set(settings);
    for (const endpointId of new Set([...this.#members].map((member) => member.endpointId))) {
      const idle = this.#idle(endpointId);
      const surplus = [...this.#members].filter((member) => member.endpointId === endpointId).length - settings.keep;
      for (const member of idle.slice(0, Math.max(0, surplus))) void this.#remove(member);
    }
    for (const member of this.#members) if (member.executionId === undefined) this.#awaitUse(member);
  }

  /** Removes the workers that nobody uses; resolves when they are gone. */
  async drain(): Promise<void> {
    await Promise.all(
      [...this.#members].filter(({ executionId }) => executionId === undefined).map((member) => this.#remove(member)),
    );
  }

  /** A running worker for an execution, the same as before where it has one. Undefined: it has to start its own. */
  async lease(use: PoolUse, signal: AbortSignal): Promise<WorkerAccess | undefined> {
    const member = this.#memberOf(use.executionId) ?? (await this.#reserve(use, signal));
    if (member === undefined) return undefined;
    const destination = await member.destination.catch((error: unknown) => {
      this.#members.delete(member);
      throw error;
    });
    const access = await destination.startWorker(this.#runOf(member, use.note), role, signal);
    if (access.open !== undefined || access.winrm !== undefined) {
      this.#unsuitable.add(use.endpointId);
      await this.#remove(member);
      return undefined;
    }
    return { ...access, isPooled: true };
  }

  /** The execution has left nothing on its worker. */
  giveBack(executionId: string): void {
    const member = this.#memberOf(executionId);
    if (member === undefined) return;
    member.executionId = undefined;
    member.idleSince = new Date().toISOString();
    const { keep } = this.#settings();
    const others = [...this.#members].filter(({ endpointId }) => endpointId === member.endpointId).length - 1;
    if (this.#isClosing || others >= keep) void this.#remove(member);
    else this.#awaitUse(member);
  }

  /** The execution's worker does not answer, or has something left of it: it is removed. Idempotent. */
  async discard(executionId: string): Promise<void> {
    const member = this.#memberOf(executionId);
    if (member !== undefined) await this.#remove(member);
  }

  /** Removes what workers of former engines have left. @throws what the platform answers */
  removeLeft(endpointId: string, signal: AbortSignal): Promise<void> {
    const under = this.#cleaned.get(endpointId) ?? this.#removeLeft(endpointId, signal);
    this.#cleaned.set(endpointId, under);
    under.catch(() => this.#cleaned.delete(endpointId));
    return under;
  }

  /** The same for all endpoints, in the background: for an engine that stays. */
  removeAllLeft(signal: AbortSignal): void {
    for (const endpointId of new Set(this.#leftEntries().map((entry) => entry.endpointId))) {
      this.removeLeft(endpointId, signal).catch((error: unknown) =>
        this.#options.note(`workers of an earlier pool could not be deleted: ${toErrorRecord(error).message}`, {
          endpointId,
        }),
      );
    }
  }

  /** Removes all workers; to be called when no execution is under way. */
  async close(): Promise<void> {
    this.#isClosing = true;
    for (const member of this.#members) void this.#remove(member);
    await Promise.allSettled(this.#leaving.values());
  }

  #settings(): WorkerPoolSettings {
    return this.#options.store.workerPool.get();
  }

  #memberOf(executionId: string): Member | undefined {
    return [...this.#members].find((member) => member.executionId === executionId);
  }

  /** The one that was unused for longest first. */
  #idle(endpointId: string): Member[] {
    return [...this.#members]
      .filter((member) => member.endpointId === endpointId && member.executionId === undefined)
      .sort((one, other) => (one.idleSince ?? '').localeCompare(other.idleSince ?? ''));
  }

  async #reserve(use: PoolUse, signal: AbortSignal): Promise<Member | undefined> {
    const { executionId, endpointId, environment, vm } = use;
    // Also without a pool: a worker of a former one may still hold the volumes.
    await this.removeLeft(endpointId, signal);
    const { keep } = this.#settings();
    if (keep === 0 || this.#isClosing || this.#unsuitable.has(endpointId)) return undefined;
    const key = keyOf(endpointId, environment);
    const idle = this.#idle(endpointId).findLast((member) => member.key === key);
    if (idle !== undefined) {
      idle.callOff();
      Object.assign(idle, { executionId, environment, vm, uses: idle.uses + 1, idleSince: undefined });
      use.note(`Using a worker of the pool, for execution ${idle.uses} on it`, { worker: idle.id });
      return idle;
    }
    if ([...this.#members].filter((member) => member.endpointId === endpointId).length >= keep) {
      const [oldest] = this.#idle(endpointId);
      if (oldest === undefined) return undefined;
      void this.#remove(oldest);
    }
    const destination = this.#options.open(endpointId);
    // Whoever uses it hears of it.
    destination.catch(() => undefined);
    const member: Member = {
      id: newId(poolIdPrefix),
      endpointId,
      key,
      destination,
      startedAt: new Date().toISOString(),
      environment,
      vm,
      executionId,
      uses: 1,
      idleSince: undefined,
      callOff: () => undefined,
    };
    this.#members.add(member);
    return member;
  }

  #awaitUse(member: Member): void {
    member.callOff();
    member.callOff = this.#options.clock.after(this.#settings().minutes * 60_000, () => void this.#remove(member));
  }

  /** Never rejects: what could not be removed stays recorded as left over, and is tried again before the next worker is used. */
  #remove(member: Member): Promise<void> {
    const under = this.#leaving.get(member.id);
    if (under !== undefined) return under;
    member.callOff();
    this.#members.delete(member);
    const removed = (async () => {
      try {
        const destination = await member.destination;
        await destination.stopWorker(
          this.#runOf(member, (message, details) => this.#options.note(message, details ?? {})),
          role,
          AbortSignal.timeout(removalMs),
        );
      } catch (error) {
        this.#cleaned.delete(member.endpointId);
        this.#options.note(`a worker of the pool could not be deleted: ${toErrorRecord(error).message}`, {
          worker: member.id,
        });
      } finally {
        await member.destination.then((destination) => destination.close()).catch(() => undefined);
        this.#leaving.delete(member.id);
      }
    })();
    this.#leaving.set(member.id, removed);
    return removed;
  }

  #leftEntries() {
    return this.#options.store.ledger
      .list()
      .filter(
        ({ lifetime, executionId, state }) =>
          lifetime === 'temporary' && state !== 'removed' && isPooled(executionId) && !this.owns(executionId),
      );
  }

  async #removeLeft(endpointId: string, signal: AbortSignal): Promise<void> {
    const left = this.#leftEntries().filter((entry) => entry.endpointId === endpointId);
    if (left.length === 0) return;
    this.#options.note('deleting workers of an earlier pool: their keys are lost', {
      endpointId,
      resources: left.length,
    });
    const destination = await this.#options.open(endpointId);
    try {
      // A server before what it uses.
      left.sort((one, other) => removalRank[one.kind] - removalRank[other.kind]);
      for (const entry of left)
        await destination.removeResource(
          entry,
          ledgerScope(this.#options.store.ledger, { endpointId, executionId: entry.executionId! }),
          signal,
        );
    } finally {
      await destination.close();
    }
  }

  #runOf({ id, endpointId, environment, vm }: Member, note: DestinationRun['note']): DestinationRun {
    return {
      replicaId: id,
      executionId: id,
      vm,
      environment,
      note,
      ledger: ledgerScope(this.#options.store.ledger, { endpointId, executionId: id }),
    };
  }
}

function keyOf(endpointId: string, environment: JsonObject): string {
  return createHash('sha256')
    .update(`${endpointId} ${JSON.stringify(sorted(environment))}`)
    .digest('hex');
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, inner]) => [name, sorted(inner)]),
  );
}
