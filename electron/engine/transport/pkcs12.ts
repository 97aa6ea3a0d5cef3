import { X509Certificate, createCipheriv, createHash, createHmac, createPrivateKey, randomBytes } from 'node:crypto';
import { contextTag, integer, node, nullValue, objectId, octetString, sequence, setOf } from './der.ts';

/**
 * PKCS #12 (RFC 7292): a certificate and its key in one file, as Windows imports them. Key and certificate are encrypted by
 * triple DES and the file is authenticated by SHA-1: the newest way that Windows Server 2016 reads. What protects the
 * content is the channel that carries it, not this encryption.
 */

const iterations = 2048;
const oid = {
  data: '2a864886f70d010701',
  encryptedData: '2a864886f70d010706',
  shroudedKeyBag: '2a864886f70d010c0a0102',
  certBag: '2a864886f70d010c0a0103',
  x509: '2a864886f70d01091601',
  localKeyId: '2a864886f70d010915',
  sha1And3Des: '2a864886f70d010c0103',
  sha1: '2b0e03021a',
} as const;
/** What a derived value is for: RFC 7292, B.3. */
const purpose = { key: 1, iv: 2, mac: 3 } as const;

/** @param password protects the file; Windows asks for the same one */
export function pkcs12(certificate: { readonly certPem: string; readonly keyPem: string }, password: string): Buffer {
  const cert = new X509Certificate(certificate.certPem).raw;
  const key = createPrivateKey(certificate.keyPem).export({ type: 'pkcs8', format: 'der' });
  const id = setOf(sequence(objectId(oid.localKeyId), setOf(octetString(createHash('sha1').update(cert).digest()))));
  const [algorithm, encrypted] = encryption(key, password);
  const keyBag = sequence(objectId(oid.shroudedKeyBag), contextTag(0, sequence(algorithm, octetString(encrypted))), id);
  const certBag = sequence(
    objectId(oid.certBag),
    contextTag(0, sequence(objectId(oid.x509), contextTag(0, octetString(cert)))),
    id,
  );
  const [certAlgorithm, certEncrypted] = encryption(sequence(certBag), password);
  // The encrypted content's tag is implicit.
  const content = sequence(objectId(oid.data), certAlgorithm, node(0x80, certEncrypted));
  const safe = sequence(
    sequence(objectId(oid.encryptedData), contextTag(0, sequence(integer(0), content))),
    sequence(objectId(oid.data), contextTag(0, octetString(sequence(keyBag)))),
  );
  const salt = randomBytes(20);
  const mac = createHmac('sha1', derived(password, salt, purpose.mac, 20))
    .update(safe)
    .digest();
  const check = sequence(
    sequence(sequence(objectId(oid.sha1), nullValue), octetString(mac)),
    octetString(salt),
    integer(iterations),
  );
  return sequence(integer(3), sequence(objectId(oid.data), contextTag(0, octetString(safe))), check);
}

/** The algorithm with its parameters, and the encrypted `content`. */
function encryption(content: Buffer, password: string): readonly [Buffer, Buffer] {
  const salt = randomBytes(8);
  const cipher = createCipheriv(
    'des-ede3-cbc',
    derived(password, salt, purpose.key, 24),
    derived(password, salt, purpose.iv, 8),
  );
  const algorithm = sequence(objectId(oid.sha1And3Des), sequence(octetString(salt), integer(iterations)));
  return [algorithm, Buffer.concat([cipher.update(content), cipher.final()])];
}

/** RFC 7292, appendix B.2, with SHA-1. */
function derived(password: string, salt: Buffer, id: number, length: number): Buffer {
  const block = 64;
  const wide = Buffer.from(`${password}\0`, 'utf16le').swap16();
  const filled = (bytes: Buffer): Buffer => Buffer.alloc(Math.ceil(bytes.length / block) * block, bytes);
  const input = Buffer.concat([filled(salt), filled(wide)]);
  const found: Buffer[] = [];
  for (let size = 0; size < length; size += 20) {
    let hash = createHash('sha1').update(Buffer.alloc(block, id)).update(input).digest();
    for (let round = 1; round < iterations; round++) hash = createHash('sha1').update(hash).digest();
    found.push(hash);
    const added = Buffer.alloc(block, hash);
    for (let from = 0; from < input.length; from += block) {
      let carry = 1;
      for (let at = block - 1; at >= 0; at--) {
        carry += (input[from + at] ?? 0) + (added[at] ?? 0);
        input[from + at] = carry & 0xff;
        carry >>= 8;
      }
    }
  }
  return Buffer.concat(found).subarray(0, length);
}
