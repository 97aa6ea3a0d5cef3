import { createHash } from 'node:crypto';
import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { jetstreamManager } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import { z } from 'zod';
import { CausewayError } from '../../shared/model/causeway-error.ts';
import type { ConflictSide, DescriptionConflict, NotShared } from '../../shared/model/fleet.ts';
import { writeProjectFile } from '../engine/project-files/named-files.ts';
import { stateFolder } from '../engine/store/database.ts';
import { removeFileSync } from '../engine/system-files/remove-file.ts';
import type { FleetConfig } from './fleet-config.ts';
import { isOtherRevision, openBucket } from './nats-bucket.ts';
import { isForbidden, unreachable } from './nats-connection.ts';
import { nextMessage } from './nats-messages.ts';
import { isDescription, isSharedPath, sameFileElsewhere, sharedFiles, sharedFolders } from './shared-paths.ts';

const mostBytes = 400_000;

const stateSchema = z.record(z.string(), z.strictObject({ revision: z.int(), digest: z.string() })).catch({});
type State = z.infer<typeof stateSchema>;
/** Digest of a file that is not there. */
const nothing = '';

export interface DescriptionExchange {
  /** Sends what was changed here and takes what was changed elsewhere. Rejects with `fleet.*`. */
  turn(): Promise<ExchangeResult>;
  /**
   * Decides a conflict: this computer's file, or the one of the fleet, is everybody's after the next turn. Rejects with `fleet.changed-meanwhile`
   * where the fleet's is not of that revision any more: nobody has seen what would be lost.
   */
  resolve(path: string, side: ConflictSide, revision: number): Promise<void>;
}

/** A file in the bucket. */
interface Entry {
  readonly revision: number;
  /** Undefined: it was deleted. */
  readonly content: string | undefined;
}

export interface ExchangeResult {
  /** Files that came from others. */
  readonly taken: readonly string[];
  /** Files that were changed here and elsewhere: nothing is done with them before a person has decided. */
  readonly conflicts: readonly DescriptionConflict[];
  /** Files of this computer that others do not get. */
  readonly notShared: readonly NotShared[];
}

/** A result while files are looked at, one after the other. */
interface Found {
  readonly taken: string[];
  readonly conflicts: DescriptionConflict[];
  readonly notShared: NotShared[];
}

/** The exchange of a project folder, with its memory in the state folder. */
export function openExchange(
  connection: NatsConnection,
  config: Pick<FleetConfig, 'project' | 'replicas'>,
  projectFolder: string,
): Promise<DescriptionExchange> {
  return descriptionExchange(connection, config, projectFolder, join(stateFolder(projectFolder), 'fleet-files.json'));
}

export function descriptionBucket(project: string): string {
  return `causeway-files-${project}`;
}

/**
 * The project's descriptions in a key-value bucket, one entry for each file. A change is accepted only on top of the revision that it was made
 * from, so that of two people who change the same file the second one decides.
 *
 * @param stateFile remembers which revision each file had
 */
