import type { IncomingHttpHeaders } from 'node:http';
import type { Fault } from './faults.ts';

/** A request as it came in, before anything of it was understood. */
export interface KitRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: IncomingHttpHeaders;
  readonly raw: Buffer;
}

/** Which operation a request asks for. */
export interface Route {
  /** The operation's id in the vendor's description. */
  readonly operation: string;
  /** As in the vendor's description, e.g. `/v2/projects/{projectId}/...`. */
  readonly pathTemplate: string;
  readonly params: Readonly<Record<string, string>>;
}

/** One request, as an operation sees it. */
export interface Call<World> {
  readonly world: World;
  readonly operation: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  /** What the protocol decoded of the body; empty when there is none. */
  readonly body: Readonly<Record<string, unknown>>;
  /** The body's bytes, for operations that take data. */
  readonly raw: Buffer;
  readonly requestId: string;
  readonly fault: Fault | undefined;
}

/** A buffer or string is sent as it is, `undefined` as no body, anything else in the protocol's encoding. */
export interface Reply {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string | string[]>>;
}

export type Operation<World> = (call: Call<World>) => Reply | Promise<Reply>;

export const ok = (body: unknown): Reply => ({ status: 200, body });
export const created = (body: unknown): Reply => ({ status: 201, body });
export const accepted = (body?: unknown): Reply => ({ status: 202, body });
export const noContent = (): Reply => ({ status: 204 });

/** An answer other than success. The protocol gives it the vendor's form. */
export class ApiError extends Error {
  readonly status: number;
  /** The vendor's own code, e.g. `InvalidVolume.NotFound`; undefined where its errors have none. */
  readonly code: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  /** What the vendor's body of the error has besides, e.g. a reason. */
  readonly members: Readonly<Record<string, unknown>>;

  constructor(
    status: number,
    message: string,
    more: {
      readonly code?: string;
      readonly headers?: Readonly<Record<string, string>>;
      readonly members?: Readonly<Record<string, unknown>>;
    } = {},
  ) {
    super(message);
    this.status = status;
    this.code = more.code;
    this.members = more.members ?? {};
    this.headers = more.headers ?? {};
  }
}

export const badRequest = (message: string, code?: string): ApiError =>
  new ApiError(400, message, code === undefined ? {} : { code });
export const notFound = (what: string, code?: string): ApiError =>
  new ApiError(404, `${what} not found`, code === undefined ? {} : { code });
export const conflict = (message: string, code?: string): ApiError =>
  new ApiError(409, message, code === undefined ? {} : { code });

/** Readers of a body's members. `invalid` makes the vendor's error for a member that is not as it has to be. */
export function fieldReader(invalid: (field: string, problem: string) => Error) {
  const stringField = (body: Readonly<Record<string, unknown>>, field: string): string => {
    const value = body[field];
    if (typeof value !== 'string') throw invalid(field, 'value must be a string');
    return value;
  };
  return {
    stringField,
    optionalString: (body: Readonly<Record<string, unknown>>, field: string): string | undefined =>
      body[field] === undefined ? undefined : stringField(body, field),
    objectField: (value: unknown, field: string): Readonly<Record<string, unknown>> => {
      if (typeof value !== 'object' || value === null || Array.isArray(value))
        throw invalid(field, 'value must be an object');
      return value as Readonly<Record<string, unknown>>;
    },
    stringList: (value: unknown, field: string): readonly string[] => {
      if (!Array.isArray(value) || !value.every((item) => typeof item === 'string'))
        throw invalid(field, 'value must be an array of strings');
      return value;
    },
  };
}
