import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { HttpClient } from '../../../http/http-client.ts';
import type { HttpRequest } from '../../../http/http-request.ts';
import { isStatus } from '../../../http/http-error.ts';
import { createJsonApi, type JsonApi } from '../../../http/json-api.ts';
import { CausewayError } from '../../../../../shared/model/causeway-error.ts';

type Query = Readonly<Record<string, string | undefined>>;

/** One service of the cloud: JSON, lists in pages, creations that may be repeated, changes that demand the state that was read. */
export interface ServiceApi extends JsonApi {
  /** All pages of a list. */
  list<S extends z.ZodType>(
    item: S,
    operation: string,
    path: string,
    query: Query,
    signal: AbortSignal,
  ): Promise<readonly z.infer<S>[]>;
  /** A POST that carries a token by which the service knows it again: it may be repeated, and does nothing twice. */
  create<S extends z.ZodType>(
    answer: S,
    operation: string,
    path: string,
    json: unknown,
    signal: AbortSignal,
  ): Promise<z.infer<S>>;
  /** The id of the work request that an answer names, where there is one. */
  createFollowed<S extends z.ZodType>(
    answer: S,
    operation: string,
    path: string,
    json: unknown,
    signal: AbortSignal,
  ): Promise<{ readonly resource: z.infer<S>; readonly workRequestId: string | undefined }>;
  /** Reads, changes and writes a resource, again if somebody else changed it in between. */
  update<S extends z.ZodType>(
    schema: S,
    operation: string,
    path: string,
    change: (now: z.infer<S>) => object,
    signal: AbortSignal,
  ): Promise<z.infer<S>>;
  readonly client: HttpClient;
}

const attemptsOfUpdate = 5;

export function createServiceApi(client: HttpClient): ServiceApi {
  const json = createJsonApi(client);
  const creation = (operation: string, path: string, body: unknown): HttpRequest => ({
    operation,
    method: 'POST',
    path,
    json: body,
    idempotent: true,
    headers: { 'opc-retry-token': randomUUID() },
  });
  const parsed = <S extends z.ZodType>(
    schema: S,
    request: HttpRequest,
    answer: unknown,
    signal: AbortSignal,
  ): Promise<z.infer<S>> =>
    createJsonApi({ request: async () => ({ status: 200, headers: new Headers(), body: answer }) }).read(
      schema,
      request,
      signal,
    );
  return {
    ...json,
    client,
    async list(item, operation, path, query, signal) {
      const given = Object.fromEntries(
        Object.entries(query).filter((pair): pair is [string, string] => pair[1] !== undefined),
      );
      const all: z.infer<typeof item>[] = [];
      for (let page: string | undefined, seen = 0; ; seen += 1) {
        const request: HttpRequest = {
          operation,
          method: 'GET',
          path,
          query: { ...given, limit: '1000', ...(page === undefined ? {} : { page }) },
        };
        const answer = await client.request(request, signal);
        all.push(...((await parsed(z.array(item), request, answer.body, signal)) as z.infer<typeof item>[]));
        const next = answer.headers.get('opc-next-page') ?? undefined;
        if (next === undefined) return all;
        if (next === page || seen > 10_000)
          throw new CausewayError('cloud.unexpected-answer', `${operation}: the list does not end`, {
            details: { operation },
          });
        page = next;
      }
    },
    create: (answer, operation, path, body, signal) => json.read(answer, creation(operation, path, body), signal),
    async createFollowed(schema, operation, path, body, signal) {
      const request = creation(operation, path, body);
      const answer = await client.request(request, signal);
      return {
        resource: await parsed(schema, request, answer.body, signal),
        workRequestId: answer.headers.get('opc-work-request-id') ?? undefined,
      };
    },
    async update(schema, operation, path, change, signal) {
      for (let attempt = 1; ; attempt += 1) {
        const reading: HttpRequest = { operation, method: 'GET', path };
        const before = await client.request(reading, signal);
        const etag = before.headers.get('etag');
        const request: HttpRequest = {
          operation,
          method: 'PUT',
          path,
          json: change(await parsed(schema, reading, before.body, signal)),
          ...(etag === null ? {} : { headers: { 'if-match': etag } }),
        };
        try {
          return await json.read(schema, request, signal);
        } catch (error) {
          // 412: somebody changed it in between, or this change was carried out and its answer was lost.
          if (!isStatus(error, 412) || attempt >= attemptsOfUpdate) throw error;
        }
      }
    },
  };
}
