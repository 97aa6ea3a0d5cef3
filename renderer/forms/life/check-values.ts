import { afterBootChecksSchema, type AfterBootCheck } from '../../../shared/model/after-boot-check.ts';

/** A check as a form holds it: texts as they are typed. */
export type CheckValues = Readonly<Record<CheckField | 'kind' | 'onFailure', string>>;

export const checkFields = ['port', 'scheme', 'host', 'path', 'status', 'text', 'username', 'secret', 'hostKey', 'command', 'exitStatus', 'timeoutSeconds', 'name'] as const;
export type CheckField = (typeof checkFields)[number];

/** What each kind asks for. */
export const fieldsOfKind: Readonly<Record<AfterBootCheck['kind'], readonly CheckField[]>> = {
  'port': ['port'],
  'http': ['scheme', 'host', 'port', 'path', 'status', 'text'],
  'login-prompt': [],
  'ssh': ['username', 'secret', 'hostKey', 'port', 'command', 'exitStatus', 'text'],
};
export const commonFields: readonly CheckField[] = ['timeoutSeconds', 'name'];
const numbers: ReadonlySet<CheckField> = new Set(['port', 'status', 'exitStatus', 'timeoutSeconds']);

export function valuesOfCheck(check: AfterBootCheck): CheckValues {
  const given = check as Readonly<Record<string, unknown>>;
  const texts = Object.fromEntries(checkFields.map((field) => [field, given[field] === undefined ? '' : String(given[field])])) as Record<CheckField, string>;
  return { ...texts, kind: check.kind, onFailure: check.onFailure ?? 'fail' };
}

export type ReadChecks = { readonly checks: readonly AfterBootCheck[] } | { /** By place and field: `0.port`. */ readonly problems: ReadonlyMap<string, string> };

/** The checks that a form's values mean, by the schema that the engine has for them. */
export function readChecks(values: readonly CheckValues[]): ReadChecks {
  const written = values.map((value) => {
    const fields = [...(fieldsOfKind[value.kind as AfterBootCheck['kind']]), ...commonFields].filter((field) => value[field].trim() !== '');
    return {
      kind: value.kind, ...(value.onFailure === 'warn' ? { onFailure: 'warn' } : {}),
      ...Object.fromEntries(fields.map((field) => [field, numbers.has(field) ? Number(value[field]) : value[field].trim()])),
    };
  });
  const parsed = afterBootChecksSchema.safeParse(written);
  return parsed.success ? { checks: parsed.data } : { problems: new Map(parsed.error.issues.map(({ path, message }) => [path.join('.'), message])) };
}
