import { readFileSync } from 'node:fs';
import { formatOfFile, readDocument } from '../../../shared/environment/read-document.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../shared/model/json.ts';
import { UsageError } from '../command-context.ts';

/** A YAML or JSON file that holds an object, read with the same care as an environment document. */
export function readObject(file: string): JsonObject {
  let content: Uint8Array;
  try {
    content = readFileSync(file);
  } catch (error) {
    throw new UsageError(`${file}: ${(error as NodeJS.ErrnoException).code ?? 'can not be read'}`);
  }
  const { value, findings } = readDocument(content, formatOfFile(file));
  const fault = findings.find((finding) => finding.severity === 'error');
  if (fault !== undefined) throw new UsageError(`${file}:${fault.location?.line ?? 1}: ${fault.message}`);
  if (!isJsonObject(value)) throw new UsageError(`${file}: it holds no object`);
  return value;
}

/** The environments of both sides of an environment document. */
export function readEnvironments(file: string): { readonly source: JsonObject; readonly destination: JsonObject } {
  const document = readObject(file);
  return { source: environmentOf(document['source']), destination: environmentOf(document['destination']) };
}

function environmentOf(side: JsonValue | undefined): JsonObject {
  const environment = isJsonObject(side) ? side['environment'] : undefined;
  return isJsonObject(environment) ? environment : {};
}
