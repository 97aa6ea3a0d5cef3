import { CausewayError } from '../../../shared/model/causeway-error.ts';
import type { Endpoint } from '../../../shared/model/endpoint.ts';
import type { LedgerItem } from '../../../shared/model/ledger.ts';
import type { PlatformUse } from '../ports/platform-context.ts';
import type { SourcePlatform } from '../ports/source-platform.ts';
import type { StoredSnapshot } from '../store/snapshots.ts';
import { using, type CoreContext } from './core-context.ts';

type Parts = Pick<CoreContext, 'store'>;

/** Snapshots on sources, as the ledger shows them beside what was created in clouds. */
export function snapshotItems(core: Parts): LedgerItem[] {
  const open = new Set(core.store.executions.listOpen().map((execution) => execution.id));
  return core.store.replicas.list().flatMap((replica) =>
    core.store.snapshots.list(replica.id).map((stored): LedgerItem => {
      const kept = stored.role === 'base';
      const endpointName = core.store.endpoints.find(replica.sourceEndpointId)?.name;
      return {
        entryId: stored.tag,
        endpointId: replica.sourceEndpointId,
        ...(endpointName === undefined ? {} : { endpointName }),
        replicaId: replica.id,
        executionId: stored.executionId,
        kind: 'source-snapshot',
        key: stored.role,
        name: stored.tag,
        lifetime: kept ? 'replica' : 'temporary',
        state: stored.role === 'intended' ? 'intended' : 'existing',
        ...(stored.snapshot === undefined ? {} : { resourceId: stored.snapshot.id }),
        details: {},
        createdAt: stored.snapshot?.takenAt ?? replica.createdAt,
        ...(kept || open.has(stored.executionId) ? {} : { orphan: 'execution-over' }),
      };
    }),
  );
}

/** Drops a snapshot that outlived its execution. */
export async function dropSnapshotItem(
  core: Parts,
  item: LedgerItem,
  open: (endpoint: Endpoint, use: PlatformUse) => Promise<SourcePlatform>,
  signal: AbortSignal,
): Promise<void> {
  const stored = core.store.snapshots.find(item.entryId);
  const endpoint = core.store.endpoints.find(item.endpointId);
  if (stored === undefined || endpoint === undefined)
    throw new CausewayError('engine.not-found', `entry ${item.entryId}`);
  await using(open(endpoint, { replicaId: stored.replicaId, executionId: stored.executionId }), (source) =>
    dropStored(core, source, stored, signal),
  );
}

/** Takes a snapshot from its source, whatever became of it: of a mere intent the source may or may not have one. */
export async function dropStored(
  core: Parts,
  source: SourcePlatform,
  stored: StoredSnapshot,
  signal: AbortSignal,
): Promise<void> {
  const { snapshot, replicaId, tag } = stored;
  if (snapshot === undefined)
    await source.discardPending?.({ vmId: core.store.replicas.find(replicaId)?.vmId ?? '', tag }, signal);
  else if (stored.role === 'taken')
    await source.discardSnapshot(snapshot, core.store.snapshots.base(replicaId), signal);
  else await source.deleteBase(snapshot, signal);
  core.store.snapshots.setDropped(tag);
}
