import { z } from 'zod';
import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import type { JsonObject } from '../../../../../shared/model/json.ts';
import type { Manager } from './open-manager.ts';
import { idShape, jobShape, type OvmJob } from './shapes.ts';

/** How long after its intent a clone is still taken for Causeway's. A later one may be somebody else's, and what is taken for Causeway's is deleted in the end. */
const windowMs = 10 * 60_000;

/**
 * When a clone is about to be asked for, by the manager's clock: after its newest job, and soon. Jobs are numbered by the time when they began.
 * Goes into the details of the clone's ledger entry.
 */
export async function cloneWindow(
  manager: Manager,
  signal: AbortSignal,
): Promise<{ readonly since: number; readonly until: number }> {
  const jobs = await manager.api.read(z.array(idShape), 'list job ids', '/Job/id', signal);
  const since = jobs.reduce((newest, { value }) => Math.max(newest, Number(value) || 0), 0);
  return { since, until: Math.max(since, manager.now()) + windowMs };
}

/** The original that a clone was asked of. */
export interface Original {
  readonly id: string;
  readonly name: string;
}

/**
 * What a clone made that has no name of Causeway's, because its answer was lost or the process ended before it was named: clones get a name only
 * after they exist. The jobs of the entry's window are looked through for one that speaks of the original. One that still runs is waited for.
 * Of several, none can be told for sure, so that none is taken.
 *
 * @param details of the ledger entry, with its window
 * @param isIt what a job made, if that can be what was asked for
 */
export async function lostClone<T>(
  manager: Manager,
  details: JsonObject,
  originals: readonly Original[],
  isIt: (id: string, signal: AbortSignal) => Promise<T | undefined>,
  signal: AbortSignal,
): Promise<T | undefined> {
  const { since, until } = details;
  if (typeof since !== 'number' || typeof until !== 'number' || originals.length === 0) return undefined;
  const found: T[] = [];
  for (const { value } of await manager.api.read(z.array(idShape), 'list job ids', '/Job/id', signal)) {
    if (!(Number(value) > since && Number(value) <= until)) continue;
    const job = await manager.api.find(jobShape, `read job ${value}`, `/Job/${encodeURIComponent(value)}`, signal);
    if (job === undefined || !isCloneOf(job, originals, manager.connection.username)) continue;
    const ended = job.summaryDone === true ? job : await endOf(manager, value, signal);
    const made = ended?.resultId ? await isIt(ended.resultId.value, signal) : undefined;
    if (made !== undefined) found.push(made);
  }
  return found.length === 1 ? found[0] : undefined;
}

/** Undefined: it made nothing. */
function endOf(manager: Manager, id: string, signal: AbortSignal): Promise<OvmJob | undefined> {
  return manager.api.finished(id, `wait for job ${id}`, manager.timing.volumeMs, signal).catch((error: unknown) => {
    if (error instanceof CausewayError && error.code === 'cloud.operation-failed') return undefined;
    throw error;
  });
}

function isCloneOf(job: OvmJob, originals: readonly Original[], username: string): boolean {
  const user = job['user'];
  if (typeof user === 'string' && user !== '' && !user.toLowerCase().includes(username.toLowerCase())) return false;
  const text = `${job.name ?? ''} ${job.description ?? ''}`;
  return /clone/i.test(text) && originals.some(({ id, name }) => speaksOf(text, id) || speaksOf(text, name));
}

/** Whether a text has a name as a whole: `web-1` is not in `web-10`. */
export function speaksOf(text: string, name: string): boolean {
  if (name === '') return false;
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
    if (!/[\w.-]$/.test(text.slice(0, at)) && !/^(?:[\w-]|\.\w)/.test(text.slice(at + name.length))) return true;
  }
  return false;
}
