import { createHash, randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { jsonObjectSchema } from '../../../shared/model/endpoint.ts';
import { pluginIds } from '../../../shared/model/plugin-id.ts';
import { realPathSync } from '../system-files/real-path.ts';
import { removeFileSync } from '../system-files/remove-file.ts';
import { isOurs, writePrivately } from './private-files.ts';

const acceptedEndpointSchema = z.object({
  plugin: z.enum(pluginIds),
  /** Of plugin and connection; what is used must match it, wherever it is kept. */
  fingerprint: z.string(),
  acceptedAt: z.string(),
  /** Only of an endpoint without secrets; every other one is sealed in the project's vault. */
  connection: jsonObjectSchema.optional(),
});
export type AcceptedEndpoint = z.infer<typeof acceptedEndpointSchema>;

const recordSchema = z.object({
  version: z.literal(1),
  /** Real path of the project's folder. */
  folder: z.string(),
  /** Made on this computer, never read from the project's folder: sealed records of other projects do not fit. */
  projectId: z.string(),
  acceptedAt: z.string(),
  /** Whether endpoints are written with their addresses into the project's files. */
  sharesAddresses: z.boolean(),
  endpoints: z.record(z.string(), acceptedEndpointSchema),
  /** Keys of what environments may reach. */
  uses: z.array(z.string()),
});
export type TrustRecord = z.infer<typeof recordSchema>;

/**
 * What this user of this computer has accepted of a project. It is kept in the user's settings folder and not in the
 * project's folder, so that no copy, pull or shared drive can bring it along; a folder is known by its real path.
 */
export interface ProjectTrust {
  /** Undefined: the project is not accepted. Read from disk each time. */
  read(): TrustRecord | undefined;
  /** The record, made where there is none: the project is accepted from now on. */
  accept(): TrustRecord;
  /** Durable when it returns. Does nothing where the project is not accepted. */
  change(part: (record: TrustRecord) => Partial<TrustRecord>): void;
  revoke(): void;
}

export function projectTrust(projectFolder: string): ProjectTrust {
  const folder = realPathSync(projectFolder);
  const path = join(
    userFolder(),
    'trusted-projects',
    `${createHash('sha256').update(folder).digest('hex').slice(0, 40)}.json`,
  );

  const read = (): TrustRecord | undefined => {
    try {
      if (!isOurs(path)) return undefined;
      const record = recordSchema.parse(JSON.parse(readFileSync(path, 'utf8')));
      return record.folder === folder ? record : undefined;
    } catch {
      // Absent or damaged: nothing is accepted, and accepting rewrites it.
      return undefined;
    }
  };
  const write = (record: TrustRecord): TrustRecord => {
    writePrivately(path, `${JSON.stringify(record, undefined, 2)}\n`);
    return record;
  };
  return {
    read,
    accept: () =>
      read() ??
      write({
        version: 1,
        folder,
        projectId: randomUUID(),
        acceptedAt: new Date().toISOString(),
        sharesAddresses: false,
        endpoints: {},
        uses: [],
      }),
    change(part) {
      const record = read();
      if (record !== undefined) write({ ...record, ...part(record) });
    },
    revoke: () => removeFileSync(path),
  };
}

/** Where settings of this user live that belong to no project. `CAUSEWAY_USER_FOLDER` names another one. */
export function userFolder(): string {
  const named = process.env['CAUSEWAY_USER_FOLDER'];
  if (named !== undefined && named !== '') return named;
  if (process.platform === 'darwin') return join(homedir(), 'Library', 'Application Support', 'Causeway');
  if (process.platform === 'win32')
    return join(process.env['APPDATA'] ?? join(homedir(), 'AppData', 'Roaming'), 'Causeway');
  return join(process.env['XDG_CONFIG_HOME'] || join(homedir(), '.config'), 'causeway');
}

/**
 * Whether a folder has nothing of a project yet but a name: whoever works in it makes the project, and there is nothing to
 * accept. What arrives later asks.
 */
export function isNewProject(projectFolder: string): boolean {
  const content = ['.causeway', 'defaults.json'].some((name) => existsSync(join(projectFolder, name)));
  return (
    !content && ['endpoints', 'replicas', 'waves', 'inventory'].every((name) => isEmpty(join(projectFolder, name)))
  );
}

function isEmpty(folder: string): boolean {
  try {
    return readdirSync(folder).length === 0;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT';
  }
}
