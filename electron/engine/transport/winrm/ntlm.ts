import { createHash, createHmac, randomBytes } from 'node:crypto';
import { CausewayError } from '../../../../shared/model/causeway-error.ts';

/**
 * NTLM (MS-NLMP), version 2 only, for signing in over TLS: no message is sealed, as TLS does that. The server's certificate is bound
 * into the proof, so that it is worth nothing to a server in between.
 */

const signature = Buffer.from('NTLMSSP\0', 'latin1');
/** Unicode, a target's name, NTLM, always sign, extended session security, target information, 128 and 56 bits. */
const flags =
  0x0000_0001 | 0x0000_0004 | 0x0000_0200 | 0x0000_8000 | 0x0008_0000 | 0x0080_0000 | 0x2000_0000 | 0x8000_0000;
const pairs = { end: 0, timestamp: 7, flags: 6, targetName: 9, channelBindings: 10 } as const;
const messageIntegrity = Buffer.from([2, 0, 0, 0]);

export interface NtlmAccount {
  readonly domain: string;
  readonly user: string;
  readonly password: string;
}

/** `DOMAIN\user`, `user@domain` or `user`. */
export function ntlmAccount(username: string, password: string): NtlmAccount {
  const at = username.indexOf('\\');
  return at < 0
    ? { domain: '', user: username, password }
    : { domain: username.slice(0, at), user: username.slice(at + 1), password };
}

/** The first message: what this side can do. */
export function negotiateMessage(): Buffer {
  const message = Buffer.alloc(32);
  signature.copy(message);
  message.writeUInt32LE(1, 8);
  message.writeUInt32LE(flags >>> 0, 12);
  return message;
}

/** Set only by the test vectors of the specification. */
export interface NtlmChoices {
  readonly clientChallenge?: Buffer;
  readonly timestamp?: Buffer;
}

/**
 * The last message: the proof of the password.
 *
 * @param certificate of the server, DER; its hash is the channel binding
 * @param service `HTTP/<host>`
 * @throws `transport.login-refused` when the challenge is none
 */
export function authenticateMessage(
  negotiate: Buffer,
  challenge: Buffer,
  account: NtlmAccount,
  certificate: Buffer,
  service: string,
  choices: NtlmChoices = {},
): Buffer {
  const { serverChallenge, targetInfo } = readChallenge(challenge);
  const clientChallenge = choices.clientChallenge ?? randomBytes(8);
  const given = targetInfo.find(({ id }) => id === pairs.timestamp)?.value;
  const timestamp = choices.timestamp ?? given ?? fileTime(Date.now());
  const info = encodePairs([
    ...targetInfo.filter(({ id }) => id !== pairs.flags && id !== pairs.targetName && id !== pairs.channelBindings),
    ...(given === undefined ? [] : [{ id: pairs.flags, value: messageIntegrity }]),
    { id: pairs.channelBindings, value: channelBindings(certificate) },
    { id: pairs.targetName, value: Buffer.from(service, 'utf16le') },
  ]);
  const key = responseKey(account);
  const { proof, response } = ntResponse(key, serverChallenge, clientChallenge, timestamp, info);
  // With a timestamp the weaker response is left out (MS-NLMP 3.1.5.1.2).
  const weak =
    given === undefined
      ? Buffer.concat([hmac(key, Buffer.concat([serverChallenge, clientChallenge])), clientChallenge])
      : Buffer.alloc(24);
  const message = layOut([
    weak,
    response,
    Buffer.from(account.domain, 'utf16le'),
    Buffer.from(account.user, 'utf16le'),
    Buffer.alloc(0),
    Buffer.alloc(0),
  ]);
  if (given !== undefined) hmac(hmac(key, proof), Buffer.concat([negotiate, challenge, message])).copy(message, 72);
  return message;
}

/** NTOWFv2: what stands for the password. */
export function responseKey({ domain, user, password }: NtlmAccount): Buffer {
  return hmac(md4(Buffer.from(password, 'utf16le')), Buffer.from(upperCase(user) + domain, 'utf16le'));
}

/** As Windows does it, letter by letter: none becomes two, as "\u00df" would. */
function upperCase(text: string): string {
  return text.replace(/./gsu, (letter) =>
    letter.toUpperCase().length === letter.length ? letter.toUpperCase() : letter,
  );
}

/** NTLMv2: the proof and the whole response. */
export function ntResponse(
  key: Buffer,
  serverChallenge: Buffer,
  clientChallenge: Buffer,
  timestamp: Buffer,
  info: Buffer,
): { readonly proof: Buffer; readonly response: Buffer } {
  const blob = Buffer.concat([
    Buffer.from([1, 1, 0, 0, 0, 0, 0, 0]),
    timestamp,
    clientChallenge,
    Buffer.alloc(4),
    info,
    Buffer.alloc(4),
  ]);
  const proof = hmac(key, Buffer.concat([serverChallenge, blob]));
  return { proof, response: Buffer.concat([proof, blob]) };
}

/** MD5 of the binding structure (RFC 2744, 3.11) over `tls-server-end-point` (RFC 5929, 4.1). */
export function channelBindings(certificate: Buffer): Buffer {
  const bound = Buffer.concat([
    Buffer.from('tls-server-end-point:'),
    createHash(certificateHash(certificate)).update(certificate).digest(),
  ]);
  const head = Buffer.alloc(20);
  head.writeUInt32LE(bound.length, 16);
  return createHash('md5').update(head).update(bound).digest();
}

