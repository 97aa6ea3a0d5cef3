import { z } from 'zod';
import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import { pollPlan, type RetryContext } from '../../../cloud-resources/retry-context.ts';
import type { HttpClient } from '../../../http/http-client.ts';
import { isStatus } from '../../../http/http-error.ts';
import type { HttpRequest } from '../../../http/http-request.ts';
import { createJsonApi } from '../../../http/json-api.ts';
import { waitForState } from '../../../http/wait-for-state.ts';
import { jobShape, type OvmJob } from './shapes.ts';

export type JobRequest = Pick<HttpRequest, 'operation' | 'path' | 'query' | 'json'> & {
  readonly method: 'POST' | 'PUT' | 'DELETE';
  /** How long the job may take, in milliseconds. Default: as long as the creation of a volume. */
  readonly deadlineMs?: number;
};

/** The manager's REST interface: reads answer at once, changes are jobs. */
export interface ManagerApi {
  read<S extends z.ZodType>(shape: S, what: string, path: string, signal: AbortSignal): Promise<z.infer<S>>;
  /** Undefined when the manager does not know the object (any more). */
  find<S extends z.ZodType>(shape: S, what: string, path: string, signal: AbortSignal): Promise<z.infer<S> | undefined>;
  /**
   * Starts a job and waits for its end. A job that nobody waits for any longer is aborted, as far as the manager can.
   *
   * @throws `cloud.operation-failed` with the job's own error, `cloud.not-ready` when it takes too long
   */
  job(request: JobRequest, signal: AbortSignal): Promise<OvmJob>;
  /** Waits for the end of a job that was started before. @throws as `job` does */
  finished(id: string, operation: string, deadlineMs: number, signal: AbortSignal): Promise<OvmJob>;
  /** The same for a deletion. What is gone counts as deleted. */
  remove(what: string, path: string, signal: AbortSignal): Promise<void>;
}

/** Some refusals come with a status of success. */
const startedShape = z.union([
  jobShape,
  z.looseObject({ errorCode: z.union([z.string(), z.number()]), message: z.string().nullish() }),
]);
const abortMs = 10_000;

export function managerApi(client: HttpClient, around: RetryContext): ManagerApi {
  const json = createJsonApi(client);

  async function abandon(id: string): Promise<void> {
    const request = {
      operation: `abort job ${id}`,
      method: 'PUT',
      path: `/Job/${encodeURIComponent(id)}/abort`,
      idempotent: false,
    } as const;
    await json.send(request, AbortSignal.timeout(abortMs)).catch(() => undefined);
  }

  function finished(id: string, operation: string, deadlineMs: number, signal: AbortSignal): Promise<OvmJob> {
    return waitForState(
      { operation, details: { jobId: id } },
      async (within) => {
        const job = await json.read(
          jobShape,
          { operation: `read job ${id}`, method: 'GET', path: `/Job/${encodeURIComponent(id)}` },
          within,
        );
        if (job.summaryDone !== true) return { done: false, state: job.jobRunState ?? 'queued' };
        const outcome = job.jobSummaryState ?? job.jobRunState ?? 'unknown';
        if (outcome === 'SUCCESS') return { done: true, value: job };
        throw new CausewayError(
          'cloud.operation-failed',
          `${operation}: ${job.error?.message ?? `the job ended with ${outcome}`}`,
          { details: { operation, jobId: id, state: outcome } },
        );
      },
      pollPlan(around.timing, deadlineMs),
      around.clock,
      signal,
    );
  }

  const api: ManagerApi = {
    read: (shape, what, path, signal) => json.read(shape, { operation: what, method: 'GET', path }, signal),
    find: (shape, what, path, signal) => json.find(shape, { operation: what, method: 'GET', path }, signal),
    finished,
    async job({ deadlineMs = around.timing.volumeMs, ...request }, signal) {
      const { operation } = request;
      // A deletion may be sent twice; anything else would be carried out twice.
      const started = await json.read(startedShape, { ...request, idempotent: request.method === 'DELETE' }, signal);
      if ('errorCode' in started) {
        throw new CausewayError(
          'cloud.request-refused',
          `${operation}: ${String(started['message'] ?? '')} (${String(started['errorCode'])})`,
          { details: { operation, code: String(started['errorCode']) } },
        );
      }
      const { value } = (started as OvmJob).id;
      try {
        return await finished(value, operation, deadlineMs, signal);
      } catch (error) {
        if (signal.aborted) await abandon(value);
        throw error;
      }
    },
    async remove(what, path, signal) {
      try {
        await api.job({ operation: what, method: 'DELETE', path, deadlineMs: around.timing.removeMs }, signal);
      } catch (error) {
        if (!isStatus(error, 404, 410)) throw error;
      }
    },
  };
  return api;
}
