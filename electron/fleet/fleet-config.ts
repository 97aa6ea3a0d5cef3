import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { CausewayError } from '../../shared/model/causeway-error.ts';
import { realPathSync } from '../engine/system-files/real-path.ts';
import { removeFileSync } from '../engine/system-files/remove-file.ts';
import { isOurs, writePrivately } from '../engine/trust/private-files.ts';
import { userFolder } from '../engine/trust/trusted-projects.ts';

const filePath = z.string().min(1).max(4096);
/** How one computer takes part in the fleet of a project. It names files with secrets and has none. */
export const fleetConfigSchema = z.strictObject({
  servers: z.array(z.string().min(1).max(300)).min(1).max(20),
  /** The same on all members: part of subjects and of the names of streams. */
  project: z.string().regex(/^[a-z0-9][a-z0-9-]{0,40}$/),
  user: z.string().min(1).max(200).optional(),
  passwordFile: filePath.optional(),
  credentialsFile: filePath.optional(),
  /** The seed of an NKey. */
  seedFile: filePath.optional(),
  tls: z.strictObject({ caFile: filePath, certFile: filePath.optional(), keyFile: filePath.optional() }).optional(),
  /** How many servers keep each record. */
  replicas: z.int().min(1).max(5).default(1),
  /** How long a member that is not heard of keeps its replicas, seconds. */
  claimSeconds: z.number().min(1).max(600).default(30),
  /** How many executions of the fleet this member carries out at the same time; undefined: as many as the project runs at the same time. */
  carries: z.int().min(0).max(100).optional(),
  /** Names of the endpoints that this member can reach; undefined: all that it has accepted. */
  reaches: z.array(z.string().min(1).max(200)).max(1000).optional(),
});
export type FleetConfig = z.infer<typeof fleetConfigSchema>;
/** With the real path of the project's folder. */
const recordSchema = z.strictObject({ folder: z.string(), fleet: fleetConfigSchema });

/**
 * It is kept in the user's settings folder and not in the project's: a folder that came from somebody else must not connect this computer to
 * their servers, with a password from whatever file it names.
 */
function fileOf(projectFolder: string): { readonly path: string; readonly folder: string } {
  const folder = realPathSync(projectFolder);
  return {
    folder,
    path: join(userFolder(), 'fleets', `${createHash('sha256').update(folder).digest('hex').slice(0, 40)}.json`),
  };
}

/** Undefined where the project is this computer's alone. @throws CausewayError `general.invalid-input` */
export function readFleetConfig(projectFolder: string): FleetConfig | undefined {
  const { path, folder } = fileOf(projectFolder);
  if (!existsSync(path) || !isOurs(path)) return undefined;
  try {
    const record = recordSchema.parse(JSON.parse(readFileSync(path, 'utf8')));
    return record.folder === folder ? record.fleet : undefined;
  } catch (cause) {
    throw new CausewayError('general.invalid-input', `${path} does not describe a fleet`, { cause });
  }
}

export function writeFleetConfig(projectFolder: string, config: FleetConfig): void {
  const { path, folder } = fileOf(projectFolder);
  writePrivately(path, `${JSON.stringify(recordSchema.parse({ folder, fleet: config }), undefined, 2)}\n`);
}

/** What a person entered instead of naming files of their own. */
export const keptFleetFiles = ['key', 'password', 'ca'] as const;
export type KeptFleetFile = (typeof keptFleetFiles)[number];

const keptPath = (path: string, kind: KeptFleetFile): string => path.replace(/json$/, kind);

/** Where it is kept, once `keepFleetFile` was called. */
export function keptFleetFile(projectFolder: string, kind: KeptFleetFile): string {
  return keptPath(fileOf(projectFolder).path, kind);
}

/** Keeps a secret or a certificate beside the membership, readable by this user only. Returns its path. */
export function keepFleetFile(projectFolder: string, kind: KeptFleetFile, content: string): string {
  const path = keptFleetFile(projectFolder, kind);
  writePrivately(path, content);
  return path;
}

export function removeFleetConfig(projectFolder: string): void {
  const { path } = fileOf(projectFolder);
  removeFileSync(path);
  for (const kind of keptFleetFiles) removeFileSync(keptPath(path, kind));
}
