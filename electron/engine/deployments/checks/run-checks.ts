import { checkName, type AfterBootCheck, type CheckResult } from '../../../../shared/model/after-boot-check.ts';
import { toErrorRecord } from '../../../../shared/model/causeway-error.ts';
import { mapConcurrently } from '../../concurrency/map-concurrently.ts';
import type { Clock } from '../../time/clock.ts';
import { probePort, type BootProbe } from '../boot-probe.ts';
import { readConsole } from '../console-signs.ts';
import { cleanAnswer } from './clean-answer.ts';
import { checkHttp } from './http-check.ts';
import { checkSsh } from './ssh-check.ts';

const defaultTimeoutSeconds = 120;
const inParallel = 6;
/** A single attempt may take this long, whatever the server does; and this long even if the time of the check is nearly over. */
const attemptMs = 30_000;
const leastAttemptMs = 5_000;
const firstPauseMs = 1_000;
const longestPauseMs = 10_000;

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
export function runChecks(checks: readonly AfterBootCheck[], server: CheckedServer, means: CheckMeans, signal: AbortSignal): Promise<CheckResult[]> {
  return mapConcurrently(checks, inParallel, signal, async (check, within) => {
    const result = await untilItPasses(check, server, means, within);
    means.onResult?.(result);
    return result;
  });
}

async function untilItPasses(check: AfterBootCheck, server: CheckedServer, { clock, probe = probePort, clean }: CheckMeans, signal: AbortSignal): Promise<CheckResult> {
  const begun = clock.monotonic();
  const limitMs = (check.timeoutSeconds ?? defaultTimeoutSeconds) * 1000;
  const result = (outcome: CheckResult['outcome'], evidence: string, attempts: number): CheckResult => ({
    name: cleanAnswer(checkName(check)), kind: check.kind, outcome, evidence: cleanAnswer(clean(evidence)), attempts,
    seconds: Math.round((clock.monotonic() - begun) / 100) / 10, at: new Date().toISOString(),
  });
  for (let attempt = 1, pause = firstPauseMs; ; attempt += 1, pause = Math.min(longestPauseMs, pause * 1.5)) {
    signal.throwIfAborted();
    const patienceMs = Math.max(leastAttemptMs, Math.min(attemptMs, limitMs - (clock.monotonic() - begun)));
    const within = AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]);
    let problem: string;
    try {
      return result('passed', await attemptOf(check, server, probe, within, patienceMs), attempt);
    } catch (error) {
      signal.throwIfAborted();
      problem = within.aborted ? `no answer within ${Math.round(patienceMs / 1000)} s` : messageOf(error);
    }
    const left = limitMs - (clock.monotonic() - begun);
    if (left <= 0 || isFinal(check, problem)) return result(check.onFailure === 'warn' ? 'warned' : 'failed', problem, attempt);
    await clock.sleep(Math.min(pause, left), signal);
  }
}

/** Asks each address of the VM; what the first of them answers as expected. */
async function attemptOf(check: AfterBootCheck, { addresses, console, credential }: CheckedServer, probe: BootProbe, signal: AbortSignal, timeoutMs: number): Promise<string> {
  if (check.kind === 'login-prompt') {
    if (console === undefined) throw new Error('the destination provides no console log');
    const { sign, line } = readConsole(await console(signal));
    if (sign !== 'up') throw new Error(line === '' ? 'the console shows no login prompt' : `the console shows: ${line}`);
    return `the console shows: ${line}`;
  }
  if (addresses.length === 0) throw new Error('the VM has no address');
  const problems: string[] = [];
  for (const host of addresses) {
    try {
      switch (check.kind) {
        case 'port':
          await probe({ host, port: check.port, protocol: 'tcp' }, signal);
          return `${host}:${check.port} accepts connections`;
        case 'http':
          return await checkHttp(check, host, signal);
        case 'ssh':
          return await checkSsh(check, host, credential(check.secret), signal, timeoutMs);
        default:
          return check satisfies never;
      }
    } catch (error) {
      signal.throwIfAborted();
      problems.push(messageOf(error));
    }
  }
  throw new Error(problems.join('; '));
}

/** What another attempt cannot change: somebody else answers, or there is nothing to ask. */
function isFinal(check: AfterBootCheck, problem: string): boolean {
  return (check.kind === 'ssh' && problem.includes('has the host key')) || problem === 'the destination provides no console log';
}

function messageOf(error: unknown): string {
  const { message } = toErrorRecord(error);
  const { code } = error as { code?: unknown };
  return message === '' && typeof code === 'string' ? code : message;
}
