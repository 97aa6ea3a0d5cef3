import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';

/**
 * Gives this process the cryptography of Electron, for tests where Electron can't run: `node --import <this file>`. What
 * BoringSSL does not list can't be created either. The lists are those of BoringSSL's `EVP_CIPHER_do_all_sorted` and
 * `EVP_MD_do_all_sorted` (decrepit/evp/evp_do_all.cc) and of `EC_get_builtin_curves`, each name in both cases as there;
 * Diffie-Hellman groups of RFC 2409 and keys on curve 448 are left out of Node when it is built with BoringSSL.
 *
 * `CAUSEWAY_RUNTIME_LACKS` takes away more, to see what is said of it: `ed25519-jwk`, `x25519`, `aes`, `scrypt`.
 */
const ciphers = [
  ...['128', '192', '256'].flatMap((bits) => ['cbc', 'ctr', 'ecb', 'ofb', 'gcm'].map((mode) => `aes-${bits}-${mode}`)),
  'des-cbc',
  'des-ecb',
  'des-ede',
  'des-ede-cbc',
  'des-ede3-cbc',
  'rc2-cbc',
  'rc4',
];
const hashes = ['md4', 'md5', 'md5-sha1', 'sha1', 'sha224', 'sha256', 'sha384', 'sha512', 'sha512-256'];
const curves = ['secp224r1', 'prime256v1', 'secp384r1', 'secp521r1'];
const keyTypes = ['rsa', 'rsa-pss', 'dsa', 'ec', 'ed25519', 'x25519', 'dh'];

const lacks = new Set((process.env['CAUSEWAY_RUNTIME_LACKS'] ?? '').split(','));
const has = (names: readonly string[], name: unknown): boolean =>
  names.includes(String(name).toLowerCase()) && !(lacks.has('aes') && String(name).startsWith('aes'));
const bothCases = (names: readonly string[]): string[] =>
  [...names.map((name) => name.toUpperCase()), ...names].filter((name) => !lacks.has('aes') || !/^aes/i.test(name));

/** Replaces a function of `node:crypto` by one that looks at its arguments first. */
function restrict(name: keyof typeof crypto, check: (args: readonly unknown[]) => void): void {
  const original = crypto[name] as (...args: unknown[]) => unknown;
  Object.assign(crypto, {
    [name]: (...args: unknown[]): unknown => {
      check(args);
      return original.apply(crypto, args);
    },
  });
}
function refuse(message: string, code: string): never {
  throw Object.assign(new Error(message), { code });
}

for (const name of ['createCipheriv', 'createDecipheriv'] as const) {
  restrict(name, ([cipher]) => has(ciphers, cipher) || refuse('Unknown cipher', 'ERR_CRYPTO_UNKNOWN_CIPHER'));
}
for (const name of ['createHash', 'createHmac', 'createSign', 'createVerify'] as const) {
  restrict(name, ([hash]) => has(hashes, hash) || refuse('Digest method not supported', 'ERR_CRYPTO_INVALID_DIGEST'));
}
restrict('createECDH', ([curve]) => has(curves, curve) || refuse('Invalid EC curve name', 'ERR_CRYPTO_INVALID_CURVE'));
for (const name of ['createDiffieHellmanGroup', 'getDiffieHellman'] as const) {
  restrict(name, ([group]) =>
    ['modp1', 'modp2'].includes(String(group)) ? refuse('Unknown DH group', 'ERR_CRYPTO_UNKNOWN_DH_GROUP') : undefined,
  );
}
for (const name of ['generateKeyPair', 'generateKeyPairSync'] as const) {
  restrict(
    name,
    ([type]) =>
      (has(keyTypes, type) && !lacks.has(String(type))) ||
      refuse(`Key type ${String(type)} is not supported`, 'ERR_INVALID_ARG_VALUE'),
  );
}
if (lacks.has('scrypt'))
  restrict('scrypt', () => refuse('Invalid scrypt params: memory limit exceeded', 'ERR_CRYPTO_INVALID_SCRYPT_PARAMS'));
if (lacks.has('ed25519-jwk')) {
  const prototype = Object.getPrototypeOf(crypto.generateKeyPairSync('ed25519').privateKey) as object;
  const exportKey = (prototype as crypto.KeyObject).export as (this: crypto.KeyObject, options?: object) => string;
  Object.assign(prototype, {
    export(this: crypto.KeyObject, options?: { readonly format?: string }): string {
      if (options?.format === 'jwk') refuse('Unsupported JWK Key Type.', 'ERR_CRYPTO_JWK_UNSUPPORTED_KEY_TYPE');
      return exportKey.call(this, options);
    },
  });
}
Object.assign(crypto, {
  getCiphers: () => bothCases(ciphers),
  getHashes: () => bothCases(hashes),
  getCurves: () => [...curves],
});
syncBuiltinESMExports();
