import { Ajv, type ValidateFunction } from 'ajv';
import { isJsonObject } from '../../../../../../shared/model/json.ts';
import { resolve, type DescribedOperation, type Json } from './described-operations.ts';
import { isWithin } from './microversions.ts';
import { amendments } from './undescribed.ts';

const uuid = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;

/** Holds bodies against the schemas of their operations. */
export class RequestBodies {
  readonly #ajv: Ajv;
  readonly #compiled = new Map<Json, ValidateFunction>();

  /** @param realIds whether ids have the form that the services give them; those of a made-up cloud have not */
  constructor(realIds: boolean) {
    this.#ajv = new Ajv({
      strict: false,
      allErrors: true,
      validateSchema: false,
      unicodeRegExp: false,
      validateFormats: realIds,
      logger: false,
    });
    if (realIds) this.#ajv.addFormat('uuid', uuid);
  }

  /** What is wrong with a body, in a sentence each. @param version of the interface, where the service has such */
  check(
    { description, name, operation }: DescribedOperation,
    body: unknown,
    version: string | undefined,
  ): readonly string[] {
    const content = isJsonObject(operation['requestBody']) ? operation['requestBody']['content'] : undefined;
    const json = isJsonObject(content) ? content['application/json'] : undefined;
    const schema = isJsonObject(json) && isJsonObject(json['schema']) ? json['schema'] : undefined;
    if (schema === undefined) return body === undefined ? [] : ['has a body, the operation takes none'];
    if (body === undefined) return ['lacks its body'];
    const variants = variantsOf(description.document, schema, body, version);
    if (variants.length === 0)
      return [
        `no schema of the operation is for ${isJsonObject(body) ? Object.keys(body).join(', ') : 'such a body'}${version === undefined ? '' : ` in version ${version}`}`,
      ];
    const failures = variants.map((variant) => this.#failures(name, variant, body));
    return failures.some((each) => each.length === 0) ? [] : (failures[0] ?? []);
  }

  #failures(name: string, schema: Json, body: unknown): readonly string[] {
    let validate = this.#compiled.get(schema);
    if (validate === undefined) {
      validate = this.#ajv.compile(closed(amendments[name] ?? {}, schema, '') as Json);
      this.#compiled.set(schema, validate);
    }
    if (validate(body)) return [];
    return (validate.errors ?? []).map(({ instancePath, message, params }) => {
      const which = typeof params['additionalProperty'] === 'string' ? ` (${params['additionalProperty']})` : '';
      return `body${instancePath}: ${message ?? 'does not conform'}${which}`;
    });
  }
}

/** Schemas of several actions or versions stand beside each other: those for this body's action and this version. */
function variantsOf(document: Json, given: Json, body: unknown, version: string | undefined): readonly Json[] {
  const schema = resolve(document, given);
  const { discriminator } = ofOpenStack(schema);
  const choices =
    Array.isArray(schema['oneOf']) && discriminator !== undefined ? schema['oneOf'].filter(isJsonObject) : undefined;
  if (choices === undefined) return [schema];
  return choices.flatMap((choice) => {
    const { 'min-ver': from, 'max-ver': to, 'action-name': action } = ofOpenStack(resolve(document, choice));
    const isMeant =
      discriminator === 'action'
        ? isJsonObject(body) && action !== undefined && Object.hasOwn(body, action)
        : version === undefined || isWithin(version, from, to);
    return isMeant ? variantsOf(document, choice, body, version) : [];
  });
}

/** What the documents say of a schema, an operation or a parameter beyond OpenAPI's own words. */
export function ofOpenStack(value: Json): Readonly<Record<string, string | undefined>> {
  return isJsonObject(value['x-openstack']) ? (value['x-openstack'] as Record<string, string>) : {};
}

/**
 * The schema for requests: a client has no business with names that the document does not have, even where it leaves an
 * object open. Patterns that this language can't read go.
 */
function closed(changes: Readonly<Record<string, Json>>, value: unknown, at: string): unknown {
  const changed = changes[at];
  if (changed !== undefined) return changed;
  if (Array.isArray(value)) return value.map((each) => closed(changes, each, at));
  if (!isJsonObject(value)) return value;
  const open =
    isJsonObject(value['properties']) &&
    value['additionalProperties'] === undefined &&
    value['patternProperties'] === undefined;
  const entries = Object.entries(value)
    .filter(([key, inner]) => key !== 'pattern' || (typeof inner === 'string' && isReadable(inner)))
    .map(([key, inner]): [string, unknown] => [
      key,
      key === 'properties' && isJsonObject(inner)
        ? Object.fromEntries(
            Object.entries(inner).map(([name, property]) => [name, closed(changes, property, `${at}/${name}`)]),
          )
        : key === 'enum' || key === 'required'
          ? inner
          : closed(changes, inner, at),
    ]);
  return { ...Object.fromEntries(entries), ...(open ? { additionalProperties: false } : {}) };
}

function isReadable(pattern: string): boolean {
  try {
    return new RegExp(pattern).source !== '';
  } catch {
    return false;
  }
}
