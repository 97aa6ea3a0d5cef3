import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';
import { formatOfFile, readDocument, tooLarge } from '../../../shared/environment/read-document.ts';
import { readLimits } from '../../../shared/environment/read-limits.ts';
import { validateDocumentText, type ValidationOptions } from '../../../shared/validation/validate-document.ts';
import { readFailure } from './collect-files.ts';
import type { FileResult } from './file-result.ts';

/** Reads and checks one file. Synchronous: ten thousand small reads are faster without a thread pool in between. */
export function validateFile(file: string, options: ValidationOptions): FileResult {
  try {
    const content = readDocumentFile(file);
    const text = typeof content === 'number' ? tooLarge(content) : readDocument(content, formatOfFile(file));
    return { file, findings: validateDocumentText(text, options) };
  } catch (error) {
    if (error instanceof Error && 'code' in error) return { file, findings: [], failure: readFailure(error) };
    throw error;
  }
}

/** The bytes of a file, or its size when that is over the limit: then nothing of it is read. */
export function readDocumentFile(file: string): Uint8Array | number {
  const descriptor = openSync(file, 'r');
  try {
    const { size } = fstatSync(descriptor);
    return size > readLimits.bytes ? size : readFileSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
