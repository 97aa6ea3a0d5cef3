import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { CausewayError } from '../../shared/model/causeway-error.ts';
import type { JsonObject } from '../../shared/model/json.ts';

/** Protects a vault's data key: with a passphrase, a key file, or the operating system's key store. */
export interface KeyWrapper {
  /** Written into the vault file; a vault is opened by a wrapper of the same kind only. */
  readonly kind: string;
  wrap(dataKey: Buffer): Promise<JsonObject>;
  /** @throws CausewayError `secrets.wrong-passphrase` */
  unwrap(wrapped: JsonObject): Promise<Buffer>;
}

export interface Sealed {
  readonly iv: string;
  readonly tag: string;
  readonly data: string;
}

/** AES-256-GCM with a fresh nonce; `about` is authenticated with it, so that a record can't be moved elsewhere. */
export function seal(key: Buffer, plain: Buffer, about: string): Sealed {
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, iv);
  cipher.setAAD(Buffer.from(about, 'utf8'));
  const data = Buffer.concat([cipher.update(plain), cipher.final()]);
  return { iv: iv.toString('base64'), tag: cipher.getAuthTag().toString('base64'), data: data.toString('base64') };
}

/** @throws when key, data or `about` is not what it was */
export function unseal(key: Buffer, sealed: Sealed, about: string): Buffer {
  const tag = Buffer.from(sealed.tag, 'base64');
  if (tag.length !== 16)
    throw new CausewayError('secrets.vault-damaged', 'the authentication tag of a record is incomplete');
  const decipher = createDecipheriv('aes-256-gcm', key, Buffer.from(sealed.iv, 'base64'));
  decipher.setAAD(Buffer.from(about, 'utf8'));
  decipher.setAuthTag(tag);
  return Buffer.concat([decipher.update(Buffer.from(sealed.data, 'base64')), decipher.final()]);
}
