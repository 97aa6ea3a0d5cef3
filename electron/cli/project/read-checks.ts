import { closeSync, constants, fstatSync, openSync, readFileSync, realpathSync } from 'node:fs';
import { basename, dirname, isAbsolute, relative, resolve, sep } from 'node:path';
import {
  afterBootChecksSchema,
  longestCheckScript,
  type AfterBootCheck,
} from '../../../shared/model/after-boot-check.ts';
import { isJsonObject, type JsonValue } from '../../../shared/model/json.ts';
import { issueLine } from '../../../shared/schema/issue-line.ts';
import { UsageError } from '../command-context.ts';
import { readFailure } from '../validate/collect-files.ts';
import { readObject } from './read-files.ts';

/**
 * The checks of a YAML or JSON file: a list under `checks`. Scripts that it names by `scriptFile` become a part of the checks: nothing reads these files later.
 * @throws UsageError that says what is wrong with them
 */
export function readChecks(file: string): AfterBootCheck[] {
  const { checks, ...others } = readObject(file);
  const [unknown] = Object.keys(others);
  if (unknown !== undefined)
    throw new UsageError(`${file}: unknown key: ${unknown}. The file contains a list named "checks"`);
  const whole = Array.isArray(checks)
    ? checks.map((check, index) => withScript(check as JsonValue, index, file))
    : checks;
  const parsed = afterBootChecksSchema.safeParse(whole);
  if (!parsed.success)
    throw new UsageError(
      `${file}: ${parsed.error.issues.map((issue) => issueLine(issue, whole, 'the list of checks')).join('; ')}`,
    );
  return parsed.data;
}

function withScript(check: JsonValue, index: number, file: string): JsonValue {
  if (!isJsonObject(check) || check['kind'] !== 'script' || !Object.hasOwn(check, 'scriptFile')) return check;
  const { scriptFile, ...rest } = check;
  const where = `${file}: check ${index + 1}`;
  if (Object.hasOwn(rest, 'script')) throw new UsageError(`${where}: give script or scriptFile, not both`);
  if (typeof scriptFile !== 'string' || scriptFile === '')
    throw new UsageError(`${where}: scriptFile must be the path of a file`);
  const script = readScript(scriptFile, dirname(file), where);
  const name = basename(scriptFile)
    .replaceAll(/\p{Cc}/gu, ' ')
    .slice(0, 100);
  return { ...(name.trim() === '' ? {} : { name }), ...rest, script };
}

/** Only a file in the folder of the file of checks: whoever wrote that file does not get at others of this computer. */
function readScript(name: string, folder: string, where: string): string {
  const isInside = (path: string, base: string): boolean => {
    const way = relative(base, path);
    return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
  };
  const outside = new UsageError(
    `${where}: ${name} is not in the folder of the file of checks. Name it relative to that folder`,
  );
  if (isAbsolute(name) || !isInside(resolve(folder, name), resolve(folder))) throw outside;
  let descriptor: number | undefined;
  try {
    // Links are followed first: one may lead out of the folder.
    const real = realpathSync(resolve(folder, name));
    if (!isInside(real, realpathSync(folder))) throw outside;
    descriptor = openSync(real, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
    const stat = fstatSync(descriptor);
    if (!stat.isFile()) throw new UsageError(`${where}: ${name} is not a file`);
    if (stat.size > 4 * longestCheckScript)
      throw new UsageError(
        `${where}: ${name} has ${stat.size} bytes; a script may have ${longestCheckScript} characters`,
      );
    const text = new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(descriptor));
    if (text.length > longestCheckScript)
      throw new UsageError(`${where}: ${name} has ${text.length} characters; a script may have ${longestCheckScript}`);
    return text;
  } catch (error) {
    if (error instanceof UsageError) throw error;
    if (error instanceof TypeError) throw new UsageError(`${where}: ${name} is not a text in UTF-8`);
    throw new UsageError(`${where}: ${name}: ${readFailure(error)}`);
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}
