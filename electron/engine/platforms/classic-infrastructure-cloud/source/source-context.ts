import { z } from 'zod';
import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import { isJsonObject, type JsonObject } from '../../../../../shared/model/json.ts';
import { parseEnvironment } from '../../../cloud-resources/read-environment.ts';
import type { DestinationRun } from '../../../ports/destination-platform.ts';
import type { LedgerEntry, LedgerScope } from '../../../ports/ledger.ts';
import type { PlatformUse } from '../../../ports/platform-context.ts';
import type { Snapshot } from '../../../ports/source-platform.ts';
import type { Classic } from '../client/open-classic.ts';
import type { WorkerWish } from '../cloud/start-worker.ts';

/** What the parts of the source share. */
export interface SourceContext {
  readonly classic: Classic;
  /** For small files that outlive a run. */
  readonly folder: string;
  /** Where everything is recorded before it is created; undefined where the endpoint is only looked at. */
  readonly ledger: LedgerScope | undefined;
  readonly use: PlatformUse | undefined;
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
    note: (message, details) => context.use?.note?.(message, details),
    vm: { id: '', name: '', os_type: 'linux', disks: [], nics: [] },
  };
}

/** What the source recorded for a snapshot begins with its tag. */
export const keyOf = (tag: string, part: string): string => `${tag}/${part}`;
export const belongsTo = ({ key }: Pick<LedgerEntry, 'key'>, tag: string): boolean => key.startsWith(keyOf(tag, ''));

const environmentSchema = z.looseObject({
  export_image_name: z.string().optional(),
  export_img_username: z.string().optional(),
  export_shape_name: z.string().optional(),
  export_root_disk_size: z.int().min(1).optional(),
});

/** The worker that reads copies of disks, as the environment wishes it. @throws `general.invalid-input` */
export function exportWish(environment: JsonObject): WorkerWish {
  const wish = parseEnvironment(environmentSchema, environment);
  return {
    image: { parameter: 'export_image_name', name: wish.export_image_name },
    shape: { parameter: 'export_shape_name', name: wish.export_shape_name },
    user: wish.export_img_username,
    rootGib: wish.export_root_disk_size,
  };
}

/** What a snapshot's state has of one disk. Plain data. */
export interface DiskMark {
  readonly diskId: string;
  readonly sizeBytes: number;
  /** Whole name of the volume's snapshot. */
  readonly snapshot: string;
  readonly pool: string;
}

/** @param base the tag of the snapshot that this one was taken on; @param environment for the worker, which may have to be started by another process */
export function snapshotState(
  base: string | undefined,
  environment: JsonObject,
  marks: readonly DiskMark[],
): JsonObject {
  return {
    ...(base === undefined ? {} : { base }),
    environment,
    disks: Object.fromEntries(marks.map(({ diskId, snapshot, pool }) => [diskId, { snapshot, pool }])),
  };
}

export function stateOf({ tag, state, disks }: Snapshot): {
  readonly base: string | undefined;
  readonly environment: JsonObject;
  readonly marks: readonly DiskMark[];
} {
  const { base, environment, disks: all } = state;
  const marks = disks.map(({ diskId, sizeBytes }): DiskMark => {
    const mark = all !== undefined && isJsonObject(all) && Object.hasOwn(all, diskId) ? all[diskId] : undefined;
    if (
      mark === undefined ||
      !isJsonObject(mark) ||
      typeof mark['snapshot'] !== 'string' ||
      typeof mark['pool'] !== 'string'
    ) {
      throw new CausewayError('source.snapshot-lost', `the snapshot ${tag} has no record of disk ${diskId}`);
    }
    return { diskId, sizeBytes, snapshot: mark['snapshot'], pool: mark['pool'] };
  });
  return {
    base: typeof base === 'string' ? base : undefined,
    environment: environment !== undefined && isJsonObject(environment) ? environment : {},
    marks,
  };
}
