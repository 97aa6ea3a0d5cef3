import { z } from 'zod';
import { CausewayError, type ErrorRecord } from '../../../shared/model/causeway-error.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../shared/model/json.ts';
import { fieldsOf } from '../../../shared/plugins/schema-fields.ts';
import type { SealedVault } from '../ports/secret-vault.ts';

const referenceSchema = z.strictObject({ $secret: z.string().min(1) });

/** The name in `{"$secret": "name"}`; undefined for anything else. */
export function referencedSecret(value: JsonValue): string | undefined {
  const parsed = referenceSchema.safeParse(value);
  return parsed.success ? parsed.data.$secret : undefined;
}

/** Names of all secrets that a value refers to. */
export function referencedSecrets(value: JsonValue): string[] {
  const name = referencedSecret(value);
  if (name !== undefined) return [name];
  if (Array.isArray(value)) return value.flatMap((element: JsonValue) => referencedSecrets(element));
  if (isJsonObject(value)) return Object.values(value).flatMap(referencedSecrets);
  return [];
}

/**
 * The value with each reference replaced by its secret. `seen` receives every secret, so that it can be kept out of
 * messages.
 */
export async function resolveSecrets<T extends JsonValue>(
  value: T,
  secretOf: (name: string) => Promise<string>,
  seen: (name: string, secret: string) => void,
): Promise<T> {
  const resolve = async (node: JsonValue): Promise<JsonValue> => {
    const name = referencedSecret(node);
    if (name !== undefined) {
      const secret = await secretOf(name);
      seen(name, secret);
      return secret;
    }
    if (Array.isArray(node)) return Promise.all(node.map((element: JsonValue) => resolve(element)));
    if (!isJsonObject(node)) return node;
    return Object.fromEntries(
      await Promise.all(Object.entries(node).map(async ([key, child]) => [key, await resolve(child)] as const)),
    );
  };
  return (await resolve(value)) as T;
}

/** A value with references in place of its secrets, and the secrets, not stored yet. */
export interface SeparatedSecrets {
  readonly value: JsonObject;
  readonly secrets: readonly PlainSecret[];
}

export interface PlainSecret {
  /** What the reference in its place says. */
  readonly name: string;
  readonly secret: string;
  /** Where it stood, for people. */
  readonly place: string;
}

/**
 * Extracts the plain-text secrets where the schema says "secret", and leaves references in their
 * places, with names under `prefix`. Stores nothing: a value that is refused must not have replaced a secret in use.
 */
export function separateSecrets(schema: z.ZodObject | undefined, value: JsonObject, prefix: string): SeparatedSecrets {
  const secrets: PlainSecret[] = [];
  let current: JsonValue = value;
  for (const field of schema === undefined ? [] : fieldsOf(schema)) {
    if (field.meta.secret === true) current = separateAt(current, field.path, [prefix], secrets);
  }
  return { value: current as JsonObject, secrets };
}

/**
 * Puts them into the vault.
 * @throws CausewayError `secrets.plain-text` when the vault can't take them
 */
export async function storeSecrets({ secrets }: SeparatedSecrets, vault: Pick<SealedVault, 'set'>): Promise<void> {
  for (const { name, secret, place } of secrets) {
    try {
      await vault.set(name, secret);
    } catch (cause) {
      throw new CausewayError('secrets.plain-text', place, { cause });
    }
  }
}

function separateAt(
  node: JsonValue,
  path: readonly string[],
  trail: readonly string[],
  secrets: PlainSecret[],
): JsonValue {
  const [key, ...rest] = path;
  if (key === undefined) return separateLeaf(node, trail, secrets);
  if (key === '*' && Array.isArray(node)) {
    return node.map((element: JsonValue, index) => separateAt(element, rest, [...trail, String(index)], secrets));
  }
  if (!isJsonObject(node)) return node;
  const keys = key === '*' ? Object.keys(node) : [key];
  let changed = node;
  for (const each of keys) {
    const child = Object.hasOwn(node, each) ? node[each] : undefined;
    if (child !== undefined) changed = { ...changed, [each]: separateAt(child, rest, [...trail, each], secrets) };
  }
  return changed;
}

/** A text, or a mapping of texts (passwords by OS type). */
function separateLeaf(node: JsonValue, trail: readonly string[], secrets: PlainSecret[]): JsonValue {
  if (referencedSecret(node) !== undefined || node === '') return node;
  if (isJsonObject(node))
    return Object.fromEntries(
      Object.entries(node).map(([key, child]) => [key, separateLeaf(child, [...trail, key], secrets)]),
    );
  if (typeof node !== 'string') return node;
  const [prefix, ...path] = trail;
  const name = [prefix, ...path.map((part) => part.replaceAll(/[^A-Za-z0-9._-]/g, '_'))].join('/');
  secrets.push({ name, secret: node, place: path.join('.') });
  return { $secret: name };
}

/** Removes secrets from texts for people: a safety net, as no message should contain one. */
export function redactor() {
  const known = new Map<string, string>();
  const text = (message: string): string => {
    let clean = message;
    for (const [secret, name] of known) clean = clean.replaceAll(secret, `[secret ${name}]`);
    return clean;
  };
  const json = <T extends JsonValue>(value: T): T => {
    const clean = (node: JsonValue): JsonValue => {
      if (typeof node === 'string') return text(node);
      if (Array.isArray(node)) return node.map((element: JsonValue) => clean(element));
      if (isJsonObject(node))
        return Object.fromEntries(Object.entries(node).map(([key, child]) => [text(key), clean(child)]));
      return node;
    };
    return known.size === 0 ? value : (clean(value) as T);
  };
  const error = (record: ErrorRecord): ErrorRecord => ({
    ...record,
    message: text(record.message),
    details: json(record.details),
    ...(record.cause === undefined ? {} : { cause: error(record.cause) }),
  });
  return {
    learn(name: string, secret: string): void {
      // A very short one would turn every message into noise.
      if (secret.length < 6) return;
      known.set(secret, name);
      // As it stands inside JSON texts, and the parts of one that is JSON itself (a service account's key).
      const escaped = JSON.stringify(secret).slice(1, -1);
      if (escaped !== secret) known.set(escaped, name);
    },
    text,
    json,
    error,
  };
}
export type Redactor = ReturnType<typeof redactor>;
