import { readLimits } from '../../../shared/environment/read-limits.ts';
import { validateText } from '../../../shared/validation/validate-document.ts';
import { text } from '../../text/en.ts';
import type { CheckedFile } from './checked-file.ts';

/** Reads and checks files. One that can't be read, or is too large to be a document, is told as a finding of that file. */
export async function checkFiles(files: readonly File[]): Promise<CheckedFile[]> {
  return Promise.all(files.map(checkFile));
}

async function checkFile(file: File): Promise<CheckedFile> {
  try {
    // One byte more than the limit is enough for the check to see that it is too large.
    const bytes = new Uint8Array(await file.slice(0, readLimits.bytes + 1).arrayBuffer());
    return { name: file.name, findings: validateText(bytes, { file: file.name }) };
  } catch {
    const message = text.validation.unreadable(file.name);
    return { name: file.name, findings: [{ severity: 'error', path: '', rule: 'document/unreadable', message }] };
  }
}
