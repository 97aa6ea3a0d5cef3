import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPair,
  X509Certificate,
  type KeyObject,
} from 'node:crypto';
import { promisify } from 'node:util';
import { z } from 'zod';
import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import { createHttpClient } from '../../../http/http-client.ts';
import { transportError } from '../../../http/http-error.ts';
import { createJsonApi } from '../../../http/json-api.ts';
import { createTokenKeeper } from '../../../http/token-keeper.ts';
import type { Transport } from '../../../http/transport.ts';
import type { RetryContext } from '../../../cloud-resources/retry-context.ts';
import type { OciConnection } from './connection.ts';
import { signingTransport, type SigningKey, type SigningKeySource } from './request-signature.ts';

/** Where an instance finds what it is; reachable from the instance alone, and without TLS. */
const metadataUrl = 'http://169.254.169.254';
const newKeyPair = promisify(generateKeyPair);

/** A private key as PEM. What stands around it, e.g. the label that the console appends, is left out. @throws `cloud.key-unreadable` */
export function readPrivateKey(pem: string, passphrase: string | undefined): KeyObject {
  const block = /-----BEGIN ([A-Z ]*PRIVATE KEY)-----[\s\S]+?-----END \1-----/.exec(pem)?.[0];
  if (block === undefined)
    throw new CausewayError('cloud.key-unreadable', 'private_key_data: not a private key in PEM format', {
      details: { parameter: 'private_key_data' },
    });
  try {
    const key = createPrivateKey({ key: block, ...(passphrase === undefined ? {} : { passphrase }) });
    if (key.asymmetricKeyType === 'rsa') return key;
  } catch {
    const isEncrypted = /ENCRYPTED/.test(block);
    const why = !isEncrypted
      ? 'it cannot be read'
      : passphrase === undefined
        ? 'it is encrypted, and private_key_passphrase is not set'
        : 'private_key_passphrase does not decrypt it';
    throw new CausewayError('cloud.key-unreadable', `private_key_data: ${why}`, {
      details: { parameter: isEncrypted ? 'private_key_passphrase' : 'private_key_data' },
    });
  }
  throw new CausewayError('cloud.key-unreadable', 'private_key_data: requests are signed with an RSA key', {
    details: { parameter: 'private_key_data' },
  });
}

/** The fingerprint that the console shows for a key's public half. */
export function fingerprintOf(key: KeyObject): string {
  const digest = createHash('md5')
    .update(createPublicKey(key).export({ type: 'spki', format: 'der' }))
    .digest('hex');
  return digest.match(/../g)?.join(':') ?? digest;
}

/** When the claims of a token say that it ends, in milliseconds since 1970. */
export function tokenEnd(token: string): number | undefined {
  try {
    const claims: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
    const end = typeof claims === 'object' && claims !== null && 'exp' in claims ? claims.exp : undefined;
    return typeof end === 'number' ? end * 1000 : undefined;
  } catch {
    return undefined;
  }
}

export interface Identity {
  readonly keys: SigningKeySource;
  /** The tenancy that requests are made in. */
  tenancy(signal: AbortSignal): Promise<string>;
}

/** How the endpoint's requests are signed. Nothing is sent or read yet. */
export function identityOf(
  connection: OciConnection,
  transport: Transport,
  around: RetryContext,
  metadata = metadataUrl,
): Identity {
  const { tenancy = '', user = '', fingerprint = '', sessionToken = '', passphrase } = connection;
  let read: KeyObject | undefined;
  const own = (): KeyObject => (read ??= readPrivateKey(connection.privateKey ?? '', passphrase));
  switch (connection.signIn) {
    case 'api_key':
      return {
        keys: async () => ({ keyId: `${tenancy}/${user}/${fingerprint}`, privateKey: own() }),
        tenancy: async () => tenancy,
      };
    case 'session_token':
      return {
        tenancy: async () => tenancy,
        async keys() {
          const end = tokenEnd(sessionToken);
          if (end !== undefined && end <= around.clock.wallTime()) {
            throw new CausewayError(
              'cloud.authentication-failed',
              `sign in: the session token expired at ${new Date(end).toISOString()}`,
              { details: { parameter: 'session_token' } },
            );
          }
          return { keyId: `ST$${sessionToken}`, privateKey: own() };
        },
      };
    case 'instance_principal':
      return instancePrincipal(connection, transport, around, metadata);
  }
}

