import {
  findOperation,
  readDescriptions,
  type DescribedOperation,
  type Json,
  type ServiceDescription,
} from './described-operations.ts';
import { isWithin } from './microversions.ts';
import { ofOpenStack, RequestBodies } from './request-bodies.ts';
import { undescribedOperations, undescribedQueries } from './undescribed.ts';

/** Names the folder with the services' OpenAPI documents, if the machine has them. They are not part of the project. */
export const apiDescriptionsVariable = 'CAUSEWAY_OPENSTACK_API';

/** A request as it went out. */
export interface SentRequest {
  readonly method: string;
  readonly url: URL;
  /** By name in lower case. */
  readonly headers: Readonly<Record<string, unknown>>;
  /** Undefined when it has none. */
  readonly body: unknown;
}

/** Services whose interfaces have versions of their own, by the name that the header gives them. */
const versioned: Readonly<Record<string, string>> = { compute: 'compute', 'block-storage': 'volume' };

/** Holds requests against the OpenAPI documents of the services: path, method, query, version of the interface, body. */
export class ApiDescriptions {
  /** Operations that were asked for, e.g. `compute GET /v2.1/servers/{id}`. */
  readonly seen = new Set<string>();
  readonly violations: string[] = [];
  readonly #descriptions: readonly ServiceDescription[];
  readonly #bodies: RequestBodies;

  /** @param realIds as of `RequestBodies` */
  constructor(folder: string, { realIds = false }: { readonly realIds?: boolean } = {}) {
    this.#descriptions = readDescriptions(folder);
    this.#bodies = new RequestBodies(realIds);
  }

  /** Those of the environment's folder; undefined when it names none. */
  static ofEnvironment(options: { readonly realIds?: boolean } = {}): ApiDescriptions | undefined {
    const folder = process.env[apiDescriptionsVariable];
    return folder === undefined || folder === '' ? undefined : new ApiDescriptions(folder, options);
  }

  check(request: SentRequest): void {
    const found = findOperation(this.#descriptions, request.method, request.url.pathname);
    this.seen.add(found.name);
    for (const problem of 'operation' in found ? this.#problems(found, request) : undescribed(found.name, request))
      this.#report(found.name, problem);
  }

  #problems(found: DescribedOperation, { url, headers, body }: SentRequest): readonly string[] {
    const { version, problem } = versionOf(found.description, headers);
    const known = queryNames(found, version);
    return [
      ...(problem === undefined ? [] : [problem]),
      ...(version === undefined ||
      isWithin(version, ofOpenStack(found.operation)['min-ver'], ofOpenStack(found.operation)['max-ver'])
        ? []
        : [`is not in version ${version}`]),
      ...[...url.searchParams.keys()]
        .filter((name) => !known.includes(name))
        .map((name) => `query parameter ${name} is not part of the operation`),
      ...this.#bodies.check(found, body, version),
    ];
  }

  #report(name: string, problem: string): void {
    const violation = `${name}: ${problem}`;
    if (!this.violations.includes(violation)) this.violations.push(violation);
  }
}

function versionOf(
  { service, newest }: ServiceDescription,
  headers: SentRequest['headers'],
): { readonly version?: string; readonly problem?: string } {
  const name = versioned[service];
  if (name === undefined) return {};
  const header = headers['openstack-api-version'];
  const version = typeof header === 'string' ? new RegExp(`^${name} (\\d+\\.\\d+)$`).exec(header)?.[1] : undefined;
  if (version === undefined)
    return {
      problem: `says ${typeof header === 'string' ? `"${header}"` : 'nothing'} about the version of the interface`,
    };
  return isWithin(version, undefined, newest)
    ? { version }
    : { version, problem: `version ${version} is newer than the document, ${newest}` };
}

function queryNames({ name, parameters }: DescribedOperation, version: string | undefined): readonly string[] {
  const isThere = (parameter: Json): boolean =>
    version === undefined || isWithin(version, ofOpenStack(parameter)['min-ver'], ofOpenStack(parameter)['max-ver']);
  return [
    ...parameters
      .filter((parameter) => parameter['in'] === 'query' && isThere(parameter))
      .map((parameter) => String(parameter['name'])),
    ...(undescribedQueries[name] ?? []),
  ];
}

function undescribed(name: string, { url, body }: SentRequest): readonly string[] {
  const known = undescribedOperations.find(({ request }) => request.test(name));
  if (known === undefined) return ['is in no document'];
  const strange = [...url.searchParams.keys()]
    .filter((key) => !known.query.includes(key))
    .map((key) => `query parameter ${key} is not known`);
  return body === undefined ? strange : [...strange, 'has a body'];
}
