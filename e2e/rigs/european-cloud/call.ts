import * as kit from '../cloud-kit/call.ts';
import { parseLabelSelector } from './label-selector.ts';
import type { Labels } from './records.ts';
import type { World } from './world.ts';

export type Call = kit.Call<World>;
export type Operation = kit.Operation<World>;

/** Linear check of a general name: the vendor's own pattern backtracks without end. */
export function isGeneralName(text: string): boolean {
  return (
    text.length <= 127 && /^[A-Za-z0-9]/.test(text) && /[A-Za-z0-9]$/.test(text) && /^[A-Za-z0-9 /._-]+$/.test(text)
  );
}

export function invalid(field: string, problem: string): Error {
  return kit.badRequest(`request body has an error: doesn't match schema: Error at "/${field}": ${problem}`);
}

const fields = kit.fieldReader(invalid);
export const { objectField, stringList } = fields;
export const stringField = (call: Call, field: string): string => fields.stringField(call.body, field);
export const optionalString = (call: Call, field: string): string | undefined =>
  fields.optionalString(call.body, field);

export function nameField(call: Call, fallback?: string): string {
  const name = call.body['name'] === undefined && fallback !== undefined ? fallback : stringField(call, 'name');
  if (!isGeneralName(name)) throw invalid('name', "string doesn't match the regular expression");
  return name;
}

const labelKey = /^(?=.{1,63}$)([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;
const labelValue = /^$|^(?=.{1,63}$)[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/;

export function labelsField(call: Call): Labels {
  if (call.body['labels'] === undefined) return {};
  const entries = Object.entries(objectField(call.body['labels'], 'labels'));
  for (const [key, value] of entries) {
    if (!labelKey.test(key) || key.startsWith('stackit-')) throw invalid(`labels/${key}`, 'label key is not valid');
    if (typeof value !== 'string' || !labelValue.test(value))
      throw invalid(`labels/${key}`, 'label value is not valid');
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

/** Those that the label selector of the query takes. */
export function selected<T extends { readonly labels: Labels }>(call: Call, items: readonly T[]): T[] {
  const matches = parseLabelSelector(call.query.get('label_selector') ?? '');
  return items.filter(({ labels }) => matches(labels));
}
