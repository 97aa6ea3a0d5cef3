import { createPrivateKey, type KeyObject } from 'node:crypto';
import { z } from 'zod';
import { CausewayError } from '../../../../shared/model/causeway-error.ts';

const keySchema = z.looseObject({
  id: z.string().optional(),
  active: z.boolean().optional(),
  validUntil: z.string().optional(),
  credentials: z.looseObject({
    kid: z.string().min(1),
    iss: z.string().min(1),
    sub: z.string().min(1),
    aud: z.string().min(1),
    privateKey: z.string().optional(),
    tokenEndpoint: z.string().optional(),
  }),
});

export interface ServiceAccountKey {
  readonly kid: string;
  /** The service account's address. */
  readonly issuer: string;
  readonly subject: string;
  readonly audience: string;
  readonly privateKey: KeyObject;
  readonly tokenUrl: string | undefined;
  readonly validUntil: string | undefined;
  readonly active: boolean;
}

/**
 * Reads a service account key: the cloud's JSON, plain or in base64. `separatePrivateKey` is the PEM
 * for keys that were made with one's own key pair.
 *
 * @throws `cloud.key-unreadable`, without a byte of the key.
 */
export function readServiceAccountKey(text: string, separatePrivateKey: string | undefined): ServiceAccountKey {
  const parsed = keySchema.safeParse(parseJson(text.trim()));
  if (!parsed.success) {
    const paths = parsed.error.issues.map((issue) => issue.path.join('.') || 'the whole').join(', ');
    throw new CausewayError(
      'cloud.key-unreadable',
      `service account key: not valid JSON or Base64 of a key (${paths})`,
    );
  }
  const { credentials, active, validUntil } = parsed.data;
  const pem = separatePrivateKey ?? credentials.privateKey;
  if (pem === undefined)
    throw new CausewayError(
      'cloud.key-unreadable',
      'service account key: it contains no private key, and no separate private key is set',
    );
  return {
    kid: credentials.kid,
    issuer: credentials.iss,
    subject: credentials.sub,
    audience: credentials.aud,
    privateKey: readPem(pem),
    tokenUrl: credentials.tokenEndpoint,
    validUntil,
    active: active ?? true,
  };
}

function parseJson(text: string): unknown {
  const json = text.startsWith('{') ? text : Buffer.from(text, 'base64').toString('utf8');
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

function readPem(pem: string): KeyObject {
  let key: KeyObject;
  try {
    key = createPrivateKey(pem.replaceAll('\\n', '\n'));
  } catch {
    // The library's message may quote the input; it is not passed on.
    throw new CausewayError('cloud.key-unreadable', 'service account key: its private key is not a readable PEM');
  }
  if (key.asymmetricKeyType !== 'rsa') {
    throw new CausewayError(
      'cloud.key-unreadable',
      `service account key: expected an RSA private key, found ${key.asymmetricKeyType ?? 'another kind'}`,
    );
  }
  return key;
}
