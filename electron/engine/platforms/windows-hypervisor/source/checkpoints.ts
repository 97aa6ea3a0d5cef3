import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import { pollUntil } from '../../../time/poll.ts';
import {
  convertedSchema,
  historySchema,
  removedSchema,
  stateSchema,
  takenSchema,
  type Checkpoint,
  type ReferencePoint,
  type VmCheckpoints,
} from '../control/answers.ts';
import type { HostLink } from '../control/host-link.ts';
import type { FoundVm } from '../control/hosts.ts';
import { checkpointName, checkpointNotes, isLeftover } from './checkpoint-state.ts';
import type { SourceContext } from './source-context.ts';
import { powerOf } from './vm-facts.ts';

/** Merging writes back what the VM wrote meanwhile: minutes for a few gigabytes. */
const mergePlan = { deadlineMs: 4 * 60 * 60_000, firstMs: 500, capMs: 15_000 };
/** What `OperationalStatus` says while files of checkpoints are made or merged. */
const busy: Readonly<Record<number, string>> = {
  32768: 'a checkpoint is being created',
  32770: 'a checkpoint is being deleted',
  32772: 'disks are being merged',
  32773: 'the VM is being exported',
  32774: 'the VM is being moved',
};

/**
 * Asks the node that the VM was last on, or the one that it has moved to.
 *
 * @returns undefined when the VM is gone
 */
