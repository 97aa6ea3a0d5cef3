import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  createSign,
  createVerify,
  generateKeyPairSync,
  hkdfSync,
  scrypt,
} from 'node:crypto';
import { createRequire } from 'node:module';
import type * as Sqlite from 'node:sqlite';
import { createSecureContext } from 'node:tls';
import { promisify } from 'node:util';
import zlib from 'node:zlib';
import { availableSshAlgorithms, sshAlgorithmsFor } from '../transport/ssh-algorithms.ts';
import { tryEd25519, tryX25519 } from '../ssh-keys/key-types.ts';

/** One capability of the runtime (Node or Electron) that Causeway uses. */
export interface RuntimeCheck {
  readonly name: string;
  /** What does not work without it. */
  readonly usedFor: string;
  readonly outcome: 'available' | 'missing';
  /** A missing capability that something else replaces: slower or less choice, but nothing fails. */
  readonly isOptional: boolean;
  /** What it offers, or the runtime's own error message. */
  readonly evidence: string;
}

interface Probe {
  readonly name: string;
  readonly usedFor: string;
  readonly isOptional?: true;
  /** Answers with evidence; throws when the runtime lacks it. */
  readonly attempt: () => string | void | Promise<string | void>;
}

/** The largest cost that a vault is created with; OpenSSL and BoringSSL limit memory in different ways. */
export const probedScryptCost = { n: 2 ** 17, r: 8, p: 1 };

const probes: readonly Probe[] = [
  { name: 'SSH algorithms', usedFor: 'every connection to a worker', attempt: describeSsh },
  { name: 'Ed25519, as JWK', usedFor: 'SSH keys of workers', attempt: tryEd25519 },
  {
    name: 'X25519',
    usedFor: 'SSH key exchange (ECDH on NIST curves replaces it)',
    isOptional: true,
    attempt: tryX25519,
  },
  {
    name: 'ChaCha20 as a cipher',
    usedFor: 'SSH to processors without AES instructions (AES replaces it)',
    isOptional: true,
    attempt: tryChaCha,
  },
  { name: 'TLS 1.2 and 1.3 with P-256', usedFor: 'data transfer over HTTPS', attempt: tryTls },
  { name: 'AES-256-GCM', usedFor: 'the vault', attempt: tryGcm },
  { name: 'scrypt with 128 MiB', usedFor: 'vaults with a passphrase', attempt: tryScrypt },
  {
    name: 'HKDF with SHA-256',
    usedFor: 'vaults with a key file',
    attempt: () => void hkdfSync('sha256', 'key', 'salt', 'causeway', 32),
  },
  { name: 'RSA with SHA-512', usedFor: 'signing in to the European cloud (RS512)', attempt: tryRs512 },
  { name: 'SHA-256, MD5, HMAC', usedFor: 'checking copied blocks and backups', attempt: tryHashes },
  {
    name: 'Zstandard',
    usedFor: 'reading backups of the open-source cloud that are compressed with it',
    attempt: tryZstandard,
  },
  { name: 'SQLite (node:sqlite)', usedFor: "the project's database", attempt: trySqlite },
];

let checked: Promise<readonly RuntimeCheck[]> | undefined;

/** Tries everything that Causeway needs of its runtime's cryptography, compression and database; once per process. */
export function checkRuntime(): Promise<readonly RuntimeCheck[]> {
  checked ??= runProbes();
  return checked;
}

/** The capabilities that are missing and that nothing replaces. */
export async function missingInRuntime(): Promise<readonly RuntimeCheck[]> {
  return (await checkRuntime()).filter(({ outcome, isOptional }) => outcome === 'missing' && !isOptional);
}

async function runProbes(): Promise<readonly RuntimeCheck[]> {
  const results: RuntimeCheck[] = [];
  for (const { name, usedFor, isOptional = false, attempt } of probes) {
    try {
      results.push({ name, usedFor, isOptional, outcome: 'available', evidence: (await attempt()) ?? 'works' });
    } catch (error) {
      results.push({
        name,
        usedFor,
        isOptional,
        outcome: 'missing',
        evidence: error instanceof Error ? error.message : String(error),
      });
    }
  }
  return results;
}

function describeSsh(): string {
  sshAlgorithmsFor(undefined);
  const { cipher, kex } = availableSshAlgorithms();
  return `${cipher.join(', ')}; ${kex[0]}`;
}

function tryChaCha(): void {
  createCipheriv('chacha20', Buffer.alloc(32), Buffer.alloc(16)).update('text');
}

function tryTls(): void {
  generateKeyPairSync('ec', { namedCurve: 'P-256' });
  createSecureContext({ minVersion: 'TLSv1.2', ciphers: 'TLS_AES_128_GCM_SHA256:ECDHE-ECDSA-AES128-GCM-SHA256' });
}

function tryGcm(): void {
  const [key, nonce, text] = [Buffer.alloc(32, 1), Buffer.alloc(12, 2), Buffer.from('causeway')];
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(text);
  const sealed = Buffer.concat([cipher.update(text), cipher.final()]);
  const decipher = createDecipheriv('aes-256-gcm', key, nonce).setAAD(text).setAuthTag(cipher.getAuthTag());
  if (!Buffer.concat([decipher.update(sealed), decipher.final()]).equals(text))
    throw new Error('decrypted text differs');
}

async function tryScrypt(): Promise<void> {
  const { n, r, p } = probedScryptCost;
  await promisify<string, string, number, object, Buffer>(scrypt)('passphrase', 'salt', 32, {
    N: n,
    r,
    p,
    maxmem: 256 * n * r,
  });
}

function tryRs512(): void {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const signature = createSign('sha512').update('text').sign(privateKey);
  if (!createVerify('sha512').update('text').verify(publicKey, signature))
    throw new Error('its own signature does not verify');
}

function tryHashes(): void {
  createHash('sha256').update('text').digest();
  createHash('md5').update('text').digest();
  createHmac('sha256', 'key').update('text').digest();
}

function tryZstandard(): void {
  if (typeof zlib.zstdCompressSync !== 'function') throw new Error('node:zlib has no Zstandard');
  if (zlib.zstdDecompressSync(zlib.zstdCompressSync('text')).toString() !== 'text')
    throw new Error('decompressed text differs');
}

function trySqlite(): string {
  // Not a static import: a runtime without it could not even say so.
  const { DatabaseSync } = createRequire(import.meta.url)('node:sqlite') as typeof Sqlite;
  const database = new DatabaseSync(':memory:');
  try {
    return `SQLite ${String(database.prepare('SELECT sqlite_version() AS version').get()?.['version'])}`;
  } finally {
    database.close();
  }
}
