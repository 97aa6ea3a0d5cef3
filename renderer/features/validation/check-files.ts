import { applyFix } from '../../../shared/environment/apply-fix.ts';
import { formatOfFile, type DocumentFormat } from '../../../shared/environment/read-document.ts';
import { readLimits } from '../../../shared/environment/read-limits.ts';
import type { Fix } from '../../../shared/schema/finding.ts';
import { validateText } from '../../../shared/validation/validate-document.ts';
import { saveFile } from '../../components/save-file.ts';
import type { NamedFile } from '../../components/dropped-files.ts';
import { text } from '../../text/text.ts';
import type { CheckedFile } from './checked-file.ts';

/** Reads and checks files. One that can't be read, or is too large to be a document, is told as a finding of that file. */
export async function checkFiles(files: readonly NamedFile[]): Promise<CheckedFile[]> {
  return Promise.all(files.map(checkFile));
}

/** That names and ranges need a catalog is true of every file here: the screen says it once. */
const found: typeof validateText = (...given) =>
  validateText(...given).filter(({ rule }) => rule !== 'general/no-catalog');

async function checkFile({ name, file }: NamedFile): Promise<CheckedFile> {
  try {
    // One byte more than the limit is enough for the check to see that it is too large.
    const bytes = new Uint8Array(await file.slice(0, readLimits.bytes + 1).arrayBuffer());
    const findings = found(bytes, { file: name });
    return { name, findings, ...textOf(bytes, name) };
  } catch {
    const message = text.validation.unreadable(name);
    return {
      name,
      findings: [{ severity: 'error', path: '', rule: 'document/unreadable', message, isTranslated: true }],
    };
  }
}

/** The text as it can be mended; a file in another encoding than UTF-8 is only checked. */
function textOf(bytes: Uint8Array, name: string): { text?: string; saved?: string; format?: DocumentFormat } {
  try {
    const content = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return { text: content, saved: content, format: formatOfFile(name) ?? 'yaml' };
  } catch {
    return {};
  }
}

/** Carries suggestions out, one after another, and checks the file again. Those that no longer fit are left out. */
export function mendFile(
  file: CheckedFile,
  fixes: readonly { readonly path: string; readonly fix?: Fix }[],
): CheckedFile {
  const { text: before, format } = file;
  if (before === undefined || format === undefined) return file;
  let after = before;
  for (const { path, fix } of fixes)
    after = (fix === undefined ? undefined : applyFix(after, format, path, fix)) ?? after;
  return after === before ? file : editFile(file, after);
}

/** The file with another text, checked. */
export function editFile(file: CheckedFile, content: string): CheckedFile {
  return {
    ...file,
    text: content,
    isChanged: content !== file.saved,
    findings: found(content, { file: file.name, ...(file.format === undefined ? {} : { format: file.format }) }),
  };
}

/** Hands files over as they are now; where they go the browser or the desktop asks. */
export function saveFiles(files: readonly CheckedFile[]): void {
  for (const { name, text } of files) saveFile(name.split('/').at(-1) ?? name, text ?? '');
}

/** The file after it was saved as it is. */
export function savedFile(file: CheckedFile): CheckedFile {
  return { ...file, isChanged: false, ...(file.text === undefined ? {} : { saved: file.text }) };
}
