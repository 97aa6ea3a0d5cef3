import { closeSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { CausewayError } from '../../shared/model/causeway-error.ts';
import { replaceFileSync } from '../engine/system-files/replace-file.ts';
import { jsonObjectSchema } from '../../shared/model/endpoint.ts';

const sealedSchema = z.object({ iv: z.string(), tag: z.string(), data: z.string() });

const recordSchema = sealedSchema.extend({ updatedAt: z.string() });

export const vaultFileSchema = z.object({
  /** 1 had no endpoint records. It is written as 2. */
  version: z.union([z.literal(1), z.literal(2)]).transform(() => 2 as const),
  /** Goes into what each record authenticates, so that a record of another vault does not fit. */
  id: z.string(),
  protection: z.object({ kind: z.string(), wrapped: jsonObjectSchema }),
  records: z.record(z.string(), recordSchema),
  /** Endpoints by id. Names of secrets stand in the clear, as those of `records` do. */
  endpoints: z
    .record(z.string(), recordSchema.extend({ project: z.string(), secrets: z.array(z.string()) }))
    .default({}),
});
export type VaultFile = z.infer<typeof vaultFileSchema>;

/** Undefined when there is none. @throws CausewayError `secrets.vault-damaged` */
export function readVaultFile(path: string): VaultFile | undefined {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    return vaultFileSchema.parse(JSON.parse(text));
  } catch (cause) {
    throw new CausewayError('secrets.vault-damaged', `${path} is not a vault that this version can read`, { cause });
  }
}

/** All or nothing, durable when it returns, readable by the owner alone. */
export function writeVaultFile(path: string, content: VaultFile): void {
  const temporary = `${path}.${randomBytes(6).toString('hex')}`;
  const file = openSync(temporary, 'wx', 0o600);
  try {
    writeSync(file, `${JSON.stringify(content, undefined, 2)}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  replaceFileSync(temporary, path);
  if (process.platform === 'win32') return;
  const folder = openSync(dirname(path), 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