const tokenSchema = z.looseObject({ token: z.string().min(1) });

/** An instance signs in by the certificate that the platform gives it, and gets a token for a key that is made here. */
function instancePrincipal(
  connection: OciConnection,
  transport: Transport,
  around: RetryContext,
  metadata: string,
): Identity {
  const { clock, random, timing } = around;
  let known: string | undefined;

  async function read(name: string, signal: AbortSignal): Promise<string> {
    const operation = `read ${name} of this instance`;
    try {
      const url = new URL(`${metadata}/opc/v2/identity/${name}`);
      const answer = await transport.send(
        { url, method: 'GET', headers: { authorization: 'Bearer Oracle' }, body: undefined },
        AbortSignal.any([signal, AbortSignal.timeout(10_000)]),
      );
      if (answer.status === 200) return answer.bytes.toString('utf8');
      throw new CausewayError('cloud.authentication-failed', `${operation}: HTTP ${answer.status}`, {
        details: { operation, status: answer.status },
      });
    } catch (error) {
      signal.throwIfAborted();
      throw error instanceof CausewayError
        ? error
        : transportError({ operation, method: 'GET', path: '' }, new URL(metadata).host, error);
    }
  }

  async function certificate(signal: AbortSignal): Promise<X509Certificate> {
    const parsed = new X509Certificate(await read('cert.pem', signal));
    known = /opc-tenant:([^\n,+]+)/.exec(parsed.subject)?.[1] ?? /opc-identity:([^\n,+]+)/.exec(parsed.subject)?.[1];
    if (known !== undefined) return parsed;
    throw new CausewayError(
      'cloud.authentication-failed',
      'sign in: the certificate of this instance names no tenancy',
      { details: { subject: parsed.subject } },
    );
  }

  const keeper = createTokenKeeper<SigningKey>({
    clock,
    async fetch(signal) {
      const [own, key, intermediate] = [
        await certificate(signal),
        await read('key.pem', signal),
        await read('intermediate.pem', signal),
      ];
      const session = await newKeyPair('rsa', { modulusLength: 2048 });
      const keyId = `${known ?? ''}/fed-x509-sha256/${own.fingerprint256}`;
      const signed = signingTransport(
        transport,
        async () => ({ keyId, privateKey: readPrivateKey(key, undefined) }),
        clock,
      );
      const api = createJsonApi(
        createHttpClient({
          baseUrl: connection.serviceUrl('auth'),
          transport: signed,
          clock,
          random,
          backOff: timing.backOff,
          timeoutMs: timing.requestMs,
        }),
      );
      const { token } = await api.read(
        tokenSchema,
        {
          operation: 'sign in',
          method: 'POST',
          path: '/v1/x509',
          idempotent: true,
          json: {
            certificate: bare(own.toString()),
            publicKey: bare(session.publicKey.export({ type: 'spki', format: 'pem' }).toString()),
            intermediateCertificates: [bare(intermediate)],
            purpose: 'DEFAULT',
            fingerprintAlgorithm: 'SHA256',
          },
        },
        signal,
      );
      const lifeMs = Math.max(60_000, (tokenEnd(token) ?? clock.wallTime() + 10 * 60_000) - clock.wallTime());
      return { token: { keyId: `ST$${token}`, privateKey: session.privateKey }, lifeMs };
    },
  });
  return {
    keys: keeper,
    tenancy: async (signal) => connection.tenancy ?? known ?? (await certificate(signal), known ?? ''),
  };
}

/** PEM without its first and last line, and without breaks. */
function bare(pem: string): string {
  return pem.replaceAll(/-----[A-Z ]+-----|\s/g, '');
}
