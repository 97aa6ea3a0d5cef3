import { badRequest } from './api-error.ts';
import type { Fault } from './faults.ts';
import type { Labels } from './records.ts';
import type { World } from './world.ts';

/** One request, as an operation sees it. */
export interface Call {
  readonly world: World;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly body: Readonly<Record<string, unknown>>;
  readonly requestId: string;
  readonly fault: Fault | undefined;
}

export interface Reply {
  readonly status: number;
  readonly body?: unknown;
}

export type Operation = (call: Call) => Reply | Promise<Reply>;

export const ok = (body: unknown): Reply => ({ status: 200, body });
export const created = (body: unknown): Reply => ({ status: 201, body });
export const accepted = (body?: unknown): Reply => ({ status: 202, body });
export const noContent = (): Reply => ({ status: 204 });

/** Linear check of a general name: the vendor's own pattern backtracks without end. */
export function isGeneralName(text: string): boolean {
  return text.length <= 127 && /^[A-Za-z0-9]/.test(text) && /[A-Za-z0-9]$/.test(text) && /^[A-Za-z0-9 /._-]+$/.test(text);
}

export function invalid(field: string, problem: string): Error {
  return badRequest(`request body has an error: doesn't match schema: Error at "/${field}": ${problem}`);
}

export function stringField(call: Call, field: string): string {
  const value = call.body[field];
  if (typeof value !== 'string') throw invalid(field, 'value must be a string');
  return value;
}

export function optionalString(call: Call, field: string): string | undefined {
  return call.body[field] === undefined ? undefined : stringField(call, field);
}

export function nameField(call: Call, fallback?: string): string {
  const name = call.body['name'] === undefined && fallback !== undefined ? fallback : stringField(call, 'name');
  if (!isGeneralName(name)) throw invalid('name', 'string doesn\'t match the regular expression');
  return name;
}

export function objectField(value: unknown, field: string): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalid(field, 'value must be an object');
  return value as Readonly<Record<string, unknown>>;
}

export function stringList(value: unknown, field: string): readonly string[] {
  if (!Array.isArray(value) || !value.every((item) => typeof item === 'string')) {
    throw invalid(field, 'value must be an array of strings');
  }
  return value;
}

const labelKey = /^(?=.{1,63}$)([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;
const labelValue = /^$|^(?=.{1,63}$)[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/;

export function labelsField(call: Call): Labels {
  if (call.body['labels'] === undefined) return {};
  const entries = Object.entries(objectField(call.body['labels'], 'labels'));
  for (const [key, value] of entries) {
    if (!labelKey.test(key) || key.startsWith('stackit-')) throw invalid(`labels/${key}`, 'label key is not valid');
    if (typeof value !== 'string' || !labelValue.test(value)) throw invalid(`labels/${key}`, 'label value is not valid');
  }
  return Object.fromEntries(entries) as Labels;
}

/** Labels after a PATCH: keys are added or replaced, and removed where the value is null. */
export function mergedLabels(call: Call, before: Labels): Labels {
  if (call.body['labels'] === undefined) return before;
  const merged: Record<string, string> = { ...before };
  for (const [key, value] of Object.entries(objectField(call.body['labels'], 'labels'))) {
    if (value === null) delete merged[key];
    else merged[key] = String(value);
  }
  return merged;
}
