import { CausewayError, toErrorRecord } from '../../../../shared/model/causeway-error.ts';
import type { JsonObject } from '../../../../shared/model/json.ts';
import { sideOf } from '../../../../shared/model/ledger.ts';
import type { Replica } from '../../../../shared/model/replica.ts';
import type { DestinationRun } from '../../ports/destination-platform.ts';
import type { LedgerEntry } from '../../ports/ledger.ts';
import { deleteTransferState } from '../../replication/index.ts';
import { ledgerScope } from '../../store/ledger.ts';
import {
  endpointOf,
  openDestination,
  openSource,
  replicaOf,
  transferFolder,
  using,
  type CoreContext,
  type Handler,
} from '../core-context.ts';
import { replicaEnvironments } from '../replica-environments.ts';
import { referencedSecrets } from '../secret-references.ts';
import { dropStored } from '../source-snapshots.ts';
import { refuseActive } from './replica-update.ts';

/** Its volumes first: they cost money, and the source may no longer exist. */
export const deleteReplica: Handler<'replica.delete'> = async (core, { replica: reference, sourceIsGone }, signal) => {
  const replica = replicaOf(core, reference);
  refuseActive(core, replica);
  await deleteVolumes(core, replica, signal);
  const forgotten = sourceIsGone
    ? core.store.snapshots.list(replica.id).map(({ tag, snapshot }) => snapshot?.id ?? tag)
    : [];
  if (!sourceIsGone) await cleanSource(core, replica, signal);
  for (const disk of replica.disks) {
    deleteTransferState({
      db: core.store.db,
      folder: transferFolder(core),
      replicaId: replica.id,
      diskId: disk.diskId,
    });
  }
  core.descriptions.removeReplica(replica.id);
  for (const secret of [
    ...referencedSecrets(replica.sourceEnvironment),
    ...referencedSecrets(replica.destinationEnvironment),
  ]) {
    if (secret.startsWith(`replica/${replica.id}/`)) await core.vault.remove(secret);
  }
  const source = sourceIsGone
    ? `, without contacting its source${forgotten.length === 0 ? '' : `: no longer tracked there: ${forgotten.join(', ')}`}`
    : '';
  core.emit({
    type: 'replica.deleted',
    replicaId: replica.id,
    message: `replica ${replica.name} was deleted${source}`,
    details: { name: replica.name, sourceIsGone, forgotten },
  });
  return { forgotten };
};

async function cleanSource(core: CoreContext, replica: Replica, signal: AbortSignal): Promise<void> {
  try {
    await dropSnapshots(core, replica, signal);
  } catch (error) {
    const { code, message } = toErrorRecord(error);
    // What the ledger still has can be removed from there.
    if (signal.aborted || code === 'general.bug' || code === 'engine.left-behind') throw error;
    throw new CausewayError('engine.source-not-cleaned', `source of replica ${replica.name}: ${message}`, {
      cause: error,
    });
  }
}

async function deleteVolumes(core: CoreContext, replica: Replica, signal: AbortSignal): Promise<void> {
  // Deployed VMs stay: they no longer belong to the replica.
  const isOurs = (entry: LedgerEntry): boolean =>
    entry.replicaId === replica.id && sideOf(entry) === 'destination' && entry.lifetime !== 'deployment';
  const ours = core.store.ledger.list().filter(isOurs);
  if (ours.length === 0) return;
  const endpoint = endpointOf(core, replica.destinationEndpointId);
  await using(openDestination(core, endpoint), async (destination) => {
    const run: DestinationRun = {
      replicaId: replica.id,
      executionId: '',
      vm: { id: replica.vmId, name: replica.vmName, os_type: 'linux', disks: [], nics: [] },
      environment: await replicaEnvironments(core, replica).opened('destination'),
      ledger: ledgerScope(core.store.ledger, { endpointId: endpoint.id, replicaId: replica.id }),
      note: noteOf(core, replica),
    };
    // What executions left behind may hold the volumes attached.
    for (const entry of ours.filter((one) => one.lifetime === 'temporary').reverse()) {
      const scope = ledgerScope(core.store.ledger, {
        endpointId: entry.endpointId,
        replicaId: replica.id,
        ...(entry.executionId === undefined ? {} : { executionId: entry.executionId }),
      });
      await destination.removeResource(entry, scope, signal);
    }
    await destination.deleteVolumes(run, signal);
  });
  const left = core.store.ledger.list().filter(isOurs);
  if (left.length > 0)
    throw new CausewayError('engine.left-behind', `${left.length} resources of replica ${replica.name} still exist`);
}

async function dropSnapshots(core: CoreContext, replica: Replica, signal: AbortSignal): Promise<void> {
  const known = core.store.snapshots.list(replica.id);
  const recorded = (): LedgerEntry[] =>
    core.store.ledger.list().filter((entry) => entry.replicaId === replica.id && sideOf(entry) === 'source');
  if (known.length === 0 && recorded().length === 0) return;
  await using(
    openSource(core, endpointOf(core, replica.sourceEndpointId), {
      replicaId: replica.id,
      note: noteOf(core, replica),
    }),
    async (source) => {
      for (const stored of known) await dropStored(core, source, stored, signal);
      // What executions left behind on the source, the last one made first.
      for (const entry of recorded().reverse()) {
        const { endpointId, executionId } = entry;
        const binding = {
          endpointId,
          replicaId: replica.id,
          side: 'source' as const,
          ...(executionId === undefined ? {} : { executionId }),
        };
        await source.removeResource?.(entry, ledgerScope(core.store.ledger, binding), signal);
      }
    },
  );
  const left = recorded();
  if (left.length > 0)
    throw new CausewayError(
      'engine.left-behind',
      `${left.length} resources of replica ${replica.name} still exist on its source`,
    );
}

/** What platforms tell meanwhile belongs to no run. */
function noteOf(core: CoreContext, { id }: Replica): (message: string, details?: JsonObject) => void {
  return (message, details = {}) => core.emit({ type: 'note', replicaId: id, message, details });
}
