import type { FieldErrors, FieldValues } from 'react-hook-form';

/** Problems by path as react-hook-form keeps them: nested by the parts of the path. */
export function formErrors(problems: ReadonlyMap<string, string>): FieldErrors<FieldValues> {
  const errors: Record<string, unknown> = {};
  for (const [path, message] of problems) {
    const parts = path.split('.');
    const last = parts.pop() ?? '';
    let node = errors;
    for (const part of parts) node = (node[part] ??= {}) as Record<string, unknown>;
    node[last] = { type: 'schema', message };
  }
  return errors as FieldErrors<FieldValues>;
}
