import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import { isJsonObject, type JsonObject } from '../../../../../shared/model/json.ts';
import type { RetryContext } from '../../../cloud-resources/retry-context.ts';
import type { Clock } from '../../../time/clock.ts';
import type { DestinationRun } from '../../../ports/destination-platform.ts';
import type { LedgerScope } from '../../../ports/ledger.ts';
import type { PlatformUse } from '../../../ports/platform-context.ts';
import type { Snapshot } from '../../../ports/source-platform.ts';
import type { EgressAddress } from '../../../workers/caller-address.ts';
import type { AwsCloud } from '../client/aws-cloud.ts';

/** What the parts of the source share. */
export interface SourceContext extends RetryContext {
  readonly cloud: AwsCloud;
  readonly recent: RecentCreations;
  /** For small files that outlive a run. */
  readonly folder: string;
  /** Where everything is recorded before it is created; undefined where the endpoint is only looked at. */
  readonly ledger: LedgerScope | undefined;
  readonly use: PlatformUse | undefined;
  readonly note: (message: string, details?: JsonObject) => void;
  /** Until a snapshot is complete. The first one of a large volume takes hours. */
  readonly snapshotMs: number;
  /** Bytes of the unit that the API gives sizes of volumes in. Smaller for tests alone. */
  readonly gib: number;
  /** How this computer is seen by workers; default: as the system routes. */
  readonly egressAddress: EgressAddress | undefined;
  /** Where a port of a worker is reached from here; default: at the worker's address. */
  readonly resolveAddress:
    | ((host: string, port: number) => { readonly host: string; readonly port: number })
    | undefined;
}

/** For so long after a creation, "not found" may mean "not yet": listings are behind, and so are requests by id. */
const lagMs = 30_000;

/** What this process created lately. */
export class RecentCreations {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #created = new Map<string, { readonly at: number; isSeen: boolean }>();

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  add(...ids: readonly string[]): void {
    for (const id of ids) this.#created.set(id, { at: this.#clock.monotonic(), isSeen: false });
  }

  /** The service has shown it: when it is not found from now on, it is gone. */
  saw(id: string): void {
    const created = this.#created.get(id);
    if (created !== undefined) created.isSeen = true;
  }

  /** Whether one that is not found was created a moment ago. */
  has(id: string): boolean {
    const created = this.#created.get(id);
    return created !== undefined && this.#clock.monotonic() - created.at < lagMs;
  }

  /** Whether the service has not shown it yet, and may still do so. */
  isAwaited(id: string): boolean {
    return this.has(id) && this.#created.get(id)?.isSeen === false;
  }

  isNamedIn(text: string): boolean {
    return [...this.#created.keys()].some((id) => this.has(id) && text.includes(id));
  }
}

/** Asks again while the service does not know what was created a moment ago. */
export async function untilKnown<T>(
  { recent, timing, clock }: Pick<SourceContext, 'recent' | 'timing' | 'clock'>,
  ask: () => Promise<T>,
  signal: AbortSignal,
): Promise<T> {
  for (let pause = timing.pollFirstMs; ; pause = Math.min(timing.pollCapMs, pause * 1.5)) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof CausewayError) || error.code !== 'cloud.not-found' || !recent.isNamedIn(error.message))
        throw error;
    }
    await clock.sleep(pause, signal);
  }
}

/**
 * Deletes a resource. "Not found" is done, but not of what was created a moment ago and never seen: that would stay, and nothing would know of it.
 *
 * @param remove resolves with whether it was there
 * @param get what a listing shows of it
 * @throws `cloud.conflict` while it is listed, or may still turn up
 */
export async function removeKnown(
  { recent }: Pick<SourceContext, 'recent'>,
  id: string,
  remove: () => Promise<boolean>,
  get: () => Promise<unknown>,
): Promise<void> {
  if (await remove()) recent.saw(id);
  else if (recent.isAwaited(id) || (await get()) !== undefined)
    throw new CausewayError('cloud.conflict', `the service does not know ${id} yet, which was created a moment ago`, {
      details: { id },
    });
}

/** @throws `general.bug` for a source that was opened to be looked at only */
export function ledgerOf({ ledger }: Pick<SourceContext, 'ledger'>): LedgerScope {
  if (ledger === undefined)
    throw new CausewayError('general.bug', 'the source was opened without a ledger and cannot create resources');
  return ledger;
}

/** The execution that resources are created for, as the shared steps want it. */
export function runOf(context: SourceContext, environment: JsonObject = {}): DestinationRun {
  return {
    replicaId: context.use?.replicaId ?? '',
    executionId: context.use?.executionId ?? '',
    environment,
    ledger: ledgerOf(context),
    note: context.note,
    vm: { id: '', name: '', os_type: 'linux', disks: [], nics: [] },
  };
}

/** How disks of a snapshot are read. */
export type Mechanism = 'ebs_direct' | 'worker';

/** What a snapshot's state has of one disk. Plain data. */
export interface DiskMark {
  readonly diskId: string;
  readonly sizeBytes: number;
  readonly snapshotId: string;
  /** The key of an encrypted volume. */
  readonly kmsKeyId: string | undefined;
}

/** What a snapshot's state has besides its disks. */
export interface SnapshotMark {
  readonly mechanism: Mechanism;
  /** The tag of the snapshot that this one was taken on. */
  readonly base: string | undefined;
  /** For the worker, which may have to be started by another process. */
  readonly environment: JsonObject;
}

export function snapshotState(mark: SnapshotMark, disks: readonly DiskMark[]): JsonObject {
  return {
    mechanism: mark.mechanism,
    ...(mark.base === undefined ? {} : { base: mark.base }),
    environment: mark.environment,
    disks: Object.fromEntries(
      disks.map(({ diskId, snapshotId, kmsKeyId }) => [
        diskId,
        { snapshotId, ...(kmsKeyId === undefined ? {} : { kmsKeyId }) },
      ]),
    ),
  };
}

export function snapshotMark({ tag, state }: Snapshot): SnapshotMark {
  const { mechanism, base, environment } = state;
  if (mechanism !== 'ebs_direct' && mechanism !== 'worker')
    throw new CausewayError('general.bug', `the snapshot ${tag} was not taken by this platform`);
  return {
    mechanism,
    base: typeof base === 'string' ? base : undefined,
    environment: environment !== undefined && isJsonObject(environment) ? environment : {},
  };
}

/** The disks of a snapshot with what is needed to read them. */
export function diskMarks({ tag, state, disks }: Snapshot): readonly DiskMark[] {
  const marks = state['disks'];
  return disks.map(({ diskId, sizeBytes }) => {
    const mark = marks !== undefined && isJsonObject(marks) && Object.hasOwn(marks, diskId) ? marks[diskId] : undefined;
    if (mark === undefined || !isJsonObject(mark) || typeof mark['snapshotId'] !== 'string')
      throw new CausewayError('source.snapshot-lost', `the snapshot ${tag} has no record of disk ${diskId}`);
    const kmsKeyId = mark['kmsKeyId'];
    return {
      diskId,
      sizeBytes,
      snapshotId: mark['snapshotId'],
      kmsKeyId: typeof kmsKeyId === 'string' ? kmsKeyId : undefined,
    };
  });
}
