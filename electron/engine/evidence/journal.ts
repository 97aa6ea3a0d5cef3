import {
  closeSync,
  existsSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { CausewayError } from '../../../shared/model/causeway-error.ts';
import {
  evidenceHeadSchema,
  noDigest,
  type EvidenceEntry,
  type EvidenceHead,
  type EvidenceStatus,
} from '../../../shared/model/evidence.ts';
import { removeFileSync } from '../system-files/remove-file.ts';
import { replaceFileSync } from '../system-files/replace-file.ts';
import { canonicalJson, sha256, verifyJournal } from './verify-journal.ts';

export type NewEvidence = Omit<EvidenceEntry, 'v' | 'n' | 'prev' | 'at'>;

/** What an entry may have; one that is larger is a defect of the caller. */
const mostBytes = 1024 * 1024;

/**
 * The evidence of a project: lines that only grow, each with the digest of the one before, and the head in a file of its own. An entry
 * is confirmed when `append` returns; a process that is killed at any moment loses none of those, and what it leaves can be verified.
 */
export interface EvidenceJournal {
  append(entry: NewEvidence): EvidenceEntry;
  /** Everything, oldest first. */
  entries(): readonly EvidenceEntry[];
  status(): EvidenceStatus;
  /** The two files as they are. */
  files(): { readonly journal: Buffer; readonly head: EvidenceHead };
}

export interface JournalOptions {
  /** Test: called before each step of a write, by its name. */
  readonly atStep?: (step: string) => void;
  readonly now?: () => Date;
}

/**
 * Opens the journal in a folder, or begins one. One that does not verify is set aside, so that it stays as it was found, and a new
 * one begins with a line that says so. The project's lock makes this process the only writer.
 */
export function openJournal(folder: string, options: JournalOptions = {}): EvidenceJournal {
  const path = join(folder, 'journal.jsonl');
  const headPath = headFileOf(path);
  const atStep = options.atStep ?? (() => undefined);
  const now = options.now ?? (() => new Date());
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  let replaced: { readonly file: string; readonly problems: readonly string[] } | undefined;
  let state = read(path, headPath);
  if (state.problems.length > 0) {
    replaced = { file: setAside(path, headPath, now()), problems: state.problems };
    state = read(path, headPath);
  }
  let { bytes } = state;
  let head: EvidenceHead = { v: 1, count: state.count, head: state.head };
  const entries: EvidenceEntry[] = [...state.entries];
  if (state.unfinished) {
    cutTo(path, bytes);
    writeHead(headPath, head);
  }

  function append(given: NewEvidence): EvidenceEntry {
    const { replica, ...rest } = given;
    const entry: EvidenceEntry = JSON.parse(
      canonicalJson({
        v: 1,
        n: head.count + 1,
        at: now().toISOString(),
        prev: head.head,
        ...rest,
        ...(replica === undefined ? {} : { replica }),
      }),
    ) as EvidenceEntry;
    const line = canonicalJson(entry);
    const text = Buffer.from(`${line}\n`);
    if (text.length > mostBytes) throw new CausewayError('general.bug', `an entry of ${text.length} bytes`);
    const digest = sha256(line);
    atStep('announce');
    writeHead(headPath, { ...head, pending: digest }, atStep);
    atStep('write');
    try {
      writeLine(path, text, bytes, atStep);
    } catch (error) {
      // A full disk leaves a part of the line: it was announced, and goes with the next opening if it cannot go now.
      try {
        cutTo(path, bytes);
      } catch {
        // The same disk.
      }
      throw error;
    }
    atStep('confirm');
    const next: EvidenceHead = { v: 1, count: head.count + 1, head: digest };
    writeHead(headPath, next, atStep);
    head = next;
    bytes += text.length;
    entries.push(entry);
    return entry;
  }

  if (head.count === 0)
    append({
      kind: 'journal-started',
      by: 'causeway',
      data: replaced === undefined ? {} : { replaces: replaced.file, problems: [...replaced.problems] },
    });
  return {
    append,
    entries: () => entries,
    status: () => ({
      count: head.count,
      head: head.head,
      problems:
        replaced === undefined ? [] : [`an earlier journal did not verify and was set aside as ${replaced.file}`],
      unfinished: false,
    }),
    files: () => ({ journal: existsSync(path) ? readFileSync(path).subarray(0, bytes) : Buffer.alloc(0), head }),
  };
}

/** Where the head of a journal is kept. */
export function headFileOf(journalPath: string): string {
  return `${journalPath}.head`;
}

function read(path: string, headPath: string) {
  const journal = existsSync(path) ? readFileSync(path) : undefined;
  const head = readHead(headPath);
  if (journal === undefined && head === undefined)
    return verifyJournal(Buffer.alloc(0), { v: 1, count: 0, head: noDigest });
  if (head === undefined)
    return {
      ...verifyJournal(journal ?? Buffer.alloc(0), undefined),
      problems: ['the head of the journal is missing or cannot be read'],
    };
  return verifyJournal(journal ?? Buffer.alloc(0), head);
}

/** Undefined when there is none, or when it is none. */
export function readHead(path: string): EvidenceHead | undefined {
  try {
    const parsed = evidenceHeadSchema.safeParse(JSON.parse(readFileSync(path, 'utf8')));
    return parsed.success ? parsed.data : undefined;
  } catch (error) {
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function writeHead(path: string, head: EvidenceHead, atStep: (step: string) => void = () => undefined): void {
  const temporary = `${path}.tmp`;
  try {
    writeFileSync(temporary, `${canonicalJson(head)}\n`, { flush: true, mode: 0o600 });
    atStep('replace head');
    replaceFileSync(temporary, path);
  } catch (error) {
    removeFileSync(temporary);
    throw error;
  }
  flushFolder(dirname(path));
}

function writeLine(path: string, text: Buffer, at: number, atStep: (step: string) => void): void {
  const file = openSync(path, existsSync(path) ? 'r+' : 'w', 0o600);
  try {
    // In two halves, so that a test can end the process between them.
    const half = Math.floor(text.length / 2);
    let done = 0;
    while (done < half) done += writeSync(file, text, done, half - done, at + done);
    atStep('half a line');
    while (done < text.length) done += writeSync(file, text, done, text.length - done, at + done);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function cutTo(path: string, bytes: number): void {
  if (!existsSync(path)) return;
  const file = openSync(path, 'r+');
  try {
    ftruncateSync(file, bytes);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** The journal as it was found, under a name of its own. Returns the file's name. */
function setAside(path: string, headPath: string, at: Date): string {
  const suffix = `.damaged-${at.toISOString().replaceAll(/[:.]/g, '-')}`;
  for (const file of [path, headPath]) if (existsSync(file)) replaceFileSync(file, file + suffix);
  flushFolder(dirname(path));
  return `journal.jsonl${suffix}`;
}

/** After a rename, on systems where a folder can be flushed. */
function flushFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
