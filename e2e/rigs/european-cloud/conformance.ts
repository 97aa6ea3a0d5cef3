import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import type { ValidateFunction } from 'ajv';
import type { Route } from './routes.ts';

/** Where the vendor's document is, if the machine has it. It is not part of the project. */
export const openApiVariable = 'CAUSEWAY_EUROPEAN_CLOUD_OPENAPI';

type Json = Record<string, unknown>;

/** Checks every request and answer against the vendor's OpenAPI document; without the document it checks nothing. */
export class Conformance {
  readonly violations: string[] = [];
  /** How many bodies were held against the document. */
  checked = 0;
  readonly #document: Json | undefined;
  readonly #ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false });
  readonly #compiled = new Map<string, ValidateFunction>();

  constructor(path: string | undefined = process.env[openApiVariable]) {
    if (path === undefined || path === '') return;
    this.#document = toJsonSchema(JSON.parse(readFileSync(path, 'utf8'))) as Json;
    this.#ajv.addSchema(this.#document, 'api');
  }

  get active(): boolean {
    return this.#document !== undefined;
  }

  checkRequest(route: Route, method: string, query: URLSearchParams, body: Json | undefined): void {
    const operation = this.#operation(route, method);
    if (operation === undefined) return;
    const known = this.#parameters(operation, 'query');
    for (const name of query.keys()) {
      if (!known.includes(name)) this.#report(route, `query parameter ${name} is not part of the operation`);
    }
    const pointer = ['requestBody', 'content', 'application/json', 'schema'];
    const schema = at(operation, pointer);
    if (schema === undefined) {
      if (body !== undefined) this.#report(route, 'has a request body, the operation takes none');
      return;
    }
    if (body === undefined) return this.#report(route, 'lacks its request body');
    this.#check(route, method, pointer, body, 'request');
    this.#checkNames(route, schema as Json, body);
  }

  checkAnswer(route: Route, method: string, status: number, body: unknown): void {
    const operation = this.#operation(route, method);
    if (operation === undefined) return;
    const answer = this.#resolve(at(operation, ['responses', String(status)]));
    if (answer === undefined) {
      if (status < 500) this.#report(route, `answered ${status}, which the operation does not list`);
      return;
    }
    if (at(answer, ['content', 'application/json', 'schema']) === undefined) return;
    this.#check(route, method, ['responses', String(status)], body, `answer ${status}`, ['content', 'application/json', 'schema']);
  }

  #operation(route: Route, method: string): Json | undefined {
    if (this.#document === undefined) return undefined;
    const operation = at(this.#document, ['paths', route.pathTemplate, method.toLowerCase()]);
    if (operation === undefined) this.#report(route, 'is not in the document');
    else if (operation['operationId'] !== route.operation) this.#report(route, 'has another operation id in the document');
    return operation;
  }

  #parameters(operation: Json, where: string): string[] {
    const list = (operation['parameters'] ?? []) as Json[];
    return list.map((one) => this.#resolve(one)).filter((one) => one?.['in'] === where).map((one) => String(one?.['name']));
  }

  #resolve(value: Json | undefined): Json | undefined {
    const reference = value?.['$ref'];
    if (typeof reference !== 'string' || this.#document === undefined) return value;
    return at(this.#document, reference.slice(2).split('/'));
  }

  #check(route: Route, method: string, pointer: readonly string[], body: unknown, what: string, inner: readonly string[] = []): void {
    let path: readonly string[] = ['paths', route.pathTemplate, method.toLowerCase(), ...pointer];
    const reference = this.#document === undefined ? undefined : at(this.#document, path)?.['$ref'];
    if (typeof reference === 'string') path = reference.slice(2).split('/');
    const key = `api#/${[...path, ...inner].map(encodePointer).join('/')}`;
    let validate = this.#compiled.get(key);
    if (validate === undefined) {
      validate = this.#ajv.compile({ $ref: key });
      this.#compiled.set(key, validate);
    }
    this.checked += 1;
    if (validate(body)) return;
    for (const error of validate.errors ?? []) {
      this.#report(route, `${what}${error.instancePath}: ${error.message ?? 'does not conform'}`);
    }
  }

  /** The document leaves objects open; a client has no business with names that it does not know, or that are read-only. */
  #checkNames(route: Route, schema: Json, body: Json): void {
    const properties = this.#propertiesOf(schema);
    if (Object.keys(properties).length === 0) return;
    for (const name of Object.keys(body)) {
      const property = properties[name];
      if (property === undefined) this.#report(route, `request/${name}: is not a property of the document`);
      else if (property['readOnly'] === true) this.#report(route, `request/${name}: is read-only`);
    }
  }

  #propertiesOf(schema: Json): Record<string, Json> {
    const resolved = this.#resolve(schema) ?? {};
    const parts = (resolved['allOf'] ?? []) as Json[];
    return Object.assign({}, ...parts.map((part) => this.#propertiesOf(part)), resolved['properties'] ?? {}) as Record<string, Json>;
  }

  #report(route: Route, problem: string): void {
    this.violations.push(`${route.operation}: ${problem}`);
  }
}

const encodePointer = (part: string): string => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'));

function at(value: Json, path: readonly string[]): Json | undefined {
  let current: unknown = value;
  for (const part of path) {
    if (typeof current !== 'object' || current === null) return undefined;
    current = (current as Json)[part];
  }
  return current as Json | undefined;
}

/**
 * OpenAPI 3.0 schemas as JSON Schema: `nullable` becomes a type, enumerations are open, and the pattern of general
 * names goes, because it backtracks without end.
 */
function toJsonSchema(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toJsonSchema);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value)
    .filter(([key, inner]) => !((key === 'pattern' && typeof inner === 'string' && inner.includes(']+)*')) || (key === 'enum' && Array.isArray(inner))))
    .filter(([key]) => key !== 'example' && key !== 'examples')
    .map(([key, inner]): [string, unknown] => [key, toJsonSchema(inner)]);
  const schema = Object.fromEntries(entries) as Json;
  if (schema['nullable'] !== true) return schema;
  if (typeof schema['type'] === 'string') return { ...schema, type: [schema['type'], 'null'] };
  const { nullable: _, ...rest } = schema;
  return { anyOf: [rest, { type: 'null' }] };
}
