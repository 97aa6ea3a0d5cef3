import { generateKeyPairSync, randomBytes } from 'node:crypto';

export interface SshKeyPair {
  /** OpenSSH's own private key format: sshd reads no other one for Ed25519. */
  readonly privateKeyPem: string;
  /** `ssh-ed25519 <base64>`, without a comment. */
  readonly publicKey: string;
}

const keyType = Buffer.from('ssh-ed25519');

/** A fresh Ed25519 key pair, for a worker's account or as a worker's host key. */
export function createEd25519KeyPair(comment: string): SshKeyPair {
  const { privateKey } = generateKeyPairSync('ed25519');
  const jwk = privateKey.export({ format: 'jwk' });
  const seed = Buffer.from(jwk.d ?? '', 'base64url');
  const point = Buffer.from(jwk.x ?? '', 'base64url');
  const publicBlob = Buffer.concat([field(keyType), field(point)]);
  return {
    privateKeyPem: privateKeyFile(publicBlob, seed, point, comment),
    publicKey: `ssh-ed25519 ${publicBlob.toString('base64')}`,
  };
}

/** The layout of OpenSSH's PROTOCOL.key: unencrypted, one key, padded with 1, 2, 3… to a multiple of 8. */
function privateKeyFile(publicBlob: Buffer, seed: Buffer, point: Buffer, comment: string): string {
  const check = randomBytes(4);
  const body = Buffer.concat([
    check,
    check,
    field(keyType),
    field(point),
    field(Buffer.concat([seed, point])),
    field(Buffer.from(comment)),
  ]);
  const padding = Buffer.from(Array.from({ length: (8 - (body.length % 8)) % 8 }, (_, index) => index + 1));
  const none = field(Buffer.from('none'));
  const file = Buffer.concat([
    Buffer.from('openssh-key-v1\0'),
    none,
    none,
    field(Buffer.alloc(0)),
    uint32(1),
    field(publicBlob),
    field(Buffer.concat([body, padding])),
  ]);
  const lines = file.toString('base64').match(/.{1,70}/g) ?? [];
  return ['-----BEGIN OPENSSH PRIVATE KEY-----', ...lines, '-----END OPENSSH PRIVATE KEY-----', ''].join('\n');
}

function field(bytes: Buffer): Buffer {
  return Buffer.concat([uint32(bytes.length), bytes]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