/** The hash of the certificate's own signature; SHA-256 where that is MD5 or SHA-1. */
function certificateHash(certificate: Buffer): 'sha256' | 'sha384' | 'sha512' {
  const has = (...ids: readonly string[]): boolean => ids.some((id) => certificate.includes(Buffer.from(id, 'hex')));
  // RSASSA-PSS names its hash in its parameters.
  const isPss = has('2a864886f70d01010a');
  if (has('2a864886f70d01010c', '2a8648ce3d040303') || (isPss && has('608648016503040202'))) return 'sha384';
  return has('2a864886f70d01010d', '2a8648ce3d040304') || (isPss && has('608648016503040203')) ? 'sha512' : 'sha256';
}

interface Pair {
  readonly id: number;
  readonly value: Buffer;
}

function readChallenge(message: Buffer): { readonly serverChallenge: Buffer; readonly targetInfo: readonly Pair[] } {
  const refuse = (): never => {
    throw new CausewayError('transport.login-refused', 'the server sent a sign-in challenge that is not valid');
  };
  if (message.length < 48 || !message.subarray(0, 8).equals(signature) || message.readUInt32LE(8) !== 2)
    return refuse();
  const [length, offset] = [message.readUInt16LE(40), message.readUInt32LE(44)];
  if (offset + length > message.length) return refuse();
  const info = message.subarray(offset, offset + length);
  const targetInfo: Pair[] = [];
  for (let at = 0; at + 4 <= info.length;) {
    const [id, size] = [info.readUInt16LE(at), info.readUInt16LE(at + 2)];
    if (id === pairs.end) break;
    if (at + 4 + size > info.length) return refuse();
    targetInfo.push({ id, value: info.subarray(at + 4, at + 4 + size) });
    at += 4 + size;
  }
  return { serverChallenge: message.subarray(24, 32), targetInfo };
}

function encodePairs(list: readonly Pair[]): Buffer {
  return Buffer.concat(
    [...list, { id: pairs.end, value: Buffer.alloc(0) }].map(({ id, value }) => {
      const head = Buffer.alloc(4);
      head.writeUInt16LE(id, 0);
      head.writeUInt16LE(value.length, 2);
      return Buffer.concat([head, value]);
    }),
  );
}

/** Head, place for the integrity code, then the fields. */
function layOut(fields: readonly Buffer[]): Buffer {
  const head = Buffer.alloc(88);
  signature.copy(head);
  head.writeUInt32LE(3, 8);
  let offset = head.length;
  for (const [index, { length }] of fields.entries()) {
    const at = 12 + index * 8;
    head.writeUInt16LE(length, at);
    head.writeUInt16LE(length, at + 2);
    head.writeUInt32LE(offset, at + 4);
    offset += length;
  }
  head.writeUInt32LE(flags >>> 0, 60);
  return Buffer.concat([head, ...fields]);
}

/** In units of 100 ns since 1601. */
function fileTime(unixMs: number): Buffer {
  const time = Buffer.alloc(8);
  time.writeBigUInt64LE(BigInt(unixMs) * 10_000n + 116_444_736_000_000_000n);
  return time;
}

function hmac(key: Buffer, data: Buffer): Buffer {
  return createHmac('md5', key).update(data).digest();
}

/** RFC 1320. OpenSSL 3 has it only among its legacy algorithms, which Node does not load. */
export function md4(data: Buffer): Buffer {
  const padded = Buffer.alloc(Math.ceil((data.length + 9) / 64) * 64);
  data.copy(padded);
  padded[data.length] = 0x80;
  padded.writeUInt32LE((data.length * 8) >>> 0, padded.length - 8);
  const state = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476];
  const rounds: readonly {
    readonly add: number;
    readonly shifts: readonly number[];
    readonly order: readonly number[];
    readonly mix: (x: number, y: number, z: number) => number;
  }[] = [
    {
      add: 0,
      shifts: [3, 7, 11, 19],
      order: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
      mix: (x, y, z) => (x & y) | (~x & z),
    },
    {
      add: 0x5a82_7999,
      shifts: [3, 5, 9, 13],
      order: [0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15],
      mix: (x, y, z) => (x & y) | (x & z) | (y & z),
    },
    {
      add: 0x6ed9_eba1,
      shifts: [3, 9, 11, 15],
      order: [0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15],
      mix: (x, y, z) => x ^ y ^ z,
    },
  ];
  for (let block = 0; block < padded.length; block += 64) {
    let [a = 0, b = 0, c = 0, d = 0] = state;
    for (const { add, shifts, order, mix } of rounds) {
      for (const [step, word] of order.entries()) {
        const sum = (a + mix(b, c, d) + padded.readUInt32LE(block + word * 4) + add) | 0;
        const shift = shifts[step % 4] ?? 0;
        [a, b, c, d] = [d, (sum << shift) | (sum >>> (32 - shift)), b, c];
      }
    }
    for (const [index, value] of [a, b, c, d].entries()) state[index] = ((state[index] ?? 0) + value) | 0;
  }
  const digest = Buffer.alloc(16);
  for (const [index, value] of state.entries()) digest.writeInt32LE(value | 0, index * 4);
  return digest;
}
