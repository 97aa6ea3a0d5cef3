import { randomInt } from 'node:crypto';
import { applicationTag, bitString, contextTag, generalString, integer, node, octetString, sequence } from '../der.ts';
import {
  bytesOf,
  DerError,
  fieldOf,
  fieldsOf,
  inside,
  numberOf,
  readNode,
  readNodes,
  textOf,
  timeOf,
  type DerNode,
} from '../der-reader.ts';
import { checksum, checksumTypes, encrypt, isKeyType, keyTypes, type KerberosKey } from './aes-keys.ts';

/** Messages of Kerberos 5 (RFC 4120), as far as a client needs them. */

/** What keys are used for (RFC 4120, 7.5.1). */
export const usages = {
  timestamp: 1,
  loginAnswer: 3,
  requestChecksum: 6,
  requestAuthenticator: 7,
  ticketAnswer: 8,
  authenticator: 11,
} as const;
const dataTypes = { request: 1, timestamp: 2, keyInfo: 19 } as const;
/** The domain may answer with the name that it knows the account by, or with another domain's ticket. */
const canonicalize = Buffer.from([0x00, 0x01, 0x00, 0x00]);
const channelBindingChecksum = 0x8003;

export interface Principal {
  /** 1: a user; 2: a service; 10: a user by an address, which the domain looks up. */
  readonly type: 1 | 2 | 10;
  readonly parts: readonly string[];
}

/** Who asks, for messages that are encrypted with the key of a ticket. */
export interface Ticket {
  /** As it came, DER. */
  readonly bytes: Buffer;
  readonly key: KerberosKey;
  readonly client: { readonly realm: string; readonly name: DerNode };
  readonly service: { readonly realm: string; readonly parts: readonly string[] };
  readonly endsAt: number;
}

export interface SealedAnswer {
  readonly ticket: Buffer;
  readonly clientRealm: string;
  readonly clientName: DerNode;
  readonly keyType: number;
  readonly sealed: Buffer;
}

/** How the key of a password is made, by type of the key. */
export interface KeyInfo {
  readonly type: number;
  readonly salt: string | undefined;
  readonly parameters: Buffer | undefined;
}

export interface KdcError {
  readonly code: number;
  readonly text: string;
  /** The clock of the domain, in milliseconds. */
  readonly time: number;
  readonly keys: readonly KeyInfo[];
}

export function principal({ type, parts }: Principal): Buffer {
  return sequence(contextTag(0, integer(type)), contextTag(1, sequence(...parts.map(generalString))));
}

export interface TicketRequest {
  readonly realm: string;
  readonly client?: Principal | undefined;
  readonly service: Principal;
  readonly nonce: number;
  readonly now: number;
}

/** The part of a request that says what for. The ticket is asked for ten hours. */
function requestBody({ realm, client, service, nonce, now }: TicketRequest): Buffer {
  return sequence(
    contextTag(0, bitString(canonicalize)),
    ...(client === undefined ? [] : [contextTag(1, principal(client))]),
    contextTag(2, generalString(realm)),
    contextTag(3, principal(service)),
    contextTag(5, kerberosTime(now + 10 * 3_600_000)),
    contextTag(7, integer(nonce)),
    contextTag(8, sequence(...keyTypes.map(integer))),
  );
}

function kdcRequest(type: 10 | 12, data: readonly Buffer[], body: Buffer): Buffer {
  const given = data.length === 0 ? [] : [contextTag(3, sequence(...data))];
  return applicationTag(
    type,
    sequence(contextTag(1, integer(5)), contextTag(2, integer(type)), ...given, contextTag(4, body)),
  );
}

const preData = (type: number, value: Buffer): Buffer =>
  sequence(contextTag(1, integer(type)), contextTag(2, octetString(value)));

export const newNonce = (): number => randomInt(1, 2 ** 31 - 1);

/** Asks for the first ticket; with a key, the time is encrypted with it, which proves the password. */
export function loginRequest(request: TicketRequest, key?: KerberosKey): Buffer {
  const data =
    key === undefined
      ? []
      : [
          preData(
            dataTypes.timestamp,
            encryptedData(
              key,
              usages.timestamp,
              sequence(contextTag(0, kerberosTime(request.now)), contextTag(1, integer((request.now % 1000) * 1000))),
            ),
          ),
        ];
  return kdcRequest(10, data, requestBody(request));
}

/** Asks for a ticket for a service, by a ticket that is there. */
export function serviceRequest(request: TicketRequest, by: Ticket): Buffer {
  const body = requestBody(request);
  const sum = { type: checksumTypes[by.key.type], value: checksum(by.key, usages.requestChecksum, body) };
  return kdcRequest(
    12,
    [preData(dataTypes.request, applicationRequest(by, usages.requestAuthenticator, sum, request.now))],
    body,
  );
}

/** What is shown to a service: the ticket, and that its key is known. @param bindings MD5 of the channel (RFC 4121, 4.1.1) */
export function serviceAuthenticator(ticket: Ticket, bindings: Buffer, now: number): Buffer {
  const head = Buffer.alloc(4);
  head.writeUInt32LE(bindings.length);
  return applicationRequest(
    ticket,
    usages.authenticator,
    { type: channelBindingChecksum, value: Buffer.concat([head, bindings, Buffer.alloc(4)]) },
    now,
  );
}