export async function onNode<T>(
  context: SourceContext,
  vmId: string,
  work: (link: HostLink) => Promise<T>,
  signal: AbortSignal,
): Promise<T | undefined> {
  const isGone = (error: unknown): boolean => error instanceof CausewayError && error.code === 'source.vm-not-found';
  try {
    return await work(await context.hosts.place(vmId, signal));
  } catch (error) {
    if (!isGone(error)) throw error;
  }
  context.hosts.forget(vmId);
  try {
    return await work(await context.hosts.place(vmId, signal));
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
}

/** Checkpoints and reference points of a VM; undefined when it is gone. */
export function readCheckpoints(
  context: SourceContext,
  vmId: string,
  signal: AbortSignal,
): Promise<VmCheckpoints | undefined> {
  return onNode(context, vmId, (link) => link.ask('read-state', { vmId }, stateSchema, signal), signal);
}

/**
 * Why a host that the VM may have been on since then may have lost power, and with it what it had tracked; undefined if none has. All nodes of a cluster are
 * asked: a VM comes back to its node after another one has failed.
 */
export async function powerDoubt(
  { hosts }: SourceContext,
  since: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  await hosts.factsNow(signal);
  const down = await hosts.down(signal);
  if (down.length > 0) return `node ${down.join(', ')} of the cluster is down, and the VM may have been there`;
  const unknown = (host: string, why: string): string =>
    `whether host ${host} lost power since the last execution is not known: ${why}`;
  const asked = await hosts.askAll('read-history', { since }, historySchema, signal).catch((error: unknown) => {
    if (signal.aborted || !(error instanceof CausewayError)) throw error;
    return { answers: [], silent: [{ host: hosts.first.host, error }] };
  });
  for (const {
    answer: { host, unclean, problem },
  } of asked.answers) {
    if (unclean.length > 0) return `host ${host} lost power or crashed on ${unclean[0]}, since the last execution`;
    if (problem !== '') return unknown(host, problem);
  }
  return asked.silent.map(({ host, error }) => unknown(host, error.message))[0];
}

/**
 * Takes a recovery checkpoint, consistent for applications where the guest runs with integration services. What an earlier call with this tag
 * has taken is found by its name, or by its id (`claim`); after a lost answer, as what was not `known` before.
 */
export async function takeCheckpoint(
  context: SourceContext,
  { link, vm }: FoundVm,
  request: {
    readonly tag: string;
    readonly known: readonly string[];
    readonly claim: string | undefined;
    readonly mayBeCrashConsistent: boolean;
  },
  signal: AbortSignal,
): Promise<{ readonly host: string; readonly checkpoint: Checkpoint }> {
  const { tag, known, claim = null, mayBeCrashConsistent } = request;
  const take = (level: 1 | 2) =>
    link.ask(
      'take-checkpoint',
      {
        vmId: vm.id,
        name: checkpointName(tag),
        notes: checkpointNotes(context.use, context.owner),
        level,
        known,
        claim,
      },
      takenSchema,
      signal,
    );
  // The disks of a VM that is off are consistent as they are.
  if (powerOf(vm) === 'stopped') return take(2);
  try {
    return await take(1);
  } catch (error) {
    if (!(error instanceof CausewayError) || error.code !== 'source.quiesce-failed') throw error;
    if (!mayBeCrashConsistent) {
      throw new CausewayError('source.guest-not-ready', `VM ${vm.name}: ${error.message}`, {
        cause: error,
        details: { vmId: vm.id, parameter: 'fallback_to_crash_consistent_snapshots' },
      });
    }
    context.note(
      `VM ${vm.name}: no checkpoint that is consistent for applications could be taken (${error.message}), so a crash-consistent one is taken.`,
    );
  }
  return take(2);
}

/** Pauses before a conversion that failed is tried again: what was in its way, e.g. another job of the VM, may have ended. */
const conversionPausesMs = [3000, 20_000];

/** Converts a checkpoint to a reference point, whose ids tell what changes from its moment on. Undefined: there is none, and the next execution compares whole disks. */
export async function convertCheckpoint(
  context: SourceContext,
  vmId: string,
  checkpointId: string,
  expected: { readonly known: readonly string[]; readonly mayBeDone: boolean },
  signal: AbortSignal,
): Promise<ReferencePoint | undefined> {
  for (let failures = 0; ; failures += 1) {
    try {
      // A job that is said to have failed may have done it all the same.
      const mayBeDone = expected.mayBeDone || failures > 0;
      const answer = await onNode(
        context,
        vmId,
        (link) =>
          link.ask(
            'convert-checkpoint',
            { vmId, checkpointId, known: expected.known, mayBeDone },
            convertedSchema,
            signal,
          ),
        signal,
      );
      return answer?.referencePoint ?? undefined;
    } catch (error) {
      if (
        !(error instanceof CausewayError) ||
        !['source.snapshot-failed', 'source.request-refused'].includes(error.code)
      )
        throw error;
      const pauseMs = conversionPausesMs[failures];
      if (pauseMs === undefined) {
        context.note(
          `VM ${vmId}: the checkpoint could not be converted to a reference point (${error.message}). It is removed, and the next execution compares whole disks.`,
        );
        return undefined;
      }
      await context.clock.sleep(pauseMs, signal);
    }
  }
}

/** Removes a checkpoint and waits until its files are merged. Gone is done. */
export async function removeCheckpoint(
  context: SourceContext,
  vmId: string,
  checkpointId: string,
  signal: AbortSignal,
): Promise<void> {
  await onNode(
    context,
    vmId,
    (link) => link.ask('remove-checkpoint', { vmId, checkpointId }, removedSchema, signal),
    signal,
  );
  await awaitMerge(context, vmId, signal);
}

export async function removeReferencePoint(
  context: SourceContext,
  vmId: string,
  referencePointId: string,
  signal: AbortSignal,
): Promise<void> {
  await onNode(
    context,
    vmId,
    (link) => link.ask('remove-reference-point', { vmId, referencePointId }, removedSchema, signal),
    signal,
  );
}

/** Waits until no files of checkpoints are made or merged. What is slow is reported and left to the host. */
export async function awaitMerge(context: SourceContext, vmId: string, signal: AbortSignal): Promise<void> {
  let isTold = false;
  await pollUntil(
    async (within) => {
      const state = await readCheckpoints(context, vmId, within);
      const why = state === undefined ? undefined : pendingMerge(state);
      if (why === undefined) return { done: true, value: undefined };
      if (!isTold) context.note(`VM ${vmId}: ${why}. Causeway waits for it.`);
      isTold = true;
      return { done: false, state: why };
    },
    mergePlan,
    context.clock,
    signal,
    (state) =>
      new CausewayError(
        'source.consolidation-needed',
        `VM ${vmId}: ${state} for ${mergePlan.deadlineMs / 3_600_000} hours`,
        { details: { vmId } },
      ),
  );
}

function pendingMerge({ status, paths, checkpoints }: VmCheckpoints): string | undefined {
  const said = busy[status ?? 0];
  if (said !== undefined) return said;
  // A running VM writes to a differencing file beside the disk as long as a recovery checkpoint is there, and until it is merged.
  return checkpoints.length === 0 && paths.some((path) => /-AutoRecovery\.avhdx$/i.test(path))
    ? 'disks wait for being merged'
    : undefined;
}

/** Removes checkpoints that earlier executions of the same replica have left. Those of other replicas, and of other programs, are not touched. */
export async function removeLeftovers(context: SourceContext, vmId: string, signal: AbortSignal): Promise<void> {
  const { use, note } = context;
  if (use?.executionId === undefined) return;
  for (const checkpoint of (await readCheckpoints(context, vmId, signal))?.checkpoints ?? []) {
    if (!isLeftover(checkpoint, use)) continue;
    note(`VM ${vmId}: checkpoint ${checkpoint.name} was left by an earlier execution and is removed.`);
    await removeCheckpoint(context, vmId, checkpoint.id, signal);
  }
}
