import { createVerify, generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto';
import { ApiError } from '../cloud-kit/call.ts';

/** A service account key in the form in which the cloud hands it out for download. */
export interface ServiceAccountKey {
  readonly id: string;
  readonly publicKey: string;
  readonly createdAt: string;
  readonly keyType: 'USER_MANAGED';
  readonly keyOrigin: 'GENERATED';
  readonly keyAlgorithm: 'RSA_2048';
  readonly active: boolean;
  readonly validUntil: string;
  readonly credentials: {
    readonly kid: string;
    readonly iss: string;
    readonly sub: string;
    readonly aud: string;
    readonly privateKey: string;
    readonly tokenEndpoint: string;
  };
}

const grantType = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const day = 86_400_000;

/** The key flow: proves assertions signed with the service account's key, gives out access tokens that expire. */
export class TokenEndpoint {
  readonly #kid = randomUUID();
  readonly #sub = randomUUID();
  readonly #issuer = 'migration-lab@sa.causeway.invalid';
  readonly #audience: string;
  readonly #keys = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  readonly #tokens = new Map<string, number>();
  readonly #usedAssertions = new Set<string>();
  /** Life of a token in seconds; tests may shorten it. */
  lifetimeSeconds = 3600;
  issued = 0;

  constructor(audience: string) {
    this.#audience = audience;
  }

  serviceAccountKey(tokenUrl: string): ServiceAccountKey {
    return {
      id: this.#kid,
      publicKey: this.#keys.publicKey,
      createdAt: new Date().toISOString(),
      keyType: 'USER_MANAGED',
      keyOrigin: 'GENERATED',
      keyAlgorithm: 'RSA_2048',
      active: true,
      validUntil: new Date(Date.now() + 30 * day).toISOString(),
      credentials: {
        kid: this.#kid,
        iss: this.#issuer,
        sub: this.#sub,
        aud: this.#audience,
        privateKey: this.#keys.privateKey,
        tokenEndpoint: tokenUrl,
      },
    };
  }

  /** Answers `POST /token` with a form as its body. */
  issue(form: Readonly<Record<string, unknown>>): Record<string, unknown> {
    if (form['grant_type'] !== grantType) throw new ApiError(400, 'grant_type is not supported');
    this.#verify(String(form['assertion'] ?? ''));
    const token = randomBytes(32).toString('base64url');
    this.#tokens.set(token, Date.now() + this.lifetimeSeconds * 1000);
    this.issued += 1;
    return {
      access_token: token,
      expires_in: this.lifetimeSeconds,
      token_type: 'Bearer',
      scope: '',
      refresh_token: randomBytes(32).toString('base64url'),
    };
  }

  /** Whether an Authorization header carries a token that is still good. */
  accepts(authorization: string | undefined): boolean {
    const token = /^Bearer (.+)$/.exec(authorization ?? '')?.[1];
    const expiry = token === undefined ? undefined : this.#tokens.get(token);
    return expiry !== undefined && expiry > Date.now();
  }

  /** All tokens given out so far stop being accepted, as after a key was revoked or a region failed over. */
  revokeTokens(): void {
    this.#tokens.clear();
  }

  #verify(assertion: string): void {
    const [head = '', payload = '', signature = ''] = assertion.split('.');
    const header = decode(head);
    const claims = decode(payload);
    if (header['alg'] !== 'RS512' || header['typ'] !== 'JWT')
      throw new ApiError(400, 'assertion is not signed with RS512');
    if (header['kid'] !== this.#kid) throw new ApiError(400, `Key with kid ${String(header['kid'])} was not found`);
    const verified = createVerify('RSA-SHA512')
      .update(`${head}.${payload}`)
      .verify(this.#keys.publicKey, signature, 'base64url');
    if (!verified) throw new ApiError(400, 'signature of the assertion is not valid');
    if (claims['iss'] !== this.#issuer || claims['sub'] !== this.#sub)
      throw new ApiError(400, 'issuer or subject is not known');
    if (claims['aud'] !== this.#audience) throw new ApiError(400, 'audience is not valid');
    const seconds = Date.now() / 1000;
    const [issuedAt, expiry] = [Number(claims['iat']), Number(claims['exp'])];
    if (!(issuedAt <= seconds + 60) || !(expiry > seconds) || !(expiry - issuedAt <= 3600)) {
      throw new ApiError(400, 'assertion is not valid at this time');
    }
    const id = claims['jti'];
    if (typeof id !== 'string' || this.#usedAssertions.has(id)) throw new ApiError(400, 'assertion was used before');
    this.#usedAssertions.add(id);
  }
}

function decode(part: string): Record<string, unknown> {
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString('utf8')) as Record<string, unknown>;
  } catch {
    throw new ApiError(400, 'assertion is not a JWT');
  }
}
