import { z } from 'zod';
import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import type { HttpClient } from '../../../http/http-client.ts';
import type { HttpRequest } from '../../../http/http-request.ts';
import { createJsonApi, type JsonApi } from '../../../http/json-api.ts';
import { namePath } from './object-names.ts';
import { mediaType } from './sign-in.ts';

/** The compute interface: one media type, objects by their names, lists of a container. */
export interface ComputeApi extends JsonApi {
  /** All objects of a kind whose names begin with a container, e.g. `/Compute-acme/`. None where the container is not known. */
  list<S extends z.ZodType>(
    item: S,
    what: string,
    collection: string,
    container: string,
    signal: AbortSignal,
  ): Promise<readonly z.infer<S>[]>;
  get<S extends z.ZodType>(
    schema: S,
    what: string,
    collection: string,
    name: string,
    signal: AbortSignal,
  ): Promise<z.infer<S> | undefined>;
  create<S extends z.ZodType>(
    schema: S,
    what: string,
    collection: string,
    body: object,
    signal: AbortSignal,
  ): Promise<z.infer<S>>;
  update<S extends z.ZodType>(
    schema: S,
    what: string,
    collection: string,
    name: string,
    body: object,
    signal: AbortSignal,
  ): Promise<z.infer<S>>;
  /** What is gone counts as deleted. */
  delete(what: string, collection: string, name: string, signal: AbortSignal): Promise<void>;
}

export function computeApi(client: HttpClient): ComputeApi {
  const typed: Pick<HttpClient, 'request'> = {
    async request(request, signal) {
      try {
        return await client.request(
          {
            ...request,
            headers: {
              accept: mediaType,
              ...(request.json === undefined ? {} : { 'content-type': mediaType }),
              ...request.headers,
            },
          },
          signal,
        );
      } catch (error) {
        throw error instanceof CausewayError ? apiError(error) : error;
      }
    },
  };
  const json = createJsonApi(typed);
  const pathOf = (collection: string, name: string): string => `${collection}${namePath(name)}`;
  return {
    ...json,
    async list(item, what, collection, container, signal) {
      // The answer is whole: this interface has no pages.
      const found = await json.find(
        z.looseObject({ result: z.array(item).nullish() }),
        { operation: `list ${what}`, method: 'GET', path: pathOf(collection, container) },
        signal,
      );
      return (found?.result ?? []) as readonly z.infer<typeof item>[];
    },
    get: (schema, what, collection, name, signal) =>
      json.find(schema, { operation: `read ${what} ${name}`, method: 'GET', path: pathOf(collection, name) }, signal),
    create: (schema, what, collection, body, signal) =>
      json.read(schema, { operation: `create ${what}`, method: 'POST', path: `${collection}/`, json: body }, signal),
    update: (schema, what, collection, name, body, signal) =>
      json.read(
        schema,
        {
          operation: `change ${what} ${name}`,
          method: 'PUT',
          path: pathOf(collection, name),
          json: body,
        } satisfies HttpRequest,
        signal,
      ),
    delete: (what, collection, name, signal) =>
      json.remove({ operation: `delete ${what} ${name}`, path: pathOf(collection, name) }, signal),
  };
}

/** The interface has no codes of its own beside the status: what it says in words is told apart here. */
function apiError(error: CausewayError): CausewayError {
  const { status, msg } = error.details;
  // A refusal for lack of rights may speak of insufficient privileges: that is no quota.
  if (typeof status !== 'number' || typeof msg !== 'string' || status >= 500 || [401, 403, 404].includes(status))
    return error;
  const as = (code: CausewayError['code']): CausewayError =>
    error.code === code ? error : new CausewayError(code, error.message, { details: error.details });
  if (/quota|not enough (?:space|capacity)|insufficient/i.test(msg)) return as('cloud.quota-exceeded');
  if (
    status === 400 &&
    /already exists|in use|is attached|being (?:created|deleted|updated)|has (?:dependent )?snapshots/i.test(msg)
  )
    return as('cloud.conflict');
  return error;
}
