import { afterBootChecksSchema, type AfterBootCheck } from '../../../shared/model/after-boot-check.ts';
import { issueLine } from '../../../shared/schema/issue-line.ts';
import { UsageError } from '../command-context.ts';
import { readObject } from './read-files.ts';

/** The checks of a YAML or JSON file: a list under `checks`. @throws UsageError that says what is wrong with them */
export function readChecks(file: string): AfterBootCheck[] {
  const { checks, ...others } = readObject(file);
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw new UsageError(`${file}: unknown key: ${unknown}. The file contains a list named "checks"`);
  const parsed = afterBootChecksSchema.safeParse(checks);
  if (!parsed.success) throw new UsageError(`${file}: ${parsed.error.issues.map((issue) => issueLine(issue, checks, 'the list of checks')).join('; ')}`);
  return parsed.data;
}
