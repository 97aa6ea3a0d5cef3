import { formatOfFile, readDocument, type DocumentFormat } from '../environment/read-document.ts';
import type { DocumentText } from '../environment/document-text.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../model/json.ts';
import { findSynonym } from '../plugins/key-synonyms.ts';
import { plugins as allPlugins } from '../plugins/registry.ts';
import type { Catalog } from '../model/catalog.ts';
import { checkShape, type UnknownKey } from '../schema/check-shape.ts';
import { checkSide, type Connections, type SideContext } from './check-side.ts';
import { adviseByShape, checkVm } from './check-vm.ts';
import { documentSchema } from './document-shape.ts';
import { inDocumentOrder } from './finding-order.ts';
import { asSentence, type Finding } from '../schema/finding.ts';
import { fromPointer, toPointer } from '../schema/json-pointer.ts';
import { plainValue } from './plain-value.ts';
import type { Plugins } from './unknown-key.ts';

export interface ValidationOptions {
  /** Typed values by section, from `readProviderConfiguration`. */
  readonly providerConfiguration?: ReadonlyMap<string, JsonObject>;
  readonly catalog?: Catalog;
  readonly connections?: Connections;
  /** Whether findings say where in the text they stand (the default); finding that out takes a second reading. */
  readonly locations?: boolean;
  /** Default: all plugins. */
  readonly plugins?: Plugins;
}

export interface TextOptions extends ValidationOptions {
  /** Name of the file: its ending tells JSON from YAML. */
  readonly file?: string;
  readonly format?: DocumentFormat;
}

/** Checks an environment document that is a value already. All findings in one run, in a stable order; never throws. */
export function validateDocument(document: unknown, options: ValidationOptions = {}): Finding[] {
  const { value, findings } = plainValue(document);
  const all = value === undefined ? findings : [...findings, ...checkDocument(value, options)];
  return finished(all, document);
}

/** Checks an environment document that is a text or a file's bytes; each finding also says where in the text it stands. */
export function validateText(content: string | Uint8Array, options: TextOptions = {}): Finding[] {
  const format = options.format ?? (options.file === undefined ? undefined : formatOfFile(options.file));
  return validateDocumentText(readDocument(content, format), options);
}

export function validateDocumentText(text: DocumentText, options: ValidationOptions = {}): Finding[] {
  const { value, findings, locate } = text;
  const all = value === undefined ? findings : [...findings, ...checkDocument(value, options)];
  const sorted = finished(all, value);
  if (options.locations === false) return sorted;
  return sorted.map((finding) => {
    // What concerns the whole document has no place of its own.
    const location = finding.location ?? (finding.path === '' ? undefined : locate(fromPointer(finding.path)));
    return location === undefined ? finding : { ...finding, location };
  });
}

function finished(findings: readonly Finding[], document: unknown): Finding[] {
  return inDocumentOrder(
    findings.map((finding) => ({ ...finding, message: asSentence(finding.message) })),
    document,
  );
}

function* checkDocument(document: JsonValue, options: ValidationOptions): Iterable<Finding> {
  const shapeOptions = {
    unknownKey: (unknown: UnknownKey) => adviseByShape(unknown, 'document'),
    name: 'The document',
  };
  for (const { path, rule, ...fault } of checkShape(documentSchema, document, shapeOptions)) {
    yield { ...fault, path: toPointer(path), rule: `document/${rule}` };
  }
  if (!isJsonObject(document)) return;
  const hasSide = Object.hasOwn(document, 'source') || Object.hasOwn(document, 'destination');
  if (!hasSide) {
    const message = 'The document has neither a source nor a destination';
    yield {
      severity: 'error',
      path: '',
      rule: 'document/no-side',
      message,
      suggestion: 'Add "source", "destination" or both.',
    };
  }
  const { vm, faults } = Object.hasOwn(document, 'vm') ? checkVm(document['vm']) : { vm: undefined, faults: [] };
  for (const { path, rule, ...fault } of faults)
    yield { ...fault, path: toPointer(['vm', ...path]), rule: `vm/${rule}` };
  const context: SideContext = {
    vm,
    catalog: options.catalog,
    providerConfiguration: options.providerConfiguration ?? new Map(),
    connections: options.connections ?? {},
    plugins: options.plugins ?? allPlugins,
    findSynonym,
  };
  for (const side of ['source', 'destination'] as const) {
    const value = Object.hasOwn(document, side) ? document[side] : undefined;
    if (value !== undefined) yield* checkSide(side, value, context);
  }
  yield* catalogNotice(document, options.catalog);
}

/** Says once that nothing was compared with what the destination has. */
function* catalogNotice(document: JsonObject, catalog: Catalog | undefined): Iterable<Finding> {
  const { destination } = document;
  const plugin = isJsonObject(destination) ? destination['plugin'] : undefined;
  if (typeof plugin !== 'string') return;
  if (catalog === undefined) {
    const message = 'Names and ranges were not checked against the destination: no catalog was given';
    const suggestion =
      'Capture a catalog with "causeway catalog" while the destination is reachable, and pass it with --catalog.';
    yield { severity: 'info', path: '', rule: 'general/no-catalog', message, suggestion };
  } else if (catalog.plugin !== undefined && catalog.plugin !== plugin) {
    const message = `The catalog was captured from ${catalog.plugin}, not from ${plugin}, and is ignored`;
    yield { severity: 'info', path: '', rule: 'general/other-catalog', message };
  }
}
