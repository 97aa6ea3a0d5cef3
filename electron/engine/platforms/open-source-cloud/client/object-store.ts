import { z } from 'zod';
import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import { isStatus } from '../../../http/http-error.ts';
import type { HttpRequest } from '../../../http/http-request.ts';
import type { ServiceApi } from './service-api.ts';
import { queryOf, segment } from './wire.ts';

const containerSchema = z.looseObject({ name: z.string(), count: z.number(), bytes: z.number() });
const objectSchema = z.looseObject({
  name: z.string().optional(),
  bytes: z.number().optional(),
  hash: z.string().optional(),
  last_modified: z.string().optional(),
});

export type StoredContainer = z.infer<typeof containerSchema>;

export interface StoredObject {
  readonly name: string;
  readonly bytes: number;
  /** MD5 of the content for plain objects. */
  readonly hash: string | undefined;
}

export interface ObjectStore {
  containers(signal: AbortSignal): Promise<readonly StoredContainer[]>;
  /** All objects whose names start with `prefix`, in the order of their names. Empty when there is no such container. */
  objects(container: string, prefix: string, signal: AbortSignal): Promise<readonly StoredObject[]>;
  /** A whole object; undefined when it is not there. */
  read(container: string, name: string, signal: AbortSignal): Promise<Uint8Array | undefined>;
  /**
   * `length` bytes from `offset` on.
   *
   * @throws `cloud.not-found`; `cloud.unexpected-answer` when the object is shorter
   */
  readRange(container: string, name: string, offset: number, length: number, signal: AbortSignal): Promise<Uint8Array>;
}

/** The service's own limit for one page of a listing. */
const pageSize = 10_000;

export function objectStoreOf(api: ServiceApi): ObjectStore {
  const objectPath = (container: string, name: string): string =>
    `/${segment(container)}/${name.split('/').map(segment).join('/')}`;

  /** Listings are bare arrays; the next page starts after the last name. */
  async function pages<S extends z.ZodType<{ name?: string | undefined }>>(
    item: S,
    operation: string,
    path: string,
    query: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<readonly z.infer<S>[]> {
    const all: z.infer<S>[] = [];
    const form = z.array(item).optional();
    let marker: string | undefined;
    do {
      const request: HttpRequest = {
        operation,
        method: 'GET',
        path,
        query: queryOf({ format: 'json', limit: String(pageSize), ...query, marker }),
      };
      const page: z.infer<S>[] = (await api.read(form, request, signal)) ?? [];
      all.push(...page);
      marker = page.length < pageSize ? undefined : page.at(-1)?.name;
    } while (marker !== undefined);
    return all;
  }

  return {
    containers: (signal) => pages(containerSchema, 'list containers', '', {}, signal),
    async objects(container, prefix, signal) {
      try {
        const objects = await pages(
          objectSchema,
          `list objects ${prefix} of container ${container}`,
          `/${segment(container)}`,
          { prefix },
          signal,
        );
        return objects.flatMap(({ name, bytes, hash }) =>
          name === undefined ? [] : [{ name, bytes: bytes ?? 0, hash }],
        );
      } catch (error) {
        if (isStatus(error, 404)) return [];
        throw error;
      }
    },
    async read(container, name, signal) {
      try {
        const { body } = await api.send(
          {
            operation: `read object ${container}/${name}`,
            method: 'GET',
            path: objectPath(container, name),
            bytes: true,
          },
          signal,
        );
        return body as Uint8Array;
      } catch (error) {
        if (isStatus(error, 404)) return undefined;
        throw error;
      }
    },
    async readRange(container, name, offset, length, signal) {
      const operation = `read bytes ${offset} to ${offset + length - 1} of object ${container}/${name}`;
      const headers = { range: `bytes=${offset}-${offset + length - 1}` };
      const { body, status } = await api.send(
        { operation, method: 'GET', path: objectPath(container, name), headers, bytes: true },
        signal,
      );
      const bytes = body as Uint8Array;
      // A server that does not know ranges answers with all.
      const wanted = status === 206 ? bytes : bytes.subarray(offset, offset + length);
      if (wanted.length === length) return wanted;
      throw new CausewayError('cloud.unexpected-answer', `${operation}: received ${wanted.length} bytes`, {
        details: { operation, status, bytes: wanted.length },
      });
    },
  };
}
