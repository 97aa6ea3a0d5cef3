import { sign, verify } from 'node:crypto';
import ssh2 from 'ssh2';
import { describe, expect, it } from 'vitest';
import { createEd25519KeyPair } from './ed25519-key-pair.ts';

describe('an Ed25519 key pair for SSH', () => {
  it('is read by an SSH library, whose public half is the one given', () => {
    for (let round = 0; round < 50; round += 1) {
      const pair = createEd25519KeyPair('x'.repeat(round));
      const key = ssh2.utils.parseKey(pair.privateKeyPem);
      if (key instanceof Error) throw key;
      expect(`ssh-ed25519 ${key.getPublicSSH().toString('base64')}`).toBe(pair.publicKey);
      const message = Buffer.from('to be signed');
      const signature = sign(null, message, key.getPrivatePEM());
      expect(verify(null, message, key.getPublicPEM(), signature)).toBe(true);
    }
  });

  it('is another one each time', () => {
    expect(createEd25519KeyPair('a').publicKey).not.toBe(createEd25519KeyPair('a').publicKey);
  });
});
