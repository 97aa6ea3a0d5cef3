import { randomBytes, randomUUID } from 'node:crypto';
import { z } from 'zod';
import { CausewayError } from '../../shared/model/causeway-error.ts';
import { jsonObjectSchema } from '../../shared/model/endpoint.ts';
import { pluginIds } from '../../shared/model/plugin-id.ts';
import type { EndpointRecord, SecretVault } from '../engine/ports/secret-vault.ts';
import { seal, unseal, type KeyWrapper } from './key-wrapper.ts';
import { readVaultFile, writeVaultFile, type VaultFile } from './vault-file.ts';

const namePattern = /^[A-Za-z0-9][A-Za-z0-9._/-]{0,199}$/;
const contentSchema = z.object({
  plugin: z.enum(pluginIds),
  connection: jsonObjectSchema,
  secrets: z.record(z.string(), z.string()),
});

/**
 * Creates an empty vault. The wrapper protects its random data key.
 * @throws CausewayError `secrets.vault-exists`
 */
export async function createVault(path: string, wrapper: KeyWrapper): Promise<void> {
  if (readVaultFile(path) !== undefined) throw new CausewayError('secrets.vault-exists', path);
  const wrapped = await wrapper.wrap(randomBytes(32));
  writeVaultFile(path, {
    version: 2,
    id: randomUUID(),
    protection: { kind: wrapper.kind, wrapped },
    records: {},
    endpoints: {},
  });
}

export interface VaultOptions {
  /** Whether `wrapper` may ask a person: then nothing opens the vault but a call that needs it. */
  readonly asksPeople?: boolean;
}

/**
 * The vault in a file, which may not exist yet. `wrapper` is asked for when the data key is first needed, so that nobody
 * is asked for a passphrase without need; undefined from it means that the vault stays locked.
 */
