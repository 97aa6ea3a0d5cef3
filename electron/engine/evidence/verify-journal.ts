import { createHash } from 'node:crypto';
import { z } from 'zod';
import {
  evidenceEntrySchema,
  noDigest,
  type EvidenceEntry,
  type EvidenceHead,
  type EvidenceStatus,
} from '../../../shared/model/evidence.ts';

const lineBreak = 0x0a;
/** More would only repeat the first ones. */
const mostProblems = 20;

export interface VerifiedJournal extends EvidenceStatus {
  /** Those up to the first one that can't be read. */
  readonly entries: readonly EvidenceEntry[];
  /** SHA-256 of each line, in their order. */
  readonly digests: readonly string[];
  /** Bytes of the lines that the head confirms, or that were complete when a write was interrupted. */
  readonly bytes: number;
}

/**
 * Checks a journal: each line is in canonical form, numbered, and names the digest of the line before; the last one is the one that
 * the head names. Everything in it is untrusted.
 * @param head undefined where only the chain can be checked: lines that are missing at the end are then not noticed
 */
export function verifyJournal(journal: Uint8Array, head: EvidenceHead | undefined): VerifiedJournal {
  const problems: string[] = [];
  const tell = (problem: string): void => void (problems.length < mostProblems && problems.push(problem));
  const entries: EvidenceEntry[] = [];
  const digests: string[] = [];
  let previous = noDigest;
  let position = 0;
  let isReadable = true;
  for (let end = journal.indexOf(lineBreak); end >= 0; end = journal.indexOf(lineBreak, position)) {
    const line = journal.subarray(position, end);
    const number = digests.length + 1;
    const entry = readLine(line);
    if (typeof entry === 'string') {
      tell(`line ${number} ${entry}`);
      isReadable = false;
    } else {
      if (entry.n !== number) tell(`line ${number} has the number ${entry.n}`);
      if (entry.prev !== previous)
        tell(`line ${number} does not continue line ${number - 1}: lines were changed, removed or reordered`);
      if (isReadable) entries.push(entry);
    }
    previous = sha256(line);
    digests.push(previous);
    position = end + 1;
  }
  const isTorn = position < journal.length;
  const { pending } = head ?? {};
  const hasPending = head !== undefined && digests.length === head.count + 1 && digests.at(-1) === pending;
  if (head !== undefined && !hasPending) {
    if (digests.length < head.count)
      tell(
        `the journal has ${digests.length} entries, its head confirms ${head.count}: entries are missing at the end`,
      );
    else if (digests.length > head.count)
      tell(`the journal has ${digests.length} entries, its head confirms ${head.count}: entries were added`);
    else if ((digests.at(-1) ?? noDigest) !== head.head) tell('the last line is not the one that the head names');
  }
  if (isTorn && (head === undefined || pending === undefined || hasPending)) tell('the last line has no end');
  return {
    count: digests.length,
    head: digests.at(-1) ?? noDigest,
    problems,
    entries,
    digests,
    bytes: position,
    unfinished: head !== undefined && problems.length === 0 && (hasPending || isTorn || pending !== undefined),
  };
}

/** The entry, or what is wrong with the line. Nothing of the line is repeated. */
function readLine(line: Uint8Array): EvidenceEntry | string {
  let text: string;
  let value: unknown;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(line);
    value = JSON.parse(text);
  } catch {
    return 'is not JSON';
  }
  const parsed = evidenceEntrySchema.safeParse(value);
  if (!parsed.success) return `is not an entry: ${z.prettifyError(parsed.error).split('\n')[0]?.slice(0, 200) ?? ''}`;
  // Without this, the same line could be read as two different entries, e.g. with a key twice.
  if (canonicalJson(parsed.data) !== text) return 'is not in canonical form';
  return parsed.data;
}

/** Keys sorted by code unit, no white space: the same value has one text. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, node: unknown) => {
    if (typeof node === 'string') return node.toWellFormed();
    if (typeof node !== 'object' || node === null || Array.isArray(node)) return node;
    return Object.fromEntries(Object.entries(node).sort(([one], [other]) => (one < other ? -1 : 1)));
  });
}

export function sha256(bytes: Uint8Array | string): string {
  return createHash('sha256').update(bytes).digest('hex');
}
