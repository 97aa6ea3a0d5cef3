import type { MemberState } from '../../../shared/model/wave.ts';
import type { StoredMember, StoredWaveRun } from '../store/wave-runs.ts';

export type DecidedRun = Pick<StoredWaveRun, 'state' | 'atOnce' | 'groups' | 'released'>;
export type DecidedMember = Pick<StoredMember, 'replicaId' | 'group' | 'after' | 'state'>;

export interface NextSteps {
  /** Ids of members that start now. */
  readonly start: readonly string[];
  /** Members that can't start any more, because one that they depend on did not complete. */
  readonly block: readonly string[];
  /** Members that are never started, because the wave was cancelled. */
  readonly cancel: readonly string[];
  /** What a person has to decide before more members can start. */
  readonly waitsFor?: { readonly group: number; readonly name: string; readonly reason: 'go' | 'failures' };
  /** How the wave ended. */
  readonly end?: 'completed' | 'failed' | 'cancelled';
}

const isOpen = ({ state }: DecidedMember): boolean => state === 'starting' || state === 'running';
const isWaiting = ({ state }: DecidedMember): boolean => state === 'waiting';
const isLost = (state: MemberState | undefined): boolean =>
  state === 'failed' || state === 'blocked' || state === 'cancelled';

/** What happens next in a wave, by where its members are. Pure; applied again, its answer is the same. */
export function nextSteps(run: DecidedRun, members: readonly DecidedMember[]): NextSteps {
  const none: NextSteps = { start: [], block: [], cancel: [] };
  const open = members.filter(isOpen).length;
  if (run.state === 'cancelling') {
    const cancel = members.filter(isWaiting).map(({ replicaId }) => replicaId);
    return { ...none, cancel, ...(open === 0 ? { end: 'cancelled' } : {}) };
  }
  if (run.state !== 'running' && run.state !== 'paused') return none;
  const block = blockedOf(members);
  const waiting = members.filter((member) => isWaiting(member) && !block.has(member.replicaId));
  const result: NextSteps = { ...none, block: [...block] };
  if (waiting.length === 0)
    return open > 0
      ? result
      : { ...result, end: block.size > 0 || members.some(({ state }) => isLost(state)) ? 'failed' : 'completed' };
  if (run.state === 'paused') return result;
  const states = new Map(members.map(({ replicaId, state }) => [replicaId, block.has(replicaId) ? 'blocked' : state]));
  // Groups come one after another: what waits in the first group that has someone waiting.
  const group = Math.min(...waiting.map((member) => member.group));
  const earlier = members.filter((member) => member.group < group);
  if (earlier.some(isOpen)) return result;
  if (run.released < group) {
    const { name = '', needsGo = false } = run.groups[group] ?? {};
    const isBegun = members.some(
      (member) => member.group === group && !isWaiting(member) && !block.has(member.replicaId),
    );
    const reason = earlier.some(({ replicaId }) => isLost(states.get(replicaId)))
      ? 'failures'
      : needsGo && !isBegun
        ? 'go'
        : undefined;
    if (reason !== undefined) return { ...result, waitsFor: { group, name, reason } };
  }
  const free = waiting.filter(
    (member) => member.group === group && member.after.every((id) => (states.get(id) ?? 'completed') === 'completed'),
  );
  return { ...result, start: free.slice(0, Math.max(0, run.atOnce - open)).map(({ replicaId }) => replicaId) };
}

/** Waiting members that depend on one that did not complete, by way of others too. */
function blockedOf(members: readonly DecidedMember[]): Set<string> {
  const states = new Map(members.map(({ replicaId, state }) => [replicaId, state]));
  const blocked = new Set<string>();
  if (!members.some(({ state }) => isLost(state))) return blocked;
  for (let before = -1; before < blocked.size;) {
    before = blocked.size;
    for (const { replicaId, after, state } of members) {
      if (state === 'waiting' && after.some((id) => blocked.has(id) || isLost(states.get(id)))) blocked.add(replicaId);
    }
  }
  return blocked;
}
