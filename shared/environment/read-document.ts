import { unreadable, type DocumentText } from './document-text.ts';
import { readJson } from './read-json.ts';
import { readLimits } from './read-limits.ts';
import { readYaml } from './read-yaml.ts';
import { decodeText, withoutByteOrderMark } from './text-encoding.ts';

export type DocumentFormat = 'json' | 'yaml';

/**
 * Reads an environment document. Never throws for what the text holds: a text that cannot be read is a document
 * without a value and with one finding.
 */
export function readDocument(content: string | Uint8Array, format?: DocumentFormat): DocumentText {
  if (content.length > readLimits.bytes) return tooLarge(content.length);
  const decoded = typeof content === 'string' ? content : decodeText(content);
  if (typeof decoded !== 'string') return decoded;
  const text = withoutByteOrderMark(decoded);
  return (format ?? guessFormat(text)) === 'json' ? readJson(text) : readYaml(text);
}

/** What stands for a file that is too large to be read; `bytes` is its size, as far as it is known. */
export function tooLarge(bytes: number): DocumentText {
  const megabytes = (bytes / 1024 / 1024).toFixed(1);
  const limit = readLimits.bytes / 1024 / 1024;
  const message = `The file is too large for an environment document: it has at least ${megabytes} MiB, and the limit is ${limit} MiB`;
  return unreadable('document/too-large', message, { line: 1, column: 1 });
}

/** By the file's name; undefined when it says nothing. */
export function formatOfFile(name: string): DocumentFormat | undefined {
  if (/\.json[c5]?$/i.test(name)) return 'json';
  return /\.ya?ml$/i.test(name) ? 'yaml' : undefined;
}

/** A text that begins with a brace, a bracket or a slash is JSON; YAML that begins so is JSON's look-alike anyway. */
function guessFormat(text: string): DocumentFormat {
  return /^\s*[{[/]/.test(text) ? 'json' : 'yaml';
}
