import { createCipheriv, createDecipheriv, createHmac, pbkdf2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

/** Encryption of Kerberos with AES and HMAC-SHA1 (RFC 3961, RFC 3962), which domains of Windows use since 2008. RC4 and DES are left out: they are broken. */

export const keyTypes = [18, 17] as const;
export type KeyType = (typeof keyTypes)[number];

export interface KerberosKey {
  readonly type: KeyType;
  readonly bytes: Buffer;
}

const blockBytes = 16;
const macBytes = 12;
const keyBytes: Readonly<Record<KeyType, number>> = { 18: 32, 17: 16 };
/** By type of the key: of the checksum that it makes. */
export const checksumTypes: Readonly<Record<KeyType, number>> = { 18: 16, 17: 15 };
/** More rounds than any domain asks for would only keep this computer busy. */
const largestRounds = 2 ** 20;
const derive = promisify(pbkdf2);

export function isKeyType(type: number): type is KeyType {
  return (keyTypes as readonly number[]).includes(type);
}

/** The key of a password. @param parameters what the domain sends with the salt: the number of rounds */
export async function keyOfPassword(
  type: KeyType,
  password: string,
  salt: string,
  parameters?: Buffer,
): Promise<KerberosKey> {
  const rounds = parameters?.length === 4 ? parameters.readUInt32BE(0) : 4096;
  if (rounds === 0 || rounds > largestRounds) throw new RangeError(`${rounds} rounds`);
  const bytes = await derive(password, Buffer.from(salt, 'utf8'), rounds, keyBytes[type], 'sha1');
  return { type, bytes: derivedKey({ type, bytes }, Buffer.from('kerberos')) };
}

/** @param usage what the key is used for: each use has keys of its own */
export function encrypt(key: KerberosKey, usage: number, plain: Buffer): Buffer {
  const content = Buffer.concat([randomBytes(blockBytes), plain]);
  return Buffer.concat([cipherText(derivedKey(key, usageOf(usage, 0xaa)), content), mac(key, usage, 0x55, content)]);
}

/** @returns undefined if it was encrypted with another key, or changed on its way */
export function decrypt(key: KerberosKey, usage: number, sealed: Buffer): Buffer | undefined {
  if (sealed.length < blockBytes + macBytes) return undefined;
  const content = plainText(derivedKey(key, usageOf(usage, 0xaa)), sealed.subarray(0, -macBytes));
  return timingSafeEqual(mac(key, usage, 0x55, content), sealed.subarray(-macBytes))
    ? content.subarray(blockBytes)
    : undefined;
}

export function checksum(key: KerberosKey, usage: number, content: Buffer): Buffer {
  return mac(key, usage, 0x99, content);
}

function mac(key: KerberosKey, usage: number, purpose: number, content: Buffer): Buffer {
  return createHmac('sha1', derivedKey(key, usageOf(usage, purpose)))
    .update(content)
    .digest()
    .subarray(0, macBytes);
}

function usageOf(usage: number, purpose: number): Buffer {
  const constant = Buffer.alloc(5);
  constant.writeUInt32BE(usage, 0);
  constant[4] = purpose;
  return constant;
}

function derivedKey({ type, bytes }: KerberosKey, constant: Buffer): Buffer {
  const blocks: Buffer[] = [];
  for (let block = nFold(constant, blockBytes); blocks.length * blockBytes < keyBytes[type];) {
    block = cipherText(bytes, block);
    blocks.push(block);
  }
  return Buffer.concat(blocks).subarray(0, keyBytes[type]);
}

/** Stretches or folds bytes to a number of bytes, each of which depends on all of them (RFC 3961, 5.1). */
export function nFold(input: Buffer, size: number): Buffer {
  const bits = BigInt(input.length * 8);
  const all = (1n << bits) - 1n;
  const value = BigInt(`0x${input.toString('hex')}`);
  let length = size;
  while (length % input.length !== 0) length += size;
  let long = 0n;
  for (let copy = 0; copy * input.length < length; copy += 1) {
    const turn = BigInt(copy * 13) % bits;
    long = (long << bits) | (((value >> turn) | (value << (bits - turn))) & all);
  }
  const width = BigInt(size * 8);
  const mask = (1n << width) - 1n;
  let sum = 0n;
  for (; long > 0n; long >>= width) sum += long & mask;
  while (sum > mask) sum = (sum & mask) + (sum >> width);
  return Buffer.from(sum.toString(16).padStart(size * 2, '0'), 'hex');
}

/** CBC with ciphertext stealing: the last two blocks change places, and what was padded falls away. */
export function cipherText(key: Buffer, plain: Buffer): Buffer {
  const cipher = createCipheriv(`aes-${key.length * 8}-cbc`, key, Buffer.alloc(blockBytes)).setAutoPadding(false);
  const padded = Buffer.concat([plain, Buffer.alloc((blockBytes - (plain.length % blockBytes)) % blockBytes)]);
  const sealed = Buffer.concat([cipher.update(padded), cipher.final()]);
  if (sealed.length === blockBytes) return sealed;
  const [head, next, last] = [
    sealed.subarray(0, -2 * blockBytes),
    sealed.subarray(-2 * blockBytes, -blockBytes),
    sealed.subarray(-blockBytes),
  ];
  return Buffer.concat([head, last, next]).subarray(0, plain.length);
}

export function plainText(key: Buffer, sealed: Buffer): Buffer {
  const deciphered = (mode: 'cbc' | 'ecb', bytes: Buffer): Buffer => {
    const decipher = createDecipheriv(
      `aes-${key.length * 8}-${mode}`,
      key,
      mode === 'cbc' ? Buffer.alloc(blockBytes) : null,
    ).setAutoPadding(false);
    return Buffer.concat([decipher.update(bytes), decipher.final()]);
  };
  if (sealed.length === blockBytes) return deciphered('cbc', sealed);
  const rest = sealed.length % blockBytes || blockBytes;
  const [head, last, cut] = [
    sealed.subarray(0, -rest - blockBytes),
    sealed.subarray(-rest - blockBytes, -rest),
    sealed.subarray(-rest),
  ];
  const next = Buffer.concat([cut, deciphered('ecb', last).subarray(rest)]);
  return deciphered('cbc', Buffer.concat([head, next, last])).subarray(0, sealed.length);
}
