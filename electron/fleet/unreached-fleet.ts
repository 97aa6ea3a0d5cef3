import { noFleetView } from '../../shared/model/fleet.ts';
import type { CausewayError } from '../../shared/model/causeway-error.ts';
import type { FleetInEngine } from '../engine/ports/replica-fleet.ts';
import { systemClock } from '../engine/time/clock.ts';

/** A fleet no server of which was reached: what changes a replica is refused, and the servers are tried again until they answer. */
export function untilReached(
  error: CausewayError,
  attempt: () => Promise<FleetInEngine>,
  retryMs: number,
): FleetInEngine {
  const stop = new AbortController();
  let reached: FleetInEngine | undefined;
  const trying = (async () => {
    while (reached === undefined && !stop.signal.aborted) {
      await systemClock.sleep(retryMs, stop.signal).catch(() => undefined);
      if (!stop.signal.aborted) reached = await attempt().catch(() => undefined);
    }
  })();
  const fleet = (): FleetInEngine => {
    if (reached === undefined) throw error;
    return reached;
  };
  return {
    // Whoever reads does not wait.
    ready: Promise.resolve(),
    claim: async (replicaId, signal) => fleet().claim(replicaId, signal),
    settled: async (replicaId, signal) => fleet().settled(replicaId, signal),
    claimed: (replicaId) => fleet().claimed(replicaId),
    epoch: (replicaId) => reached?.epoch(replicaId) ?? 0,
    holder: (replicaId) => reached?.holder(replicaId),
    release: async (replicaId, signal) => fleet().release(replicaId, signal),
    forward: async (replicaId, call, input, signal) => fleet().forward(replicaId, call, input, signal),
    noted: (replicaId) => reached?.noted(replicaId),
    publish: (replicaId, progress) => reached?.publish(replicaId, progress),
    view: (queueLimit) => reached?.view(queueLimit) ?? { ...noFleetView, state: 'unreached', mayChange: false },
    // Without servers nobody says that it may not.
    mayChange: () => reached?.mayChange() ?? true,
    history: async (replicaId, signal) => fleet().history(replicaId, signal),
    drain: (member, isDraining) => fleet().drain(member, isDraining),
    leave: () => {
      stop.abort();
      reached?.leave();
    },
    isLeaving: () => stop.signal.aborted || reached?.isLeaving() === true,
    conflicts: () => reached?.conflicts() ?? [],
    notShared: () => reached?.notShared() ?? [],
    decide: async (file, side, revision) => fleet().decide(file, side, revision),
    async close() {
      stop.abort();
      await trying;
      await reached?.close();
    },
  };
}
