import { formatOfFile, readDocument } from '../../../shared/environment/read-document.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../shared/model/json.ts';
import { UsageError } from '../command-context.ts';
import { readInputFile } from './read-input-file.ts';

/** A YAML or JSON file that holds an object, read with the same care as an environment document. */
export function readObject(file: string): JsonObject {
  const { value, findings } = readDocument(readInputFile(file), formatOfFile(file));
  const fault = findings.find((finding) => finding.severity === 'error');
  if (fault !== undefined) throw new UsageError(`${file}:${fault.location?.line ?? 1}: ${fault.message}`);
  if (!isJsonObject(value)) throw new UsageError(`${file}: it must contain an object`);
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
