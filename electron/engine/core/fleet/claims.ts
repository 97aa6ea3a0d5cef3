import type { CallName } from '../../../../shared/contract/contract.ts';
import type { Envelope } from '../../../../shared/contract/envelope.ts';
import { CausewayError, fromErrorRecord } from '../../../../shared/model/causeway-error.ts';
import { abortable } from '../../concurrency/abortable.ts';
import type { FleetHooks } from '../../ports/replica-fleet.ts';
import { forgetTransferState } from '../../replication/index.ts';
import { deploymentOf, executionOf, replicaOf, transferFolder, type CoreContext } from '../core-context.ts';

/** Claims that are watched already: their end stops what runs on the replica. */
const watched = new WeakSet<AbortSignal>();

/**
 * Where several engines share the project, a call that changes something of a replica is carried out by the one that has its claim. Rejects
 * with `fleet.*`.
 */
export async function claimForCall(core: CoreContext, call: CallName, input: unknown, signal: AbortSignal): Promise<void> {
  if (core.fleet === undefined) return;
  if (call.startsWith('wave.')) {
    // At the opening of a project there is nothing to resume either.
    if (call === 'wave.resume') return;
    throw new CausewayError('fleet.waves', call);
  }
  const replicaId = replicaOfInput(core, input as Readonly<Record<string, unknown>>);
  if (replicaId !== undefined) await claim(core, replicaId, signal);
}

/** Runs whose claim was lost, and that have not stopped yet. */
const ending = new WeakMap<CoreContext, Map<string, Promise<unknown>>>();

async function claim(core: CoreContext, replicaId: string, signal: AbortSignal): Promise<void> {
  // What a run records while it stops is void, and must not become part of what is recorded under the next claim.
  await abortable(ending.get(core)?.get(replicaId) ?? Promise.resolve(), signal);
  const claimed = await core.fleet?.claim(replicaId, signal);
  if (claimed === undefined || watched.has(claimed.lost)) return;
  watched.add(claimed.lost);
  claimed.lost.addEventListener('abort', () => {
    const stopping = activeOn(core, replicaId);
    const ofCore = ending.get(core) ?? new Map<string, Promise<unknown>>();
    ending.set(core, ofCore.set(replicaId, Promise.allSettled(stopping.map(({ done }) => done))));
    for (const { cancel, force } of stopping) {
      // Its clean-up is the new owner's as well.
      cancel.abort(claimed.lost.reason);
      force.abort(claimed.lost.reason);
    }
  }, { once: true });
  // Nothing tells of what was lost before somebody listened.
  claimed.lost.throwIfAborted();
}

/** What this engine carries out on a replica. An ended one that still closes is part of it. */
function activeOn(core: CoreContext, replicaId: string) {
  return [core.executions, core.deployments].flatMap(({ runs }) => runs.activeOf(replicaId));
}

function replicaOfInput(core: CoreContext, input: Readonly<Record<string, unknown>>): string | undefined {
  const { replica, execution, deployment } = input;
  if (typeof replica === 'string') return replicaOf(core, replica).id;
  if (typeof execution === 'string') return executionOf(core, execution).replicaId;
  if (typeof deployment === 'string') return deploymentOf(core, deployment).replicaId;
  return undefined;
}

/** What a fleet asks this engine. */
export function fleetHooks(core: CoreContext, dispatch: (call: CallName, input: object) => Promise<Envelope<unknown>>): FleetHooks {
  const never = new AbortController().signal;
  return {
    described() {
      core.descriptions.sync();
      core.changed();
    },
    marks() {
      const { mark, former } = core.store.identity.ownership();
      return [mark, ...former];
    },
    replicas: () => core.store.replicas.list().map(({ id }) => id),
    hasOpenRun: (replicaId) => [core.executions, core.deployments].some(({ runs }) => runs.openRunOf(replicaId) !== undefined),
    isBusy: (replicaId) => activeOn(core, replicaId).length > 0,
    async resume(replicaId) {
      await claim(core, replicaId, never);
      for (const [kind, { runs }] of [['execution', core.executions], ['deployment', core.deployments]] as const) {
        const run = runs.interruptAbandoned(replicaId);
        if (run === undefined) continue;
        const answer = await dispatch(`${kind}.resume`, { [kind]: run.id });
        if (!answer.ok) throw fromErrorRecord(answer.error);
      }
    },
    applying(replicaId) {
      // Others have written to the volumes, so that digests from before say nothing: the next execution compares everything.
      for (const { diskId, sizeBytes } of core.store.replicas.find(replicaId)?.disks ?? []) {
        forgetTransferState({ db: core.store.db, folder: transferFolder(core), replicaId, diskId, sizeBytes });
      }
    },
    applied: () => core.changed(),
  };
}
