import type { z } from 'zod';
import { CausewayError } from '../../../shared/model/causeway-error.ts';
import type { HttpClient } from './http-client.ts';
import { isStatus } from './http-error.ts';
import type { HttpAnswer, HttpRequest } from './http-request.ts';

/** An API that speaks JSON, with answers held to the form that is expected of them. */
export interface JsonApi {
  /** Sends a request and parses its answer. @throws `cloud.unexpected-answer` when it has not. */
  read<S extends z.ZodType>(schema: S, request: HttpRequest, signal: AbortSignal): Promise<z.infer<S>>;
  /** The same for a single resource; undefined when the API does not know it (any more). */
  find<S extends z.ZodType>(schema: S, request: HttpRequest, signal: AbortSignal): Promise<z.infer<S> | undefined>;
  /** Sends a request and ignores the body of its answer. */
  send(request: HttpRequest, signal: AbortSignal): Promise<HttpAnswer>;
  /** Sends a removal; a resource that is gone counts as removed. */
  remove(request: Omit<HttpRequest, 'method'>, signal: AbortSignal): Promise<void>;
}

export function createJsonApi(client: Pick<HttpClient, 'request'>): JsonApi {
  const api: JsonApi = {
    async read(schema, request, signal) {
      const answer = await client.request(request, signal);
      return parseAnswer(schema, request, answer);
    },
    async find(schema, request, signal) {
      try {
        return await api.read(schema, request, signal);
      } catch (error) {
        if (isStatus(error, 404, 410)) return undefined;
        throw error;
      }
    },
    send: (request, signal) => client.request(request, signal),
    async remove(request, signal) {
      try {
        await client.request({ ...request, method: 'DELETE' }, signal);
      } catch (error) {
        if (!isStatus(error, 404, 410)) throw error;
      }
    },
  };
  return api;
}

function parseAnswer<S extends z.ZodType>(schema: S, request: HttpRequest, answer: HttpAnswer): z.infer<S> {
  const parsed = schema.safeParse(answer.body);
  if (parsed.success) return parsed.data;
  const where = parsed.error.issues.slice(0, 5).map((issue) => `${issue.path.join('.') || 'body'}: ${issue.message}`);
  throw new CausewayError('cloud.unexpected-answer', `${request.operation}: ${where.join('; ')}`, {
    details: { operation: request.operation, status: answer.status, issues: where, ambiguous: true },
  });
}
