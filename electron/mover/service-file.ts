import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { removeFileSync } from '../engine/system-files/remove-file.ts';
import { replaceFileSync } from '../engine/system-files/replace-file.ts';
import { moverServiceSchema, type MoverService } from '../movers/mover-service.ts';
import { moverFolder } from '../movers/place-engine.ts';

/** Where services of this user are written down, one file for each project. */
const folder = join(homedir(), moverFolder, 'services');

function pathOf(project: string): string {
  return join(folder, `${createHash('sha256').update(project).digest('hex').slice(0, 24)}.json`);
}

/** The name of the folder that an engine was unpacked to: `…/<digest>/app/out/main/mover.js`. */
export function engineOf(entry: string): string {
  const digest = /([0-9a-f]{64})[\\/]app[\\/]/.exec(entry)?.[1];
  return digest ?? basename(dirname(entry));
}

export function writeService(service: MoverService): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const temporary = `${pathOf(service.project)}.${process.pid}`;
  writeFileSync(temporary, JSON.stringify(service), { mode: 0o600, flush: true });
  replaceFileSync(temporary, pathOf(service.project));
}

/** Removes what this process has written; the file of a service that took its place stays. */
export function removeService(project: string): void {
  if (readService(pathOf(project))?.pid === process.pid) removeFileSync(pathOf(project));
}

/** The service of a project that has ended without being asked to: it crashed, or the computer was restarted. */
export function crashedService(project: string): MoverService | undefined {
  return crashed(pathOf(project));
}

function crashed(path: string): MoverService | undefined {
  const last = readService(path);
  return last !== undefined && alive(last) === undefined ? last : undefined;
}

/** What has crashed counts as stopped from now on, of one project or of all: no workbench that connects again starts it. */
export function forgetCrashed(project?: string): void {
  const paths = project === undefined ? recordPaths() : [pathOf(project)];
  for (const path of paths) if (crashed(path) !== undefined) removeFileSync(path);
}

/** The service of a project, if its process runs. */
export function runningService(project: string): MoverService | undefined {
  return alive(readService(pathOf(project)));
}

export function runningServices(): MoverService[] {
  return recordPaths().flatMap((path) => alive(readService(path)) ?? []);
}

function recordPaths(): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith('.json'))
      .map((name) => join(folder, name));
  } catch {
    return [];
  }
}

function readService(path: string): MoverService | undefined {
  try {
    return moverServiceSchema.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    return undefined;
  }
}

/** A process ID may have been given to another program since. */
function alive(service: MoverService | undefined): MoverService | undefined {
  if (service === undefined) return undefined;
  try {
    const words = readFileSync(`/proc/${service.pid}/cmdline`, 'utf8').split('\0');
    return words.some((word) => basename(word) === 'mover.js') && words.includes('serve') ? service : undefined;
  } catch {
    return undefined;
  }
}
