import { Ajv } from 'ajv';
import type { ValidateFunction } from 'ajv';

export type Json = Readonly<Record<string, unknown>>;

export interface SchemaOptions {
  /** Whether values beyond an enumeration's are allowed, as in APIs that may add some at any time. */
  readonly openEnums?: boolean;
  /** Whether a request may carry members that are read-only; they are ignored then. */
  readonly readOnlyInRequests?: boolean;
}

/** The schemas of an OpenAPI or Swagger document, found by JSON Pointer. */
export class Schemas {
  readonly #document: Json;
  readonly #options: SchemaOptions;
  readonly #ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false });
  readonly #compiled = new Map<string, ValidateFunction>();

  constructor(document: Json, options: SchemaOptions = {}) {
    this.#options = options;
    this.#document = toJsonSchema(document, options.openEnums ?? false) as Json;
    this.#ajv.addSchema(this.#document, 'api');
  }

  at(path: readonly string[]): Json | undefined {
    let current: unknown = this.#document;
    for (const part of path) {
      if (typeof current !== 'object' || current === null) return undefined;
      current = (current as Json)[part];
    }
    return current as Json | undefined;
  }

  /** The operation at a path, and what is wrong with it: it is to have the given ID. */
  operation(path: readonly string[], id: string): { readonly found?: Json; readonly problems: string[] } {
    const found = this.at(path);
    if (found === undefined) return { problems: ['is not in the document'] };
    return { found, problems: found['operationId'] === id ? [] : ['has another operation id in the document'] };
  }

  /** Follows a reference within the document. */
  resolve(value: Json | undefined): Json | undefined {
    const reference = value?.['$ref'];
    return typeof reference === 'string' ? this.resolve(this.at(pathOf(reference))) : value;
  }

  /** The path of what is at `path`, its reference followed. */
  follow(path: readonly string[]): readonly string[] {
    const reference = this.at(path)?.['$ref'];
    return typeof reference === 'string' ? this.follow(pathOf(reference)) : path;
  }

  /** What in `body` is not as the schema at `path` has it. */
  problems(path: readonly string[], body: unknown, what: string): string[] {
    const key = `api#/${path.map(encodePointer).join('/')}`;
    let validate = this.#compiled.get(key);
    if (validate === undefined) {
      validate = this.#ajv.compile({ $ref: key });
      this.#compiled.set(key, validate);
    }
    if (validate(body)) return [];
    return (validate.errors ?? []).map(
      (error) => `${what}${error.instancePath}: ${error.message ?? 'does not conform'}`,
    );
  }

  /** Descriptions leave objects open; a client has no business with names that it does not know, or that are read-only. */
  nameProblems(schema: Json | undefined, body: unknown, at: string): string[] {
    const resolved = this.resolve(schema);
    if (Array.isArray(body)) {
      const items = resolved?.['items'] as Json | undefined;
      return body.flatMap((item, index) => this.nameProblems(items, item, `${at}/${index}`));
    }
    if (typeof body !== 'object' || body === null) return [];
    const properties = this.#propertiesOf(resolved);
    // A map, or one of several forms: its names are anybody's.
    if (properties === undefined || Object.keys(properties).length === 0) return [];
    return Object.entries(body).flatMap(([name, value]) => {
      const property = properties[name];
      if (property === undefined) return [`${at}/${name}: is not a property of the document`];
      if (property['readOnly'] === true && this.#options.readOnlyInRequests !== true)
        return [`${at}/${name}: is read-only`];
      return this.nameProblems(property, value, `${at}/${name}`);
    });
  }

  #propertiesOf(schema: Json | undefined): Record<string, Json> | undefined {
    const resolved = this.resolve(schema) ?? {};
    if (resolved['oneOf'] !== undefined || resolved['anyOf'] !== undefined || resolved['discriminator'] !== undefined)
      return undefined;
    if (resolved['additionalProperties'] !== undefined && resolved['additionalProperties'] !== false) return undefined;
    const all: Record<string, Json> = {};
    for (const part of (resolved['allOf'] ?? []) as Json[]) {
      const properties = this.#propertiesOf(part);
      if (properties === undefined) return undefined;
      Object.assign(all, properties);
    }
    return Object.assign(all, resolved['properties'] ?? {});
  }

  /** What is wrong with the names in a query: those that the operation does not know, and those that it needs. */
  queryProblems(parameters: readonly (Json | undefined)[], query: URLSearchParams): string[] {
    const known = parameters.map((one) => this.resolve(one)).filter((one) => one?.['in'] === 'query');
    const names = known.map((one) => String(one?.['name']));
    return [
      ...[...new Set(query.keys())]
        .filter((name) => !names.includes(name))
        .map((name) => `query parameter ${name} is not part of the operation`),
      ...known
        .filter((one) => one?.['required'] === true && !query.has(String(one['name'])))
        .map((one) => `lacks the query parameter ${String(one?.['name'])}`),
    ];
  }
}

const encodePointer = (part: string): string => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'));
const pathOf = (reference: string): string[] =>
  reference
    .slice(2)
    .split('/')
    .map((part) => decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~'));

/** Whether a pattern repeats what already repeats: such ones may backtrack without end on a text that nearly fits. */
export const isRiskyPattern = (pattern: string): boolean => /[+*}]\)*\)[+*]/.test(pattern);

/**
 * Schemas of OpenAPI 3.0 and Swagger 2 as JSON Schema: what may be null says so by its type, enumerations may be open,
 * patterns that could backtrack without end go, and references to documents that nobody has stand for anything.
 */
function toJsonSchema(value: unknown, openEnums: boolean): unknown {
  if (Array.isArray(value)) return value.map((item) => toJsonSchema(item, openEnums));
  if (typeof value !== 'object' || value === null) return value;
  const given = value as Json;
  if (typeof given['$ref'] === 'string' && !given['$ref'].startsWith('#/')) return {};
  const named = given['x-ms-enum'] as Json | undefined;
  const isOpen = openEnums || named?.['modelAsString'] === true || given['x-extensible-enum'] !== undefined;
  const entries = Object.entries(given)
    .filter(([key, inner]) => !(key === 'pattern' && typeof inner === 'string' && isRiskyPattern(inner)))
    .filter(([key, inner]) => !(key === 'enum' && Array.isArray(inner) && isOpen))
    .filter(([key]) => key !== 'example' && key !== 'examples' && key !== 'x-ms-examples')
    .map(([key, inner]): [string, unknown] => [key, toJsonSchema(inner, openEnums)]);
  const schema = Object.fromEntries(entries);
  if (schema['nullable'] !== true && schema['x-nullable'] !== true) return schema;
  const { nullable: _, 'x-nullable': __, ...rest } = schema;
  return typeof rest['type'] === 'string' && rest['enum'] === undefined
    ? { ...rest, type: [rest['type'], 'null'] }
    : { anyOf: [rest, { type: 'null' }] };
}
