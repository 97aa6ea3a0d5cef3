import { createHash, randomBytes } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { z } from 'zod';
import { CausewayError } from '../../../shared/model/causeway-error.ts';
import type { ErrorCode } from '../../../shared/model/errors/catalogue.ts';
import { isDeviceName } from '../../../shared/model/file-names.ts';
import { issueLine } from '../../../shared/schema/issue-line.ts';
import { removeFileSync } from '../system-files/remove-file.ts';
import { keptWhileUnchanged } from '../system-files/kept-while-unchanged.ts';
import { replaceFileSync } from '../system-files/replace-file.ts';

/** Shared objects of a project: one plain file each, in one folder, identified by the name inside. */
export interface NamedFiles<T extends { readonly name: string }> {
  /** Every file as far as it can be read, for callers that can do without a damaged one. Of a file that did not change, the same object as before. */
  each(): FileReading<T>[];
  /** By name. @throws CausewayError with the code that was given when a file is damaged */
  list(): T[];
  find(name: string): T | undefined;
  /** Durable, all or nothing. */
  save(thing: T): void;
  remove(name: string): void;
  /** The file in the folder for an object of this name. */
  fileOf(name: string): string;
  removeFile(file: string): void;
}

export interface FileReading<T> {
  /** Within the folder. */
  readonly file: string;
  /** The object, or why it cannot be read: a `CausewayError` with the given code. */
  readonly read: { readonly thing: T } | { readonly problem: CausewayError };
}

interface Options<T> {
  readonly folder: string;
  readonly schema: z.ZodType<T>;
  readonly damaged: ErrorCode;
  /** How an object is written. Related lines stand together, so that changes of two people merge. */
  readonly textOf: (thing: T) => string;
}

export function namedFiles<T extends { readonly name: string }>({
  folder,
  schema,
  damaged,
  textOf,
}: Options<T>): NamedFiles<T> {
  const pathOf = (name: string): string => join(folder, fileNameOf(name));
  const list = (): T[] =>
    namesIn(folder)
      .map((file) => readProjectFile(join(folder, file), schema, damaged)!)
      .sort((a, b) => a.name.localeCompare(b.name));
  const unchanged = keptWhileUnchanged<T>();
  const readingOf = (file: string): FileReading<T>[] => {
    try {
      const path = join(folder, file);
      const thing = unchanged.read(path, () => readProjectFile(path, schema, damaged));
      return thing === undefined ? [] : [{ file, read: { thing } }];
    } catch (problem) {
      if (problem instanceof CausewayError) return [{ file, read: { problem } }];
      throw problem;
    }
  };
  return {
    each() {
      const files = namesIn(folder).sort();
      const readings = files.flatMap(readingOf);
      unchanged.forgetAllBut(files.map((file) => join(folder, file)));
      return readings;
    },
    list,
    find: (name) => list().find((thing) => thing.name === name),
    save: (thing) => writeProjectFile(pathOf(thing.name), textOf(thing)),
    remove: (name) => removeFileSync(pathOf(name)),
    fileOf: fileNameOf,
    removeFile: (file) => removeFileSync(join(folder, file)),
  };
}

/**
 * A file of the project as what it has to be; undefined when there is none.
 * @throws CausewayError with the code that is given and with `details.reason`; nothing of the file's content is repeated
 */
export function readProjectFile<T>(path: string, schema: z.ZodType<T>, damaged: ErrorCode): T | undefined {
  let text = '';
  try {
    text = readFileSync(path, 'utf8');
    const content: unknown = JSON.parse(text);
    const parsed = schema.safeParse(content);
    if (parsed.success) return parsed.data;
    throw new Error(parsed.error.issues.map((issue) => issueLine(issue, content, 'the whole')).join('; '));
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    const reason = whyDamaged(text, cause).slice(0, 2000);
    throw new CausewayError(damaged, `${path}: ${reason}`, { details: { reason } });
  }
}

function whyDamaged(text: string, cause: unknown): string {
  const conflict = text.split('\n').findIndex((line) => /^(<{7}|={7}|>{7})( |$)/.test(line));
  if (conflict >= 0) return `line ${conflict + 1} is an unresolved merge conflict`;
  if (!(cause instanceof SyntaxError)) return cause instanceof Error ? cause.message : String(cause);
  // The parser's message repeats a piece of the text, which may be a secret.
  const place = /\(line \d+ column \d+\)/.exec(cause.message)?.[0];
  return `it is not JSON${place === undefined ? '' : ` ${place}`}`;
}

/** Keys in a stable order, one value a line, so that two people's changes merge. */
export function stableText(value: unknown): string {
  const sorted = (_key: string, node: unknown): unknown =>
    typeof node === 'object' && node !== null && !Array.isArray(node)
      ? Object.fromEntries(Object.entries(node).sort(([a], [b]) => (a < b ? -1 : 1)))
      : node;
  return `${JSON.stringify(value, sorted, 2)}\n`;
}

export function writeProjectFile(path: string, text: string): void {
  writeAside(path, text, (temporary) => replaceFileSync(temporary, path));
}

/** Writes a file that is not there yet, whole or not at all. Says whether it did: a file that is there stays. */
export function createProjectFile(path: string, text: string): boolean {
  if (hasContent(path)) return false;
  let isCreated = false;
  writeAside(path, text, (temporary) => {
    isCreated = placeNew(temporary, path);
  });
  return isCreated;
}

/** Whether there is a file with content. An empty one is what a write on a full disk left behind. */
export function hasContent(path: string): boolean {
  return existsSync(path) && statSync(path).size > 0;
}

/** Writes the text beside the path, from where `place` takes it. Nothing stays beside it. */
function writeAside(path: string, text: string, place: (temporary: string) => void): void {
  mkdirSync(dirname(path), { recursive: true });
  const temporary = join(dirname(path), `.${randomBytes(6).toString('hex')}.tmp`);
  try {
    writeFileSync(temporary, text, { flush: true });
    place(temporary);
  } finally {
    removeFileSync(temporary);
  }
}

/** A link, unlike a rename, does not replace the file that another process has written meanwhile. */
function placeNew(temporary: string, path: string): boolean {
  if (!existsSync(path)) {
    try {
      linkSync(temporary, path);
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
      // This file system has no links.
    }
  }
  if (hasContent(path)) return false;
  replaceFileSync(temporary, path);
  return true;
}

/**
 * Every name has a file of its own on every file system: those that differ in case alone, that are long or that no file may
 * have carry a digest of the whole name.
 */
function fileNameOf(name: string): string {
  const isPlain = /^[a-z0-9][a-z0-9_-]{0,59}$/.test(name) && !isDeviceName(name);
  if (isPlain) return `${name}.json`;
  const digest = createHash('sha256').update(name).digest('hex').slice(0, 16);
  return `${name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 40)}~${digest}.json`;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter((file) => file.endsWith('.json') && !file.startsWith('.'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