function applicationRequest(
  ticket: Ticket,
  usage: number,
  sum: { readonly type: number; readonly value: Buffer },
  now: number,
): Buffer {
  const { realm, name } = ticket.client;
  // Of a millisecond, so that no two are the same: a service takes each one once.
  const microseconds = (now % 1000) * 1000 + randomInt(1000);
  const authenticator = applicationTag(
    2,
    sequence(
      contextTag(0, integer(5)),
      contextTag(1, generalString(realm)),
      contextTag(2, name.whole),
      contextTag(3, sequence(contextTag(0, integer(sum.type)), contextTag(1, octetString(sum.value)))),
      contextTag(4, integer(microseconds)),
      contextTag(5, kerberosTime(now)),
      contextTag(7, integer(newNonce())),
    ),
  );
  return applicationTag(
    14,
    sequence(
      contextTag(0, integer(5)),
      contextTag(1, integer(14)),
      contextTag(2, bitString(Buffer.alloc(4))),
      contextTag(3, ticket.bytes),
      contextTag(4, encryptedData(ticket.key, usage, authenticator)),
    ),
  );
}

function encryptedData(key: KerberosKey, usage: number, plain: Buffer): Buffer {
  return sequence(contextTag(0, integer(key.type)), contextTag(2, octetString(encrypt(key, usage, plain))));
}

function kerberosTime(ms: number): Buffer {
  return node(0x18, Buffer.from(new Date(ms).toISOString().replace(/[-:T]|\.\d+/g, '')));
}

/** The answer of a domain controller. @throws `DerError` */
export function readAnswer(bytes: Buffer): SealedAnswer | KdcError {
  const outer = readNode(bytes);
  const fields = fieldsOf(readNode(outer.content));
  if (outer.tag === 0x7e) return readError(fields);
  if (outer.tag !== 0x6b && outer.tag !== 0x6d) throw new DerError('neither a ticket nor an error');
  const sealed = fieldsOf(fieldOf(fields, 6));
  return {
    ticket: fieldOf(fields, 5).whole,
    clientRealm: textOf(fieldOf(fields, 3)),
    clientName: fieldOf(fields, 4),
    keyType: numberOf(fieldOf(sealed, 0)),
    sealed: bytesOf(fieldOf(sealed, 2)),
  };
}

function readError(fields: ReadonlyMap<number, DerNode>): KdcError {
  const [text, data] = [fields.get(11), fields.get(12)];
  return {
    code: numberOf(fieldOf(fields, 6)),
    text: text === undefined ? '' : textOf(text),
    time: timeOf(fieldOf(fields, 4)),
    keys: data === undefined ? [] : keysOf(bytesOf(data)),
  };
}

/** What an error says of keys; its data may be of any other form. */
function keysOf(data: Buffer): readonly KeyInfo[] {
  try {
    const found = readNodes(inside(readNode(data), 0x30))
      .map(fieldsOf)
      .find((fields) => numberOf(fieldOf(fields, 1)) === dataTypes.keyInfo);
    return found === undefined ? [] : keyInfos(bytesOf(fieldOf(found, 2)));
  } catch (error) {
    if (error instanceof DerError) return [];
    throw error;
  }
}

function keyInfos(bytes: Buffer): readonly KeyInfo[] {
  return readNodes(inside(readNode(bytes), 0x30)).map((entry) => {
    const fields = fieldsOf(entry);
    const [salt, parameters] = [fields.get(1), fields.get(2)];
    return {
      type: numberOf(fieldOf(fields, 0)),
      salt: salt === undefined ? undefined : textOf(salt),
      parameters: parameters === undefined ? undefined : bytesOf(parameters),
    };
  });
}

/** The decrypted part of an answer. @throws `DerError` if it is not the answer to this request, or for a key of another kind */
export function openAnswer({ ticket, clientRealm, clientName }: SealedAnswer, plain: Buffer, nonce: number): Ticket {
  const outer = readNode(plain);
  if (outer.tag !== 0x79 && outer.tag !== 0x7a) throw new DerError('not the part of an answer');
  const fields = fieldsOf(readNode(outer.content));
  if (numberOf(fieldOf(fields, 2)) !== nonce) throw new DerError('the answer to another request');
  const key = fieldsOf(fieldOf(fields, 0));
  const type = numberOf(fieldOf(key, 0));
  if (!isKeyType(type)) throw new DerError(`a session key of type ${type}`);
  const service = fieldsOf(fieldOf(fields, 10));
  return {
    bytes: ticket,
    key: { type, bytes: bytesOf(fieldOf(key, 1)) },
    client: { realm: clientRealm, name: clientName },
    service: { realm: textOf(fieldOf(fields, 9)), parts: readNodes(inside(fieldOf(service, 1), 0x30)).map(textOf) },
    endsAt: timeOf(fieldOf(fields, 7)),
  };
}
