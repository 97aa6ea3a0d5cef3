import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { CausewayError } from '../../shared/model/causeway-error.ts';
import { replaceFileSync } from '../engine/system-files/replace-file.ts';

const path = z.string().min(1).max(4096);
/** How one computer takes part in the fleet of a project. It names files with secrets and has none. */
export const fleetConfigSchema = z.strictObject({
  servers: z.array(z.string().min(1).max(300)).min(1).max(20),
  /** The same on all members: part of subjects and of the names of streams. */
  project: z.string().regex(/^[a-z0-9][a-z0-9-]{0,40}$/),
  user: z.string().min(1).max(200).optional(),
  passwordFile: path.optional(),
  credentialsFile: path.optional(),
  /** The seed of an NKey. */
  seedFile: path.optional(),
  tls: z.strictObject({ caFile: path, certFile: path.optional(), keyFile: path.optional() }).optional(),
  /** How many servers keep each record. */
  replicas: z.int().min(1).max(5).default(1),
  /** How long a member that is not heard of keeps its replicas, seconds. */
  claimSeconds: z.number().min(1).max(600).default(30),
});
export type FleetConfig = z.infer<typeof fleetConfigSchema>;

function fileIn(stateFolder: string): string {
  return join(stateFolder, 'fleet.json');
}

/** Undefined where the project is this computer's alone. @throws CausewayError `general.invalid-input` */
export function readFleetConfig(stateFolder: string): FleetConfig | undefined {
  const file = fileIn(stateFolder);
  if (!existsSync(file)) return undefined;
  try {
    return fleetConfigSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch (cause) {
    throw new CausewayError('general.invalid-input', `${file} does not describe a fleet`, { cause });
  }
}

export function writeFleetConfig(stateFolder: string, config: FleetConfig): void {
  mkdirSync(stateFolder, { recursive: true, mode: 0o700 });
  const temporary = `${fileIn(stateFolder)}.${process.pid}`;
  writeFileSync(temporary, `${JSON.stringify(fleetConfigSchema.parse(config), undefined, 2)}\n`, { mode: 0o600, flush: true });
  replaceFileSync(temporary, fileIn(stateFolder));
}

export function removeFleetConfig(stateFolder: string): void {
  rmSync(fileIn(stateFolder), { force: true });
}
