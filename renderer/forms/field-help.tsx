import type { ReactNode } from 'react';
import { text } from '../text/text.ts';
import type { FieldDescriptor } from './field-descriptor.ts';

/** What stands below a field: what is wrong, or else what it is for and what counts when it is not set. */
export function fieldHelp({ meta, kind }: FieldDescriptor, problem?: ReactNode): ReactNode {
  if (problem !== undefined) return problem;
  const parts = [meta.help ?? ''];
  if (meta.builtIn !== undefined)
    parts.push(`${text.forms.builtIn(kind === 'choice' ? choiceLabel(shown(meta.builtIn)) : shown(meta.builtIn))}.`);
  if (kind === 'list') parts.push(`${text.forms.onePerLine}.`);
  return parts.filter((part) => part !== '').join(' ');
}

export function fieldLabel({ label, meta }: FieldDescriptor): string {
  return meta.unit === undefined ? label : `${label} (${meta.unit})`;
}

/** What a choice is called; many values are terms that need no other name. */
export function choiceLabel(value: string): string {
  return Object.hasOwn(text.choices, value) ? text.choices[value as keyof typeof text.choices] : value;
}

/** A built-in value in words. */
export function shown(value: unknown): string {
  if (typeof value === 'boolean') return value ? text.forms.yes : text.forms.no;
  return typeof value === 'string' ? value : JSON.stringify(value);
}
