import type { CallName } from '../../../../shared/contract/contract.ts';
import type { Envelope } from '../../../../shared/contract/envelope.ts';
import { CausewayError } from '../../../../shared/model/causeway-error.ts';
import { abortable } from '../../concurrency/abortable.ts';
import { wavesJournal } from '../../ports/replica-fleet.ts';
import { changingCalls } from '../calls/project.ts';
import { deploymentOf, executionOf, replicaOf, type CoreContext } from '../core-context.ts';

/** Claims that are watched already: their end stops what runs on the replica. */
const watched = new WeakSet<AbortSignal>();

/** What only reads of waves, or only changes descriptions, which are exchanged by themselves. */
const withoutClaim: ReadonlySet<string> = new Set([
  'wave.list',
  'wave.show',
  'wave.estimate',
  'wave.measuredChanges',
  'wave.calendar',
  'wave.create',
  'wave.assign',
  'wave.plan',
] satisfies CallName[]);

/** What the member that works on a replica, or carries out the waves, does for users of other members as well. Nothing of it says what is accepted. */
const forwarded: ReadonlySet<string> = new Set([
  'execution.cancel',
  'execution.limit',
  'deployment.cancel',
  'wave.start',
  'wave.pause',
  'wave.continue',
  'wave.go',
  'wave.cancel',
  'wave.retry',
  'wave.rename',
  'wave.skipMissed',
] satisfies CallName[]);

/**
 * Where several engines share the project, a call that changes something of a replica is carried out by the one that has its claim: by this one,
 * or by another one whose answer it is. Rejects with `fleet.*`.
 */
export async function claimForCall(
  core: CoreContext,
  call: CallName,
  input: unknown,
  signal: AbortSignal,
): Promise<Envelope<unknown> | undefined> {
  const { fleet } = core;
  // At the opening of a project there is nothing to resume either.
  if (fleet === undefined || call === 'wave.resume' || withoutClaim.has(call)) return undefined;
  const isWave = call.startsWith('wave.');
  // A limit is of what runs: where nothing runs there is nothing to claim.
  const isLimit = call === 'execution.limit';
  if (!isWave && !isLimit && !changingCalls.has(call)) return undefined;
  const key = isWave ? wavesJournal : replicaOfInput(core, input as Readonly<Record<string, unknown>>);
  if (key === undefined) return undefined;
  if (isLimit) return fleet.holder(key) === undefined ? undefined : fleet.forward(key, call, input as object, signal);
  try {
    await claim(core, key, signal);
    return undefined;
  } catch (error) {
    if (!(error instanceof CausewayError) || error.code !== 'fleet.claimed-elsewhere' || !isForwarded(call, input))
      throw error;
    return fleet.forward(key, call, input as object, signal);
  }
}

/** Keys of disks are accepted where they are entered, never for another computer. */
export function isForwarded(call: string, input: unknown): boolean {
  const options = (
    input as {
      readonly options?: {
        readonly deployment?: { readonly luksKeys?: readonly unknown[]; readonly checks?: readonly unknown[] };
      };
    }
  ).options?.deployment;
  return forwarded.has(call) && (options?.luksKeys ?? []).length === 0 && (options?.checks ?? []).length === 0;
}

/** Runs whose claim was lost, and that have not stopped yet. */
const ending = new WeakMap<CoreContext, Map<string, Promise<unknown>>>();

/** Makes this engine the one that works on a replica, or that carries out waves. Rejects with `fleet.*`. */
export async function claim(core: CoreContext, replicaId: string, signal: AbortSignal): Promise<void> {
  // What a run records while it stops is void, and must not become part of what is recorded under the next claim.
  await abortable(ending.get(core)?.get(replicaId) ?? Promise.resolve(), signal);
  const claimed = await core.fleet?.claim(replicaId, signal);
  if (claimed === undefined || watched.has(claimed.lost)) return;
  watched.add(claimed.lost);
  claimed.lost.addEventListener(
    'abort',
    () => {
      if (replicaId === wavesJournal) return core.waves.detach();
      const stopping = activeOn(core, replicaId);
      const ofCore = ending.get(core) ?? new Map<string, Promise<unknown>>();
      ending.set(core, ofCore.set(replicaId, Promise.allSettled(stopping.map(({ done }) => done))));
      for (const { cancel, force } of stopping) {
        // Its clean-up is the new owner's as well.
        cancel.abort(claimed.lost.reason);
        force.abort(claimed.lost.reason);
      }
    },
    { once: true },
  );
  // Nothing tells of what was lost before somebody listened.
  claimed.lost.throwIfAborted();
}

/** What this engine carries out on a replica. An ended one that still closes is part of it. */
export function activeOn(core: CoreContext, replicaId: string) {
  return [core.executions, core.deployments].flatMap(({ runs }) => runs.activeOf(replicaId));
}

function replicaOfInput(core: CoreContext, input: Readonly<Record<string, unknown>>): string | undefined {
  const { replica, execution, deployment } = input;
  if (typeof replica === 'string') return replicaOf(core, replica).id;
  if (typeof execution === 'string') return executionOf(core, execution).replicaId;
  if (typeof deployment === 'string') return deploymentOf(core, deployment).replicaId;
  return undefined;
}
