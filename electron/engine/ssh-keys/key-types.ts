import { createPublicKey, diffieHellman, generateKeyPairSync, sign, verify } from 'node:crypto';

/** Whether the runtime signs and verifies with Ed25519, and exports such a key as JWK. */
export function hasEd25519(): boolean {
  return succeeds(tryEd25519);
}

/** Whether the runtime agrees on a key by X25519, with a public key that comes from elsewhere. */
export function hasX25519(): boolean {
  return succeeds(tryX25519);
}

/** @throws what the runtime says when it lacks one of them */
export function tryEd25519(): void {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const jwk = privateKey.export({ format: 'jwk' });
  if (jwk.d === undefined || jwk.x === undefined) throw new Error('the exported key has no "d" and "x"');
  const text = Buffer.from('causeway');
  if (!verify(null, text, publicKey, sign(null, text, privateKey)))
    throw new Error('its own signature does not verify');
}

/** @throws what the runtime says when it lacks it */
export function tryX25519(): void {
  const mine = generateKeyPairSync('x25519');
  const other = generateKeyPairSync('x25519');
  // As in SSH: the other side's key comes as bytes.
  const received = createPublicKey({
    key: other.publicKey.export({ type: 'spki', format: 'der' }),
    type: 'spki',
    format: 'der',
  });
  const ours = diffieHellman({ privateKey: mine.privateKey, publicKey: received });
  const theirs = diffieHellman({ privateKey: other.privateKey, publicKey: mine.publicKey });
  if (!ours.equals(theirs)) throw new Error('both sides compute different secrets');
}

function succeeds(attempt: () => void): boolean {
  try {
    attempt();
    return true;
  } catch {
    return false;
  }
}
