import { afterBootChecksSchema, type AfterBootCheck } from '../../../shared/model/after-boot-check.ts';

/** A check as a form holds it: texts as they are typed. */
export type CheckValues = Readonly<Record<CheckField | 'kind' | 'onFailure', string>>;

export const checkFields = [
  'scheme',
  'host',
  'path',
  'status',
  'via',
  'username',
  'secret',
  'hostKey',
  'certificateSha256',
  'port',
  'command',
  'script',
  'interpreter',
  'service',
  'exitStatus',
  'text',
  'timeoutSeconds',
  'name',
] as const;
export type CheckField = (typeof checkFields)[number];

type Via = Extract<AfterBootCheck, { via: string }>['via'];
const loginFields: Readonly<Record<Via, readonly CheckField[]>> = {
  ssh: ['username', 'secret', 'port', 'hostKey'],
  winrm: ['username', 'secret', 'port', 'certificateSha256'],
};

/** How the form's check signs in to the guest. */
export function viaOf({ via }: Pick<CheckValues, 'via'>): Via {
  return via === 'winrm' ? 'winrm' : 'ssh';
}

/** What each kind asks for. */
export function fieldsOf(value: Pick<CheckValues, 'kind' | 'via'>): readonly CheckField[] {
  const kind = value.kind as AfterBootCheck['kind'];
  const via = viaOf(value);
  switch (kind) {
    case 'port':
      return ['port'];
    case 'http':
      return ['scheme', 'host', 'port', 'path', 'status', 'text'];
    case 'login-prompt':
      return [];
    case 'ssh':
    case 'winrm':
      return [...loginFields[kind], 'command', 'exitStatus', 'text'];
    case 'script':
      return ['via', ...loginFields[via], 'script', ...(via === 'ssh' ? (['interpreter'] as const) : []), 'text'];
    case 'agent':
      return ['via', ...loginFields[via], 'service'];
    default:
      return kind satisfies never;
  }
}
export const commonFields: readonly CheckField[] = ['timeoutSeconds', 'name'];
const numbers: ReadonlySet<CheckField> = new Set(['port', 'status', 'exitStatus', 'timeoutSeconds']);

export function valuesOfCheck(check: AfterBootCheck): CheckValues {
  const given = check as Readonly<Record<string, unknown>>;
  const texts = Object.fromEntries(
    checkFields.map((field) => [field, given[field] === undefined ? '' : String(given[field])]),
  ) as Record<CheckField, string>;
  return { ...texts, kind: check.kind, onFailure: check.onFailure ?? 'fail' };
}

export type ReadChecks =
  | { readonly checks: readonly AfterBootCheck[] }
  | { /** By place and field: `0.port`. */ readonly problems: ReadonlyMap<string, string> };

/** The checks that a form's values mean, by the schema that the engine has for them. */
export function readChecks(values: readonly CheckValues[]): ReadChecks {
  const written = values.map((value) => {
    const fields = [...fieldsOf(value), ...commonFields].filter((field) => value[field].trim() !== '');
    return {
      kind: value.kind,
      ...(value.onFailure === 'warn' ? { onFailure: 'warn' } : {}),
      ...(fieldsOf(value).includes('via') ? { via: viaOf(value) } : {}),
      ...Object.fromEntries(fields.map((field) => [field, meantBy(field, value[field])])),
    };
  });
  const parsed = afterBootChecksSchema.safeParse(written);
  return parsed.success
    ? { checks: parsed.data }
    : { problems: new Map(parsed.error.issues.map(({ path, message }) => [path.join('.'), message])) };
}

function meantBy(field: CheckField, typed: string): string | number {
  if (numbers.has(field)) return Number(typed);
  // Blanks are part of a script.
  return field === 'script' ? typed : typed.trim();
}
