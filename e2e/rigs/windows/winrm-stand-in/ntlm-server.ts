import { X509Certificate, createHash, createHmac, randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { md4 } from '../../../../electron/engine/transport/winrm/ntlm.ts';

const signature = Buffer.from('NTLMSSP\0', 'latin1');
const hmac = (key: Buffer, ...data: readonly Buffer[]): Buffer =>
  createHmac('md5', key).update(Buffer.concat(data)).digest();
const pair = (id: number, value: Buffer): Buffer => {
  const head = Buffer.alloc(4);
  head.writeUInt16LE(id, 0);
  head.writeUInt16LE(value.length, 2);
  return Buffer.concat([head, value]);
};

/** The server's side of NTLM version 2 (MS-NLMP): signs in a connection whose proof, channel binding and integrity code are right. */
export class NtlmServer {
  readonly #username: string;
  readonly #password: string;
  readonly #binding: Buffer;
  readonly #signedIn = new WeakSet<Socket>();
  readonly #challenges = new WeakMap<Socket, { readonly negotiate: Buffer; readonly challenge: Buffer }>();

  constructor(username: string, password: string, certificatePem: string) {
    [this.#username, this.#password] = [username, password];
    const bound = Buffer.concat([
      Buffer.from('tls-server-end-point:'),
      createHash('sha256').update(new X509Certificate(certificatePem).raw).digest(),
    ]);
    const head = Buffer.alloc(20);
    head.writeUInt32LE(bound.length, 16);
    this.#binding = createHash('md5')
      .update(Buffer.concat([head, bound]))
      .digest();
  }

  /** What the server offers or asks; undefined when the connection is signed in. */
  refusal({ socket, headers }: IncomingMessage): string | undefined {
    if (headers.authorization === undefined) return this.#signedIn.has(socket) ? undefined : 'Negotiate, Kerberos';
    const message = Buffer.from(/^Negotiate (.+)$/.exec(headers.authorization)?.[1] ?? '', 'base64');
    if (message.length < 12 || !message.subarray(0, 8).equals(signature)) return 'Negotiate';
    if (message.readUInt32LE(8) === 1) {
      const challenge = challengeMessage();
      this.#challenges.set(socket, { negotiate: message, challenge });
      return `Negotiate ${challenge.toString('base64')}`;
    }
    const asked = this.#challenges.get(socket);
    if (asked === undefined || !this.#proves(message, asked)) return 'Negotiate';
    this.#signedIn.add(socket);
    return undefined;
  }

  #proves(
    message: Buffer,
    { negotiate, challenge }: { readonly negotiate: Buffer; readonly challenge: Buffer },
  ): boolean {
    const field = (at: number): Buffer =>
      message.subarray(message.readUInt32LE(at + 4), message.readUInt32LE(at + 4) + message.readUInt16LE(at));
    const [response, domain, user] = [field(20), field(28), field(36).toString('utf16le')];
    if (user !== this.#username) return false;
    const key = hmac(md4(Buffer.from(this.#password, 'utf16le')), Buffer.from(user.toUpperCase(), 'utf16le'), domain);
    const [proof, blob] = [response.subarray(0, 16), response.subarray(16)];
    if (!hmac(key, challenge.subarray(24, 32), blob).equals(proof)) return false;
    const unsigned = Buffer.from(message);
    unsigned.fill(0, 72, 88);
    const isWhole = hmac(hmac(key, proof), negotiate, challenge, unsigned).equals(message.subarray(72, 88));
    return isWhole && blob.includes(pair(10, this.#binding));
  }
}

function challengeMessage(): Buffer {
  const time = Buffer.alloc(8);
  time.writeBigUInt64LE(BigInt(Date.now()) * 10_000n + 116_444_736_000_000_000n);
  const info = Buffer.concat([
    pair(2, Buffer.from('HV', 'utf16le')),
    pair(1, Buffer.from('HV01', 'utf16le')),
    pair(7, time),
    pair(0, Buffer.alloc(0)),
  ]);
  const head = Buffer.alloc(48);
  signature.copy(head);
  head.writeUInt32LE(2, 8);
  head.writeUInt32LE(0x2088_8205, 20);
  randomBytes(8).copy(head, 24);
  head.writeUInt16LE(info.length, 40);
  head.writeUInt16LE(info.length, 42);
  head.writeUInt32LE(48, 44);
  return Buffer.concat([head, info]);
}
