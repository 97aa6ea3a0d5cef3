import type { FaultEffect } from '../rigs/cloud-kit/faults.ts';
import type { CallRecord } from '../rigs/cloud-kit/http-server.ts';
import type { Simulation } from '../rigs/cloud-kit/start.ts';
import { requestClock, type RequestClock } from '../rigs/hurried-clock.ts';
import { callFaults, type CallFault, type PlatformCalls } from './platform-calls.ts';

export interface SimulatedCallsOptions {
  /** Whether a call may have changed something. */
  readonly changes: (call: CallRecord) => boolean;
  /** How this API refuses a call for now. Default `500`. */
  readonly refusal?: FaultEffect;
}

/** How long the product may wait for anything but an answer, in the labs of the suites. */
const longestPauseMs = 4;

type Faulty = Pick<Simulation<unknown>, 'calls' | 'faults'>;
const forever = 1_000_000;

/**
 * The calls of a simulated platform's API as the conformance suites want them. A simulation is started with `onCall`; `of` then gives its calls.
 */
export function simulatedCalls({ changes, refusal = '500' }: SimulatedCallsOptions): {
  readonly onCall: (call: CallRecord) => void;
  /** For the product: by it, a request that the simulation does not answer is given up. */
  readonly clock: RequestClock;
  readonly of: (simulation: Faulty) => PlatformCalls;
} {
  const effects: Readonly<Record<CallFault, FaultEffect>> = {
    'refused-for-now': refusal,
    throttled: '429',
    'cut-before': 'connection-reset',
    'gateway-error-after': '502-after',
    'cut-after': 'connection-reset-after',
    'never-answered': 'no-answer',
    'fails-later': 'status-error',
  };
  let simulated: Faulty | undefined;
  let cut: { readonly from: number; readonly tell: () => void } | undefined;
  const clock = requestClock(longestPauseMs);
  return {
    clock,
    onCall({ fault }) {
      if (fault?.effect === 'no-answer') clock.nobodyAnswers();
      if (cut !== undefined && simulated !== undefined && simulated.calls.length >= cut.from) cut.tell();
    },
    of(simulation) {
      simulated = simulation;
      const { calls, faults } = simulation;
      return {
        faults: callFaults,
        callCount: () => calls.length,
        callName: (number) => calls[number - 1]?.operation ?? 'none',
        callChanges: (number) => {
          const call = calls[number - 1];
          return call !== undefined && changes(call);
        },
        failCall: (n, fault) => faults.add({ operation: '*', nth: n, effect: effects[fault] }),
        cutOff(n, when, tell) {
          cut = { from: calls.length + n, tell };
          if (when === 'after') faults.add({ operation: '*', nth: n, effect: 'connection-reset-after' });
          faults.add({ operation: '*', nth: when === 'after' ? n + 1 : n, times: forever, effect: 'connection-reset' });
        },
        clearFaults() {
          cut = undefined;
          faults.clear();
        },
      };
    },
  };
}