export function openVault(
  path: string,
  wrapper: () => Promise<KeyWrapper | undefined>,
  { asksPeople = false }: VaultOptions = {},
): SecretVault {
  let dataKey: Promise<Buffer> | undefined;
  let isOpen = false;

  const file = (): VaultFile => {
    const content = readVaultFile(path);
    if (content === undefined) throw new CausewayError('secrets.no-vault', path);
    return content;
  };

  const unlock = async (content: VaultFile): Promise<Buffer> => {
    const { kind, wrapped } = content.protection;
    const chosen = await wrapper();
    if (chosen === undefined) throw new CausewayError('secrets.locked', `the vault is protected by ${kind}`);
    if (chosen.kind !== kind)
      throw new CausewayError(
        'secrets.wrong-passphrase',
        `the vault is protected by ${kind}, but ${chosen.kind} was given`,
      );
    return chosen.unwrap(wrapped);
  };

  const key = async (content: VaultFile): Promise<Buffer> => {
    dataKey ??= unlock(content).catch((error: unknown) => {
      dataKey = undefined;
      throw error;
    });
    const bytes = await dataKey;
    isOpen = true;
    return bytes;
  };

  /** The endpoint that uses a secret of this name. */
  const holderOf = (content: VaultFile, name: string): string | undefined =>
    Object.keys(content.endpoints).find((id) => content.endpoints[id]!.secrets.includes(name));

  const readEndpoint = async (content: VaultFile, id: string): Promise<EndpointRecord | undefined> => {
    const sealed = Object.hasOwn(content.endpoints, id) ? content.endpoints[id] : undefined;
    if (sealed === undefined) return undefined;
    const dataKeyBytes = await key(content);
    try {
      const plain = unseal(dataKeyBytes, sealed, endpointRecordId(content, sealed.project, id)).toString('utf8');
      return { project: sealed.project, ...contentSchema.parse(JSON.parse(plain)) };
    } catch (cause) {
      throw new CausewayError('secrets.vault-damaged', `the record of endpoint ${id} was changed`, { cause });
    }
  };

  const saveEndpoint = async (id: string, { project, plugin, connection, secrets }: EndpointRecord): Promise<void> => {
    const dataKeyBytes = await key(file());
    // Read again: the file may have changed while the key was made ready.
    const content = file();
    const sealed = seal(
      dataKeyBytes,
      Buffer.from(JSON.stringify({ plugin, connection, secrets }), 'utf8'),
      endpointRecordId(content, project, id),
    );
    const record = { ...sealed, project, secrets: Object.keys(secrets), updatedAt: new Date().toISOString() };
    // The record has them now; what an older version kept beside it would be a second copy.
    const records = Object.fromEntries(
      Object.entries(content.records).filter(([name]) => !Object.hasOwn(secrets, name)),
    );
    writeVaultFile(path, { ...content, records, endpoints: { ...content.endpoints, [id]: record } });
  };

  const changeInRecord = async (id: string, change: (secrets: Record<string, string>) => void): Promise<void> => {
    const record = (await readEndpoint(file(), id))!;
    const secrets = { ...record.secrets };
    change(secrets);
    await saveEndpoint(id, { ...record, secrets });
  };

  return {
    async status() {
      const content = readVaultFile(path);
      if (content === undefined) return { exists: false, locked: true };
      const locked = await key(content).then(
        () => false,
        () => true,
      );
      return { exists: true, locked, protection: content.protection.kind };
    },
    async openQuietly() {
      if (isOpen || asksPeople) return isOpen;
      const content = readVaultFile(path);
      return (
        content !== undefined &&
        key(content).then(
          () => true,
          () => false,
        )
      );
    },
    async names() {
      const content = readVaultFile(path);
      return content === undefined
        ? []
        : [
            ...Object.keys(content.records),
            ...Object.values(content.endpoints).flatMap(({ secrets }) => secrets),
          ].sort();
    },
    async has(name) {
      const content = readVaultFile(path);
      return content !== undefined && (Object.hasOwn(content.records, name) || holderOf(content, name) !== undefined);
    },
    async set(name, value) {
      if (!namePattern.test(name))
        throw new CausewayError(
          'general.invalid-input',
          `"${name}" is not a valid name for a secret: use letters, digits and . _ / - only`,
        );
      const dataKeyBytes = await key(file());
      // Read again: the file may have changed while the key was made ready.
      const content = file();
      const holder = holderOf(content, name);
      if (holder !== undefined) return changeInRecord(holder, (secrets) => void (secrets[name] = value));
      const record = {
        ...seal(dataKeyBytes, Buffer.from(value, 'utf8'), recordId(content, name)),
        updatedAt: new Date().toISOString(),
      };
      writeVaultFile(path, { ...content, records: { ...content.records, [name]: record } });
    },
    async remove(name) {
      const content = readVaultFile(path);
      if (content === undefined) return;
      const holder = holderOf(content, name);
      if (holder !== undefined) return changeInRecord(holder, (secrets) => void delete secrets[name]);
      if (!Object.hasOwn(content.records, name)) return;
      const { [name]: _removed, ...records } = content.records;
      writeVaultFile(path, { ...content, records });
    },
    async resolve(name) {
      const content = file();
      const record = Object.hasOwn(content.records, name) ? content.records[name] : undefined;
      if (record === undefined) throw new CausewayError('secrets.unknown-secret', name);
      const dataKeyBytes = await key(content);
      try {
        return unseal(dataKeyBytes, record, recordId(content, name)).toString('utf8');
      } catch (cause) {
        throw new CausewayError('secrets.vault-damaged', `the record of secret "${name}" was changed`, { cause });
      }
    },
    async hasEndpoint(id) {
      const content = readVaultFile(path);
      return content !== undefined && Object.hasOwn(content.endpoints, id);
    },
    endpoint: async (id) => {
      const content = readVaultFile(path);
      return content === undefined ? undefined : readEndpoint(content, id);
    },
    saveEndpoint,
    async removeEndpoint(id) {
      const content = readVaultFile(path);
      if (content === undefined || !Object.hasOwn(content.endpoints, id)) return;
      const { [id]: _removed, ...endpoints } = content.endpoints;
      writeVaultFile(path, { ...content, endpoints });
    },
  };
}

function recordId(content: VaultFile, name: string): string {
  return `causeway secret ${content.id} ${name}`;
}

/** Authenticated with the record: it fits this vault, this project and this endpoint alone. */
function endpointRecordId(content: VaultFile, project: string, endpointId: string): string {
  return `causeway endpoint ${content.id} ${project} ${endpointId}`;
}
