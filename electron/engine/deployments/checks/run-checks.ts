import {
  checkLabel,
  checkName,
  type AfterBootCheck,
  type CheckLabel,
  type CheckResult,
} from '../../../../shared/model/after-boot-check.ts';
import { CausewayError, toErrorRecord } from '../../../../shared/model/causeway-error.ts';
import { mapConcurrently } from '../../concurrency/map-concurrently.ts';
import type { Clock } from '../../time/clock.ts';
import { probePort, type BootProbe } from '../boot-probe.ts';
import { readConsole } from '../console-signs.ts';
import { cleanAnswer, longestEvidence } from './clean-answer.ts';
import { checkGuest } from './guest-check.ts';
import { checkHttp } from './http-check.ts';

const defaultTimeoutSeconds = 120;
const inParallel = 6;
/** A single attempt may take this long, whatever the server does; and this long even if the time of the check is nearly over. A script may take all the time of its check. */
const attemptMs = 30_000;
const leastAttemptMs = 5_000;
const firstPauseMs = 1_000;
const longestPauseMs = 10_000;
/** Windows locks an account after a few wrong passwords. */
const mostRefusals = 3;

/** The VM that is checked. */
export interface CheckedServer {
  readonly addresses: readonly string[];
  /** What the console has shown up to now; undefined where there is none that can be read. */
  readonly console: ((signal: AbortSignal) => Promise<string>) | undefined;
  /** Plain text of a secret that a check names. */
  readonly credential: (secret: string) => string;
}

export interface CheckMeans {
  readonly clock: Clock;
  readonly probe?: BootProbe;
  /** Removes secrets from a text. */
  readonly clean: (text: string) => string;
  /** Told each result as it is there. */
  readonly onResult?: (result: CheckResult) => void;
}

/** Runs every check until it passes or its time is over, a few at a time. Rejects only with the signal's reason. */
export function runChecks(
  checks: readonly AfterBootCheck[],
  server: CheckedServer,
  means: CheckMeans,
  signal: AbortSignal,
): Promise<CheckResult[]> {
  return mapConcurrently(checks, inParallel, signal, async (check, within) => {
    const result = await untilItPasses(check, server, means, within);
    means.onResult?.(result);
    return result;
  });
}

function cleanLabel(check: AfterBootCheck, clean: CheckMeans['clean']): CheckLabel {
  const { code, what } = checkLabel(check);
  return { code, what: cleanAnswer(clean(what)) };
}

async function untilItPasses(
  check: AfterBootCheck,
  server: CheckedServer,
  { clock, probe = probePort, clean }: CheckMeans,
  signal: AbortSignal,
): Promise<CheckResult> {
  const begun = clock.monotonic();
  const limitMs = (check.timeoutSeconds ?? defaultTimeoutSeconds) * 1000;
  const result = (outcome: CheckResult['outcome'], evidence: string, attempts: number): CheckResult => ({
    name: cleanAnswer(clean(checkName(check))),
    ...(check.name === undefined ? { label: cleanLabel(check, clean) } : {}),
    kind: check.kind,
    outcome,
    evidence: cleanAnswer(clean(evidence), check.kind === 'script' ? longestEvidence : undefined),
    attempts,
    seconds: Math.round((clock.monotonic() - begun) / 100) / 10,
    at: new Date().toISOString(),
  });
  let refusals = 0;
  for (let attempt = 1, pause = firstPauseMs; ; attempt += 1, pause = Math.min(longestPauseMs, pause * 1.5)) {
    signal.throwIfAborted();
    const leftMs = limitMs - (clock.monotonic() - begun);
    const patienceMs = Math.max(leastAttemptMs, check.kind === 'script' ? leftMs : Math.min(attemptMs, leftMs));
    const within = AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]);
    let problem: string;
    let isFinal = false;
    try {
      return result('passed', await attemptOf(check, server, { probe, clean, patienceMs }, within), attempt);
    } catch (error) {
      signal.throwIfAborted();
      problem = within.aborted ? `no answer within ${Math.round(patienceMs / 1000)} s` : messageOf(error);
      const refusal = refusalOf(error);
      if (refusal === 'login') refusals += 1;
      isFinal = refusal === 'final' || refusals === mostRefusals;
    }
    const left = limitMs - (clock.monotonic() - begun);
    if (left <= 0 || isFinal) return result(check.onFailure === 'warn' ? 'warned' : 'failed', problem, attempt);
    await clock.sleep(Math.min(refusals > 0 ? longestPauseMs : pause, left), signal);
  }
}

interface AttemptMeans {
  readonly probe: BootProbe;
  readonly clean: (text: string) => string;
  readonly patienceMs: number;
}

/** Asks each address of the VM; what the first of them answers as expected. */
async function attemptOf(
  check: AfterBootCheck,
  { addresses, console, credential }: CheckedServer,
  { probe, clean, patienceMs }: AttemptMeans,
  signal: AbortSignal,
): Promise<string> {
  if (check.kind === 'login-prompt') {
    if (console === undefined) throw new CheckProblem('the destination provides no console log', 'final');
    const { sign, line } = readConsole(await console(signal));
    if (sign !== 'up')
      throw new Error(line === '' ? 'the console shows no login prompt' : `the console shows: ${line}`);
    return `the console shows: ${line}`;
  }
  if (addresses.length === 0) throw new Error('the VM has no address');
  const problems: string[] = [];
  // An address that does not answer leaves time for the next one.
  const shareMs = Math.min(attemptMs, patienceMs) / addresses.length;
  for (const host of addresses) {
    const share = AbortSignal.any([signal, AbortSignal.timeout(shareMs)]);
    try {
      switch (check.kind) {
        case 'port':
          await probe({ host, port: check.port, protocol: 'tcp' }, share);
          return `${host}:${check.port} accepts connections`;
        case 'http':
          return await checkHttp(check, host, clean, share);
        case 'ssh':
        case 'winrm':
        case 'script':
        case 'agent':
          return await checkGuest(
            check,
            host,
            { credential: credential(check.secret), clean, patience: { connectMs: shareMs, timeoutMs: patienceMs } },
            signal,
          );
        default:
          return check satisfies never;
      }
    } catch (error) {
      signal.throwIfAborted();
      const isSilent = share.aborted && (check.kind === 'port' || check.kind === 'http');
      problems.push(isSilent ? `${host}: no answer within ${Math.round(shareMs / 1000)} s` : messageOf(error));
      const refusal = guestRefusal(error);
      if (refusal !== undefined && (refusal === 'final' || !('hostKey' in check)))
        throw new CheckProblem(problems.join('; '), refusal);
    }
  }
  throw new Error(problems.join('; '));
}

/** `final`: another attempt cannot change it, as somebody else answers, or there is nothing to ask. `login`: the guest does not let the account in. */
type Refusal = 'final' | 'login';

class CheckProblem extends Error {
  readonly refusal: Refusal;

  constructor(message: string, refusal: Refusal) {
    super(message);
    this.refusal = refusal;
  }
}

function refusalOf(error: unknown): Refusal | undefined {
  return error instanceof CheckProblem ? error.refusal : undefined;
}

function guestRefusal(error: unknown): Refusal | undefined {
  if (!(error instanceof CausewayError)) return undefined;
  if (error.code === 'transport.host-key-mismatch' || error.code === 'transport.certificate-mismatch') return 'final';
  return error.code === 'transport.login-refused' ? 'login' : undefined;
}

function messageOf(error: unknown): string {
  const { message } = toErrorRecord(error);
  const { code } = error as { code?: unknown };
  return message === '' && typeof code === 'string' ? code : message;
}
