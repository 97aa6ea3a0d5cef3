import { closeSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import {
  readProviderConfiguration,
  type ProviderConfiguration,
} from '../../../shared/environment/provider-configuration.ts';
import { formatOfFile, readDocument, tooLarge } from '../../../shared/environment/read-document.ts';
import { readLimits } from '../../../shared/environment/read-limits.ts';
import { plugins } from '../../../shared/plugins/registry.ts';
import type { FileResult } from '../../../shared/reports/file-result.ts';
import { catalogSchema, type Catalog } from '../../../shared/model/catalog.ts';
import { checkShape } from '../../../shared/schema/check-shape.ts';
import { toPointer } from '../../../shared/schema/json-pointer.ts';
import { validateDocumentText, type ValidationOptions } from '../../../shared/validation/validate-document.ts';
import { UsageError } from '../command-context.ts';
import { readFailure } from './collect-files.ts';

export async function readProviderConfigurationFile(file: string): Promise<ProviderConfiguration> {
  return readProviderConfiguration(await readInput(file, 'provider configuration'), Object.values(plugins));
}

/** @throws UsageError when the file is not a catalog: nothing could be compared with it. */
export async function readCatalogFile(file: string): Promise<Catalog> {
  const { value, findings } = readDocument(await readInput(file, 'catalog'), 'json');
  const [unreadable] = findings;
  if (value === undefined || unreadable !== undefined)
    throw new UsageError(`${file}: ${unreadable?.message ?? 'not a catalog'}`);
  const [fault] = checkShape(catalogSchema, value, {
    unknownKey: ({ key }) => ({ message: `${key} is not known` }),
    name: 'The catalog',
  });
  if (fault !== undefined) throw new UsageError(`${file} is not a catalog: ${toPointer(fault.path)}: ${fault.message}`);
  return value as Catalog;
}

async function readInput(file: string, what: string): Promise<Uint8Array> {
  try {
    return await readFile(file);
  } catch (error) {
    throw new UsageError(`The ${what} ${file} cannot be read: ${readFailure(error)}`);
  }
}

/** Reads and checks one file. Synchronous: ten thousand small reads are faster without a thread pool in between. */
export function validateFile(file: string, options: ValidationOptions): FileResult {
  try {
    const content = readDocumentFile(file);
    const text = typeof content === 'number' ? tooLarge(content) : readDocument(content, formatOfFile(file));
    return { file, findings: validateDocumentText(text, options) };
  } catch (error) {
    // Only what the operating system says of the file; anything else is a defect and must be seen.
    if (error instanceof Error && 'syscall' in error) return { file, findings: [], failure: readFailure(error) };
    throw error;
  }
}

/**
 * The bytes of a file, or how many it has at least when that is over the limit. A file of known size over the limit is
 * not read at all; of a pipe or device no more is read than the limit and one byte.
 */
export function readDocumentFile(file: string): Uint8Array | number {
  const descriptor = openSync(file, 'r');
  try {
    const stats = fstatSync(descriptor);
    if (stats.isFile()) return stats.size > readLimits.bytes ? stats.size : readFileSync(descriptor);
    const buffer = new Uint8Array(readLimits.bytes + 1);
    let length = 0;
    let count = -1;
    while (count !== 0 && length < buffer.length) {
      count = readSync(descriptor, buffer, length, buffer.length - length, null);
      length += count;
    }
    return length > readLimits.bytes ? length : buffer.subarray(0, length);
  } finally {
    closeSync(descriptor);
  }
}
