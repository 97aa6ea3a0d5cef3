import { stringify } from 'yaml';
import type { DocumentFormat } from '../../../shared/environment/read-document.ts';
import type { Side } from '../../../shared/model/plugin-id.ts';
import { text } from '../../text/text.ts';
import { keyAt, keysFromAt, keysIn, valueDetail, type DocumentKey } from './document-keys.ts';
import { objectAt, pathAt, placesAt, type Place } from './document-place.ts';

/** One thing that can be written where the cursor stands. */
export interface Suggestion {
  readonly label: string;
  /** What is put in the place of what is written there. */
  readonly insert: string;
  /** A few words beside it. */
  readonly detail?: string;
  /** What it does. */
  readonly help?: string;
  readonly kind: 'key' | 'value';
  /** Needed and not there yet. */
  readonly isFirst?: boolean;
}

export interface Suggestions {
  readonly from: number;
  readonly to: number;
  readonly suggestions: readonly Suggestion[];
}

/** A choice of a resource, e.g. a network of the destination. */
export interface ResourceChoice {
  readonly value: string;
  readonly label: string;
}
export type ResourceChoices = (side: Side, kind: string) => readonly ResourceChoice[];

/** What can be written at the cursor: keys of the plugin, the values that they take, names of resources. */
export function suggestAt(
  document: string,
  format: DocumentFormat,
  offset: number,
  resources: ResourceChoices,
): Suggestions | undefined {
  for (const place of placesAt(document, format, offset)) {
    const suggestions =
      place.kind === 'key'
        ? keySuggestions(place, format, lineIndent(document, place.from), resources)
        : valueSuggestions(place, format, resources);
    if (suggestions.length > 0) return { from: place.from, to: place.to, suggestions };
  }
  return undefined;
}

/** What is known of the key at an offset. */
export function explainAt(document: string, format: DocumentFormat, offset: number): DocumentKey | undefined {
  const at = pathAt(document, format, offset);
  return at === undefined ? undefined : keyAt(at.path, at.root);
}

/** The facts of a key in short lines: whether it is required, its default, unit and an example. */
export function factsOf({ required, meta }: DocumentKey): readonly string[] {
  return [
    required ? text.editor.required : '',
    meta.builtIn === undefined ? '' : text.editor.byDefault(JSON.stringify(meta.builtIn)),
    meta.unit === undefined ? '' : text.editor.unit(meta.unit),
    meta.example === undefined ? '' : text.editor.example(JSON.stringify(meta.example)),
  ].filter((line) => line !== '');
}

function keySuggestions(
  { path, present, root, hasValue }: Place,
  format: DocumentFormat,
  indent: string,
  resources: ResourceChoices,
): readonly Suggestion[] {
  const keys = keysIn(path, root)
    .filter(({ key }) => !present.includes(key))
    .map((key): Suggestion => ({
      label: key.key,
      insert: hasValue ? quoted(key.key, format) : `${quoted(key.key, format)}${openingOf(key, format, indent)}`,
      detail: key.label,
      help: [key.help, ...factsOf(key)].filter((line) => line !== '').join('\n'),
      kind: 'key',
      isFirst: key.required,
    }));
  const from = keysFromAt(path, root);
  const [side] = path;
  if (from === undefined || (side !== 'source' && side !== 'destination')) return keys;
  const names = [
    ...from.choices.map(String),
    ...(from.kind === undefined ? [] : choicesOfKind(side, from.kind, root, resources).map(({ value }) => value)),
  ];
  return [
    ...keys,
    ...names
      .filter((name) => !present.includes(name))
      .map((name): Suggestion => ({
        label: name,
        insert: `${quoted(name, format)}${hasValue ? '' : ': '}`,
        kind: 'key',
      })),
  ];
}

function valueSuggestions(
  { path, root }: Place,
  format: DocumentFormat,
  resources: ResourceChoices,
): readonly Suggestion[] {
  const key = keyAt(path, root);
  if (key === undefined) return [];
  const fixed = key.values.map((value): Suggestion => {
    const detail = valueDetail(path, value);
    return {
      label: String(value),
      insert: typeof value === 'string' ? quoted(value, format) : String(value),
      kind: 'value',
      ...(detail === undefined ? {} : { detail }),
    };
  });
  const { optionsFrom } = key.meta;
  if (optionsFrom === undefined || key.side === undefined || key.holds !== undefined) return fixed;
  return [
    ...fixed,
    ...choicesOfKind(key.side, optionsFrom, root, resources).map(({ value, label }): Suggestion => ({
      label: value,
      insert: quoted(value, format),
      kind: 'value',
      ...(label === value ? {} : { detail: label }),
    })),
  ];
}

/** The VM's own things come from the document where the destination or a project does not know them. */
function choicesOfKind(side: Side, kind: string, root: unknown, resources: ResourceChoices): readonly ResourceChoice[] {
  const known = resources(side, kind);
  if (known.length > 0 || !kind.startsWith('vm.')) return known;
  const [list, member] = {
    'vm.networks': ['nics', 'network'],
    'vm.storage_backends': ['disks', 'storage_backend'],
    'vm.disks': ['disks', 'id'],
  }[kind] ?? ['', ''];
  const items = objectAt(root, ['vm'])[list!];
  if (!Array.isArray(items)) return [];
  const values = items.map((item: unknown) => objectAt(item, [])[member!]).filter((value) => typeof value === 'string');
  return [...new Set(values)].map((value) => ({ value, label: value }));
}

/** What follows a new key: its value's place, or the beginning of its block. */
function openingOf({ holds }: DocumentKey, format: DocumentFormat, indent: string): string {
  if (format === 'json') return `: ${holds === 'object' ? '{}' : holds === 'list' ? '[]' : ''}`;
  return holds === 'object' ? `:\n${indent}  ` : holds === 'list' ? `:\n${indent}  - ` : ': ';
}

/** Where a new line's block begins: list marks count as blanks. */
function lineIndent(document: string, offset: number): string {
  const start = document.lastIndexOf('\n', offset - 1) + 1;
  return ' '.repeat(/^[ -]*/.exec(document.slice(start, offset))?.[0].length ?? 0);
}

function quoted(value: string, format: DocumentFormat): string {
  return format === 'json' ? JSON.stringify(value) : stringify(value, { lineWidth: 0 }).trimEnd();
}