export async function descriptionExchange(
  connection: NatsConnection,
  { project, replicas }: Pick<FleetConfig, 'project' | 'replicas'>,
  projectFolder: string,
  stateFile: string,
): Promise<DescriptionExchange> {
  const bucket = descriptionBucket(project);
  const kv = await openBucket(connection, bucket, { replicas, history: 20 });
  const manager = await jetstreamManager(connection, { checkAPI: false });
  const known: State = existsSync(stateFile) ? stateSchema.parse(parsedOrEmpty(stateFile)) : {};
  let last: Promise<unknown> = Promise.resolve();
  /** What was remembered must not change under a turn. */
  const oneByOne = <T>(work: () => Promise<T>): Promise<T> => {
    const done = last.then(work, work);
    last = done;
    return done;
  };
  const remember = (path: string, revision: number, digest: string): void => {
    known[path] = { revision, digest };
    writeProjectFile(stateFile, JSON.stringify(known));
  };

  /** Of each file the newest entry that was read, and how far that is. */
  const entries = new Map<string, Entry>();
  let readUpTo = 0;

  /** What others have stored since the last turn, too. */
  async function remote(): Promise<ReadonlyMap<string, Entry>> {
    for (;;) {
      const message = await nextMessage(manager, `KV_${bucket}`, `$KV.${bucket}.>`, readUpTo + 1);
      if (message === undefined) return entries;
      readUpTo = message.seq;
      const path = Buffer.from(message.subject.slice(`$KV.${bucket}.`.length), 'base64url').toString('utf8');
      const isGone = (message.header?.get('KV-Operation') ?? '') !== '';
      if (isSharedPath(path))
        entries.set(path, { revision: message.seq, content: isGone ? undefined : message.string() });
    }
  }

  /** Whether it was on top of the revision. */
  async function send(path: string, content: string | undefined, revision: number): Promise<number | undefined> {
    const key = Buffer.from(path).toString('base64url');
    try {
      if (content === undefined) {
        await kv.delete(key, { previousSeq: revision });
        const left = await kv.get(key);
        // Somebody may have made the file again since: the next turn sees that.
        return left === null || left.operation === 'PUT' ? revision : left.revision;
      }
      return revision === 0 ? await kv.create(key, content) : await kv.update(key, content, revision);
    } catch (error) {
      if (isOtherRevision(error)) return undefined;
      throw error;
    }
  }

  async function settle(path: string, there: Entry | undefined, result: Found): Promise<void> {
    const before = known[path] ?? { revision: 0, digest: nothing };
    const here = contentOf(projectFolder, path);
    const isChangedHere = digestOf(here) !== before.digest;
    const isChangedThere = there !== undefined && there.revision !== before.revision;
    if (isChangedThere && digestOf(there.content) === digestOf(here))
      return remember(path, there.revision, digestOf(here));
    if (isChangedThere && isChangedHere)
      return void result.conflicts.push({
        file: path,
        revision: there.revision,
        mine: here ?? null,
        theirs: there.content ?? null,
      });
    if (isChangedThere) {
      write(projectFolder, path, there.content);
      remember(path, there.revision, digestOf(there.content));
      return void result.taken.push(path);
    }
    if (!isChangedHere) return;
    if (Buffer.byteLength(here ?? '') > mostBytes) return void result.notShared.push({ file: path, reason: 'size' });
    const revision = await send(path, here, before.revision);
    // Somebody was faster: the next turn sees what they have changed.
    if (revision !== undefined) remember(path, revision, digestOf(here));
  }

  return {
    turn: () =>
      oneByOne(async () => {
        try {
          const theirs = await remote();
          const result: Found = { taken: [], conflicts: [], notShared: [] };
          const mine = filesIn(projectFolder);
          const notPortable = mine.filter((path) => !isSharedPath(path));
          result.notShared.push(...notPortable.map((file) => ({ file, reason: 'name' as const })));
          const present = [...theirs].flatMap(([path, { content }]) => (content === undefined ? [] : [path]));
          const twice = sameFileElsewhere(new Set([...present, ...mine]), (path) => path in known);
          let refused: CausewayError | undefined;
          for (const path of new Set([...theirs.keys(), ...mine, ...Object.keys(known)])) {
            if (!isSharedPath(path) || isLinked(projectFolder, path)) continue;
            if (twice.has(path)) {
              if (mine.includes(path)) result.notShared.push({ file: path, reason: 'case' });
              continue;
            }
            try {
              await settle(path, theirs.get(path), result);
            } catch (error) {
              // Whoever may only read still gets what others have changed.
              if (!isForbidden(error)) throw error;
              refused ??= unreachable(error);
            }
          }
          if (refused !== undefined) throw refused;
          return result;
        } catch (error) {
          throw unreachable(error);
        }
      }),
    resolve: (path, side, revision) =>
      oneByOne(async () => {
        const theirs = (await remote().catch((error: unknown) => Promise.reject(unreachable(error)))).get(path);
        if (theirs?.revision !== revision) throw new CausewayError('fleet.changed-meanwhile', path);
        // What is decided against counts as seen: the other side is then the only change.
        if (side === 'mine') remember(path, theirs.revision, 'undecided');
        else {
          write(projectFolder, path, theirs.content);
          remember(path, theirs.revision, digestOf(theirs.content));
        }
      }),
  };
}

function filesIn(projectFolder: string): string[] {
  const names = sharedFolders.flatMap((folder) =>
    existsSync(join(projectFolder, folder))
      ? readdirSync(join(projectFolder, folder)).map((name) => `${folder}/${name}`)
      : [],
  );
  return [...names, ...sharedFiles].filter((path) => isDescription(path) && existsSync(join(projectFolder, path)));
}

/** What leads out of the folder is neither sent to others nor written: the folder may come from somebody who wants to read more of this computer. */
function isLinked(projectFolder: string, path: string): boolean {
  const parts = path.split('/');
  return parts.some(
    (_, index) =>
      lstatSync(join(projectFolder, ...parts.slice(0, index + 1)), { throwIfNoEntry: false })?.isSymbolicLink() ===
      true,
  );
}

function contentOf(projectFolder: string, path: string): string | undefined {
  try {
    return readFileSync(join(projectFolder, path), 'utf8');
  } catch {
    return undefined;
  }
}

function write(projectFolder: string, path: string, content: string | undefined): void {
  if (content === undefined) removeFileSync(join(projectFolder, path));
  else writeProjectFile(join(projectFolder, path), content);
}

function digestOf(content: string | undefined): string {
  return content === undefined ? nothing : createHash('sha256').update(content).digest('hex');
}

function parsedOrEmpty(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return {};
  }
}
