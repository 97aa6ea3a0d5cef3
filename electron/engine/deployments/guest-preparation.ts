import type { ConnectWorker } from '../executions/execution-context.ts';
import { inspectOnWorker, morphGuestOf, morphWindowsByWinrm } from '../osmorphing/index.ts';
import { hostKeysOfThisProcess } from '../transport/host-keys.ts';
import { loginToWorker } from '../transport/ssh-login.ts';
import type { GuestPreparation } from './deployment-context.ts';

const loginDeadlineMs = 300_000;
const loginGraceMs = 90_000;

/** The product's own preparation of guests. */
export function guestPreparation(connectWorker: ConnectWorker): GuestPreparation {
  return {
    morphOf: morphGuestOf,
    morphOnWindows: morphWindowsByWinrm,
    inspect: inspectOnWorker,
    openSsh: (access, signal) =>
      loginToWorker(
        access,
        { hostKeys: hostKeysOfThisProcess, deadlineMs: loginDeadlineMs, loginGraceMs, lostAfterMs: 60_000 },
        signal,
      ),
    connectWorker,
  };
}
