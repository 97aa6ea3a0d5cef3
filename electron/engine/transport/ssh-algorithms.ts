import { createCipheriv, getCiphers, getCurves, getHashes, type CipherGCMOptions } from 'node:crypto';
import type { CipherAlgorithm, KexAlgorithm, MacAlgorithm, ServerHostKeyAlgorithm } from 'ssh2';
import { CausewayError } from '../../../shared/model/causeway-error.ts';
import { hasEd25519, hasX25519 } from '../ssh-keys/key-types.ts';

/** What a client offers in its first SSH message, best first. */
export interface SshAlgorithms {
  readonly cipher: CipherAlgorithm[];
  readonly kex: KexAlgorithm[];
  readonly hmac: MacAlgorithm[];
  readonly serverHostKey: ServerHostKeyAlgorithm[];
}

interface Cipher {
  readonly ssh: CipherAlgorithm;
  /** OpenSSL's name, with the sizes of a key and a nonce in bytes. */
  readonly name: string;
  readonly keyBytes: number;
  readonly nonceBytes: number;
}

// aes128-gcm is the fastest of the strong ones wherever processors have AES; the others are for old or restricted servers.
const ciphers: readonly Cipher[] = [
  { ssh: 'aes128-gcm@openssh.com', name: 'aes-128-gcm', keyBytes: 16, nonceBytes: 12 },
  { ssh: 'aes256-gcm@openssh.com', name: 'aes-256-gcm', keyBytes: 32, nonceBytes: 12 },
  { ssh: 'chacha20-poly1305@openssh.com', name: 'chacha20', keyBytes: 32, nonceBytes: 16 },
  { ssh: 'aes128-ctr', name: 'aes-128-ctr', keyBytes: 16, nonceBytes: 16 },
  { ssh: 'aes256-ctr', name: 'aes-256-ctr', keyBytes: 32, nonceBytes: 16 },
];

const keyExchanges: readonly { readonly ssh: KexAlgorithm; readonly curve?: string; readonly hash: string }[] = [
  { ssh: 'ecdh-sha2-nistp256', curve: 'prime256v1', hash: 'sha256' },
  { ssh: 'ecdh-sha2-nistp384', curve: 'secp384r1', hash: 'sha384' },
  { ssh: 'ecdh-sha2-nistp521', curve: 'secp521r1', hash: 'sha512' },
  { ssh: 'diffie-hellman-group-exchange-sha256', hash: 'sha256' },
  { ssh: 'diffie-hellman-group14-sha256', hash: 'sha256' },
  { ssh: 'diffie-hellman-group16-sha512', hash: 'sha512' },
  { ssh: 'diffie-hellman-group18-sha512', hash: 'sha512' },
];

const macs: readonly { readonly ssh: MacAlgorithm; readonly hash: string }[] = [
  { ssh: 'hmac-sha2-256-etm@openssh.com', hash: 'sha256' },
  { ssh: 'hmac-sha2-512-etm@openssh.com', hash: 'sha512' },
  { ssh: 'hmac-sha2-256', hash: 'sha256' },
  { ssh: 'hmac-sha2-512', hash: 'sha512' },
  { ssh: 'hmac-sha1', hash: 'sha1' },
];

const hostKeys: readonly { readonly ssh: ServerHostKeyAlgorithm; readonly curve?: string; readonly hash: string }[] = [
  { ssh: 'ecdsa-sha2-nistp256', curve: 'prime256v1', hash: 'sha256' },
  { ssh: 'ecdsa-sha2-nistp384', curve: 'secp384r1', hash: 'sha384' },
  { ssh: 'ecdsa-sha2-nistp521', curve: 'secp521r1', hash: 'sha512' },
  { ssh: 'rsa-sha2-512', hash: 'sha512' },
  { ssh: 'rsa-sha2-256', hash: 'sha256' },
];

let available: SshAlgorithms | undefined;

/**
 * The SSH algorithms that this runtime's cryptography has. Node uses OpenSSL, Electron uses BoringSSL, which lacks
 * ChaCha20 as a plain cipher, among others; ssh2 refuses a list with an algorithm that the runtime lacks.
 */
export function availableSshAlgorithms(): SshAlgorithms {
  available ??= detect();
  return available;
}

/**
 * The algorithms for a login, with a host key of the known type if one is given.
 *
 * @param hostKey `<type> <base64>`
 * @throws CausewayError `general.runtime-lacks` when nothing is left to offer
 */
export function sshAlgorithmsFor(hostKey: string | undefined): SshAlgorithms {
  const all = availableSshAlgorithms();
  // A server has keys of several types; it must be asked for the one that is known.
  const type = hostKey?.trim().split(/\s+/)[0];
  const wanted =
    type === undefined
      ? all.serverHostKey
      : all.serverHostKey.filter((name) => name === type || (type === 'ssh-rsa' && name.startsWith('rsa-')));
  const offered: SshAlgorithms = { ...all, serverHostKey: wanted };
  const kinds = {
    cipher: 'ciphers',
    kex: 'key exchange methods',
    hmac: 'message authentication codes',
    serverHostKey: type === undefined ? 'host key types' : `host keys of type ${type}`,
  };
  const lacking = (Object.keys(kinds) as (keyof SshAlgorithms)[])
    .filter((kind) => offered[kind].length === 0)
    .map((kind) => kinds[kind]);
  if (lacking.length > 0) throw new CausewayError('general.runtime-lacks', `SSH: no usable ${lacking.join(', ')}`);
  return offered;
}

function detect(): SshAlgorithms {
  const curves = new Set(getCurves());
  const hashes = new Set(getHashes().map((name) => name.toLowerCase()));
  const listed = new Set(getCiphers());
  const has = ({ curve, hash }: { readonly curve?: string; readonly hash: string }): boolean =>
    hashes.has(hash) && (curve === undefined || curves.has(curve));
  const names = <T>(all: readonly { readonly ssh: T; readonly curve?: string; readonly hash: string }[]): T[] =>
    all.filter(has).map(({ ssh }) => ssh);
  return {
    cipher: ciphers.filter((cipher) => listed.has(cipher.name) && works(cipher)).map(({ ssh }) => ssh),
    kex: [
      ...(hasX25519() ? (['curve25519-sha256', 'curve25519-sha256@libssh.org'] as const) : []),
      ...names(keyExchanges),
    ],
    hmac: names(macs),
    serverHostKey: [...(hasEd25519() ? (['ssh-ed25519'] as const) : []), ...names(hostKeys)],
  };
}

function works({ name, keyBytes, nonceBytes }: Cipher): boolean {
  try {
    createCipheriv(
      name as 'aes-128-gcm',
      Buffer.alloc(keyBytes),
      Buffer.alloc(nonceBytes),
      {} as CipherGCMOptions,
    ).update(Buffer.alloc(16));
    return true;
  } catch {
    return false;
  }
}
