import type { z } from 'zod';
import { CausewayError, toErrorRecord } from '../../../../shared/model/causeway-error.ts';
import type { releasedSchema } from '../../../../shared/contract/life-calls.ts';
import { sideOf } from '../../../../shared/model/ledger.ts';
import type { Replica } from '../../../../shared/model/replica.ts';
import type { LedgerEntry } from '../../ports/ledger.ts';
import { deleteTransferState } from '../../replication/index.ts';
import { ledgerScope } from '../../store/ledger.ts';
import { endpointOf, openDestination, openSource, transferFolder, using, type CoreContext } from '../core-context.ts';
import { dropStored } from '../source-snapshots.ts';
import { currentLife } from './life-facts.ts';

export type Released = z.infer<typeof releasedSchema>;

/** One thing that a replica holds for its next execution. */
interface Held {
  readonly item: Pick<Released, 'kind' | 'name' | 'side'>;
  release(): Promise<void>;
}

/**
 * Releases what the replica of a VM that runs at its destination still holds. One resource that cannot be released does not keep the
 * others; it remains in its record, and the next call tries it again.
 * @throws CausewayError `life.wrong-state`
 */
export async function finalise(
  core: CoreContext,
  replica: Replica,
  by: string | undefined,
  dryRun: boolean,
  signal: AbortSignal,
): Promise<Released[]> {
  const { state, cutOver } = currentLife(core, replica);
  if (cutOver === undefined || !['running-at-destination', 'finalising'].includes(state)) {
    throw new CausewayError(
      'life.wrong-state',
      `replica ${replica.name} is ${state}: only a VM that runs at its destination can be finalised`,
    );
  }
  const held = heldBy(core, replica, signal);
  if (dryRun) return held.map(({ item }) => ({ ...item, outcome: 'would-release' }));
  const { deploymentId } = cutOver;
  if (state !== 'finalising')
    core.evidence.life(replica, 'finalise-started', by, { deploymentId, resources: held.length });
  const results: Released[] = [];
  for (const { item, release } of held) {
    signal.throwIfAborted();
    try {
      await release();
      results.push({ ...item, outcome: 'released' });
    } catch (error) {
      signal.throwIfAborted();
      results.push({ ...item, outcome: 'remains', error: core.redactor.text(toErrorRecord(error).message) });
    }
  }
  const remaining = results.filter(({ outcome }) => outcome === 'remains');
  const told = results.map(({ kind, name, side, outcome, error }) => ({
    kind,
    name,
    side,
    outcome,
    ...(error === undefined ? {} : { error }),
  }));
  if (remaining.length > 0) {
    core.evidence.life(replica, 'finalise-stopped', by, { deploymentId, remaining: remaining.length, resources: told });
    return results;
  }
  for (const { diskId } of replica.disks)
    deleteTransferState({ db: core.store.db, folder: transferFolder(core), replicaId: replica.id, diskId });
  core.store.replicas.forgetVolumes(replica.id);
  core.evidence.life(replica, 'finalised', by, { deploymentId, resources: told });
  return results;
}

/** The snapshot that tracks changes first: it costs space on the source as long as the VM's disks are written to. */
function heldBy(core: CoreContext, replica: Replica, signal: AbortSignal): Held[] {
  const { store } = core;
  const note = (message: string, details = {}): void =>
    core.emit({ type: 'note', replicaId: replica.id, message, details });
  const source = () => openSource(core, endpointOf(core, replica.sourceEndpointId), { replicaId: replica.id, note });
  const entries = store.ledger
    .list()
    .filter((entry) => entry.replicaId === replica.id && entry.lifetime !== 'deployment' && !isOfOpenRun(core, entry));
  const snapshots = store.snapshots.list(replica.id).map((stored): Held => ({
    item: {
      kind: stored.role === 'base' ? 'snapshot and change tracking' : 'snapshot',
      name: stored.snapshot?.id ?? stored.tag,
      side: 'source',
    },
    release: () => using(source(), (opened) => dropStored(core, opened, stored, signal)),
  }));
  const scopeOf = (entry: LedgerEntry, side: 'source' | 'destination') =>
    ledgerScope(store.ledger, {
      endpointId: entry.endpointId,
      replicaId: replica.id,
      ...(side === 'source' ? { side } : {}),
      ...(entry.executionId === undefined ? {} : { executionId: entry.executionId }),
    });
  // What was made last may hold what was made before.
  const resources = entries.toReversed().map((entry): Held => ({
    item: { kind: entry.kind, name: entry.name, side: sideOf(entry) },
    release: async () => {
      const side = sideOf(entry);
      if (side === 'source')
        await using(source(), async (opened) => opened.removeResource?.(entry, scopeOf(entry, side), signal));
      else
        await using(openDestination(core, endpointOf(core, replica.destinationEndpointId)), (opened) =>
          opened.removeResource(entry, scopeOf(entry, side), signal),
        );
      const left = store.ledger.find(entry.entryId);
      if (left !== undefined && left.state !== 'removed')
        throw new CausewayError('engine.left-behind', `${entry.kind} ${entry.name} still exists`);
    },
  }));
  return [...snapshots, ...resources];
}

/** What belongs to a run that goes on is its own; there should be none. */
function isOfOpenRun({ store }: CoreContext, { executionId }: LedgerEntry): boolean {
  return [...store.executions.listOpen(), ...store.deployments.listOpen()].some(({ id }) => id === executionId);
}
