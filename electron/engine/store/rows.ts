import type { SQLOutputValue } from 'node:sqlite';
import type { ErrorRecord } from '../../../shared/model/causeway-error.ts';
import { presentError } from '../../../shared/model/error-record.ts';

export type Row = Record<string, SQLOutputValue>;

/** A column that is never NULL and holds text. */
export function text(row: Row, column: string): string {
  const value = row[column];
  if (typeof value !== 'string') throw new TypeError(`column ${column} does not contain text`);
  return value;
}

export function integer(row: Row, column: string): number {
  const value = row[column];
  if (typeof value !== 'number') throw new TypeError(`column ${column} does not contain a number`);
  return value;
}

/** `{[key]: value}` of a column that may be NULL, to be spread: absent rather than undefined. */
export function optionalText<K extends string>(row: Row, column: string, key: K): { [P in K]?: string } {
  const value = row[column];
  return (typeof value === 'string' ? { [key]: value } : {}) as { [P in K]?: string };
}

export function optionalInteger<K extends string>(row: Row, column: string, key: K): { [P in K]?: number } {
  const value = row[column];
  return (typeof value === 'number' ? { [key]: value } : {}) as { [P in K]?: number };
}

/** A JSON column that we wrote ourselves. */
export function json<T>(row: Row, column: string): T {
  return JSON.parse(text(row, column)) as T;
}

export function optionalJson<T, K extends string>(row: Row, column: string, key: K): { [P in K]?: T } {
  const value = row[column];
  return (typeof value === 'string' ? { [key]: JSON.parse(value) } : {}) as { [P in K]?: T };
}

/** The error of a row that has one, with the present codes: an earlier version may have recorded it. */
export function optionalError(row: Row): { error?: ErrorRecord } {
  const { error } = optionalJson<ErrorRecord, 'error'>(row, 'error', 'error');
  return error === undefined ? {} : { error: presentError(error) };
}
