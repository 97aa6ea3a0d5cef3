import { randomBytes, randomUUID } from 'node:crypto';
import { CausewayError } from '../../shared/model/causeway-error.ts';
import type { SecretVault } from '../engine/ports/secret-vault.ts';
import { seal, unseal, type KeyWrapper } from './key-wrapper.ts';
import { readVaultFile, writeVaultFile, type VaultFile } from './vault-file.ts';

const namePattern = /^[A-Za-z0-9][A-Za-z0-9._/-]{0,199}$/;

/**
 * Makes an empty vault whose random data key the wrapper protects.
 * @throws CausewayError `secrets.vault-exists`
 */
export async function createVault(path: string, wrapper: KeyWrapper): Promise<void> {
  if (readVaultFile(path) !== undefined) throw new CausewayError('secrets.vault-exists', path);
  const wrapped = await wrapper.wrap(randomBytes(32));
  writeVaultFile(path, { version: 1, id: randomUUID(), protection: { kind: wrapper.kind, wrapped }, records: {} });
}

/**
 * The vault in a file, which may not exist yet. `wrapper` is asked for when the data key is first needed, so that nobody
 * is asked for a passphrase without need; undefined from it means that the vault stays locked.
 */
export function openVault(path: string, wrapper: () => Promise<KeyWrapper | undefined>): SecretVault {
  let dataKey: Promise<Buffer> | undefined;

  const file = (): VaultFile => {
    const content = readVaultFile(path);
    if (content === undefined) throw new CausewayError('secrets.no-vault', path);
    return content;
  };

  const unlock = async (content: VaultFile): Promise<Buffer> => {
    const { kind, wrapped } = content.protection;
    const chosen = await wrapper();
    if (chosen === undefined) throw new CausewayError('secrets.locked', `the vault is protected by: ${kind}`);
    if (chosen.kind !== kind) throw new CausewayError('secrets.wrong-passphrase', `the vault is protected by ${kind}, but ${chosen.kind} was given`);
    return chosen.unwrap(wrapped);
  };

  const key = (content: VaultFile): Promise<Buffer> => {
    dataKey ??= unlock(content).catch((error: unknown) => {
      dataKey = undefined;
      throw error;
    });
    return dataKey;
  };

  return {
    async status() {
      const content = readVaultFile(path);
      if (content === undefined) return { exists: false, locked: true };
      const locked = await key(content).then(() => false, () => true);
      return { exists: true, locked, protection: content.protection.kind };
    },
    async names() {
      return Object.keys(readVaultFile(path)?.records ?? {}).sort();
    },
    async has(name) {
      return Object.hasOwn(readVaultFile(path)?.records ?? {}, name);
    },
    async set(name, value) {
      if (!namePattern.test(name)) throw new CausewayError('general.invalid-input', `"${name}" is no name for a secret: letters, digits and . _ / - only`);
      const dataKeyBytes = await key(file());
      // Read again: the file may have changed while the key was made ready.
      const content = file();
      const record = { ...seal(dataKeyBytes, Buffer.from(value, 'utf8'), recordId(content, name)), updatedAt: new Date().toISOString() };
      writeVaultFile(path, { ...content, records: { ...content.records, [name]: record } });
    },
    async remove(name) {
      const content = readVaultFile(path);
      if (content === undefined || !Object.hasOwn(content.records, name)) return;
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
  };
}

function recordId(content: VaultFile, name: string): string {
  return `causeway secret ${content.id} ${name}`;
}
