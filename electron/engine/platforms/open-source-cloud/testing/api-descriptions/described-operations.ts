import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isJsonObject, type JsonObject } from '../../../../../../shared/model/json.ts';

/** An object of a document. */
export type Json = JsonObject;

/** One OpenAPI document of a service, e.g. `compute`. */
export interface ServiceDescription {
  readonly service: string;
  /** The newest version of the interface that it describes. */
  readonly newest: string;
  readonly document: Json;
}

/** What a document says of one method of one path. */
export interface DescribedOperation {
  readonly description: ServiceDescription;
  /** e.g. `compute GET /v2.1/servers/{id}`. */
  readonly name: string;
  readonly template: string;
  readonly operation: Json;
  /** Resolved, those of the path and of the method. */
  readonly parameters: readonly Json[];
}

const isVersion = (part: string): boolean => /^v\d+(\.\d+)?$/.test(part);
const isVariable = (part: string): boolean => part.startsWith('{');

/** All documents of a folder. Their file names begin with the service's name and its version, e.g. `compute_v2.96.json`. */
export function readDescriptions(folder: string): readonly ServiceDescription[] {
  const read = readdirSync(folder)
    .filter((file) => file.endsWith('.json'))
    .flatMap((file) => {
      const document = JSON.parse(readFileSync(join(folder, file), 'utf8')) as Json;
      if (!isJsonObject(document['paths'])) return [];
      const newest = isJsonObject(document['info']) ? String(document['info']['version']) : '';
      return [{ service: file.split('_v')[0] ?? file, newest, document }];
    });
  if (read.length === 0) throw new Error(`${folder} holds no OpenAPI documents`);
  return read;
}

/**
 * The operation that a request is for. What stands before the version in a URL's path is the cloud's own affair; where
 * two paths fit, the one with fewer variables applies.
 *
 * @param path of the URL, without its query
 * @returns the operation's name alone when no document has it
 */
export function findOperation(
  descriptions: readonly ServiceDescription[],
  method: string,
  path: string,
): DescribedOperation | { readonly name: string } {
  const parts = path.split('/').filter((part) => part !== '');
  const from = parts.findIndex(isVersion);
  const asked = from === -1 ? parts : parts.slice(from);
  const fitting = descriptions.flatMap((description) =>
    Object.keys(description.document['paths'] as Json)
      .filter((template) => fits(description, template, asked))
      .map((template) => ({ description, template })),
  );
  const variables = (template: string): number => template.split('/').filter(isVariable).length;
  const [best] = fitting.sort((one, other) => variables(one.template) - variables(other.template));
  if (best === undefined) return { name: `${method} /${asked.join('/')}` };
  const { description, template } = best;
  const name = `${description.service} ${method} ${template}`;
  const item = (description.document['paths'] as Record<string, Json>)[template] ?? {};
  const operation = item[method.toLowerCase()];
  if (!isJsonObject(operation)) return { name };
  const listed = [...listOf(item['parameters']), ...listOf(operation['parameters'])];
  return {
    description,
    name,
    template,
    operation,
    parameters: listed.map((parameter) => resolve(description.document, parameter)),
  };
}

function fits({ service }: ServiceDescription, template: string, asked: readonly string[]): boolean {
  const wanted = template.split('/').filter((part) => part !== '');
  // Names of objects hold slashes.
  const open = service === 'object-store' && wanted.length === 4 && asked.length > 4;
  return (
    (asked.length === wanted.length || open) && wanted.every((part, index) => isVariable(part) || part === asked[index])
  );
}

/** What a `$ref` stands for; anything else is itself. */
export function resolve(document: Json, value: Json): Json {
  const reference = value['$ref'];
  if (typeof reference !== 'string') return value;
  const found = reference
    .slice(2)
    .split('/')
    .reduce<unknown>((at, part) => (isJsonObject(at) ? at[part] : undefined), document);
  if (!isJsonObject(found)) throw new Error(`${reference} is not in the document`);
  return found;
}

function listOf(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}
