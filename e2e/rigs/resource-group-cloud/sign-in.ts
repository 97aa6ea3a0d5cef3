import { constants, createHash, randomBytes, verify, X509Certificate } from 'node:crypto';
import type { Operation, Reply } from '../cloud-kit/call.ts';

interface Principal {
  readonly tenant: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

/** A code that somebody was asked to enter. */
interface DeviceCode {
  readonly userCode: string;
  readonly clientId: string;
  readonly end: number;
  state: 'pending' | 'approved' | 'declined';
}

/** As the standard calls it, and as the vendor's library still does. */
const deviceGrants: readonly unknown[] = ['urn:ietf:params:oauth:grant-type:device_code', 'device_code'];
/** The application of the vendor's own command line tool, which every directory knows. */
const commandLineTool = '04b07795-8ddb-461a-bbee-02f9e1bf7b46';

/** The part of the directory service that gives tokens: client secret and client certificate of one service principal, and people who enter a device code. */
export class SignIn {
  /** Of new tokens, seconds. */
  lifetimeSeconds = 3600;
  /** PEM. Without one, only the secret is accepted. */
  certificate: string | undefined;
  /** Who signs in where a code is entered. */
  person = 'alex@example.onmicrosoft.com';
  /** How long a code is good, and how often a client may ask whether it was entered, in seconds. */
  codeLifetimeSeconds = 900;
  codeIntervalSeconds = 5;
  readonly #codes = new Map<string, DeviceCode>();
  /** With the application that each was given to. */
  readonly #refreshTokens = new Map<string, string>();
  readonly #principal: Principal;
  readonly #tokens = new Map<string, number>();
  readonly operations: Readonly<Record<string, readonly [id: string, operation: Operation<unknown>]>>;

  constructor(tenant: string, clientId: string, clientSecret: string) {
    this.#principal = { tenant, clientId, clientSecret };
    this.operations = {
      'GET /{tenant}/v2.0/.well-known/openid-configuration': [
        'OpenIdConfiguration',
        ({ params, headers }) => this.#configuration(params['tenant'] ?? '', headers.host ?? ''),
      ],
      'POST /{tenant}/oauth2/v2.0/devicecode': [
        'DeviceCode',
        ({ params, body, headers }) => this.#deviceCode(params['tenant'] ?? '', body, headers.host ?? ''),
      ],
      'POST /{tenant}/oauth2/v2.0/token': [
        'Token',
        ({ params, body, headers }) => this.#token(params['tenant'] ?? '', body, headers.host ?? ''),
      ],
    };
  }

  /** Whether a request's header carries a token that is still good. */
  accepts(authorization: string | undefined): boolean {
    const end = this.#tokens.get(/^Bearer (.+)$/.exec(authorization ?? '')?.[1] ?? '');
    return end !== undefined && end > Date.now();
  }

  /** All tokens so far end, as when the principal is changed. */
  revokeAll(): void {
    this.#tokens.clear();
  }

  /** What a person does in the browser with a code that some program shows. */
  enter(userCode: string, decision: 'approved' | 'declined' = 'approved'): void {
    const code = [...this.#codes.values()].find((one) => one.userCode === userCode);
    if (code === undefined) throw new Error(`nobody was given the code ${userCode}`);
    code.state = decision;
  }

  /** All that renews or is a token, for tests that look for them where they must not be. */
  personSecrets(): readonly string[] {
    return [...this.#refreshTokens.keys(), ...this.#tokens.keys()];
  }

  /** Ends all that people have signed in to, as when they change their password. */
  endSessions(): void {
    this.#refreshTokens.clear();
    this.revokeAll();
  }

  #deviceCode(tenant: string, form: Readonly<Record<string, unknown>>, host: string): Reply {
    const refused = this.#refusePerson(tenant, form);
    if (refused !== undefined) return refused;
    if (!String(form['scope'] ?? '').includes('/.default'))
      return refusal(
        400,
        'invalid_scope',
        "AADSTS70011: The provided value for the input parameter 'scope' is not valid.",
      );
    const deviceCode = randomBytes(40).toString('base64url');
    const userCode = randomBytes(6).toString('hex').slice(0, 9).toUpperCase();
    this.#codes.set(deviceCode, {
      userCode,
      clientId: String(form['client_id']),
      end: Date.now() + this.codeLifetimeSeconds * 1000,
      state: 'pending',
    });
    const address = `https://${host}/device`;
    return {
      status: 200,
      body: {
        user_code: userCode,
        device_code: deviceCode,
        verification_uri: address,
        expires_in: this.codeLifetimeSeconds,
        interval: this.codeIntervalSeconds,
        message: `To sign in, use a web browser to open the page ${address} and enter the code ${userCode} to authenticate.`,
      },
    };
  }

  #refusePerson(tenant: string, form: Readonly<Record<string, unknown>>): Reply | undefined {
    if (tenant !== this.#principal.tenant && tenant !== 'organizations')
      return refusal(400, 'invalid_request', `AADSTS90002: Tenant '${tenant}' not found.`);
    if (form['client_id'] !== commandLineTool && form['client_id'] !== this.#principal.clientId)
      return refusal(
        400,
        'unauthorized_client',
        `AADSTS700016: Application with identifier '${String(form['client_id'])}' was not found in the directory.`,
      );
    return undefined;
  }

  #personToken(tenant: string, form: Readonly<Record<string, unknown>>, host: string): Reply {
    const refused = this.#refusePerson(tenant, form);
    if (refused !== undefined) return refused;
    if (deviceGrants.includes(form['grant_type'])) {
      const key = String(form['device_code'] ?? '');
      const code = this.#codes.get(key);
      if (code === undefined || code.clientId !== form['client_id'])
        return refusal(400, 'bad_verification_code', 'AADSTS70019: The verification code has expired or is unknown.');
      if (code.end <= Date.now())
        return refusal(
          400,
          'expired_token',
          "AADSTS70020: The provided value for the input parameter 'device_code' is not valid. This device code has expired.",
        );
      if (code.state === 'declined')
        return refusal(
          400,
          'authorization_declined',
          'AADSTS70018: The end user has denied the authorization request.',
        );
      if (code.state === 'pending')
        return refusal(
          400,
          'authorization_pending',
          'AADSTS70016: OAuth 2.0 device flow error. Authorization is pending. Continue polling.',
        );
      this.#codes.delete(key);
    } else if (this.#refreshTokens.get(String(form['refresh_token'] ?? '')) !== form['client_id']) {
      return refusal(
        400,
        'invalid_grant',
        'AADSTS50173: The provided grant has expired due to it being revoked, a fresh auth token is needed. The user might have changed or reset their password.',
      );
    }
    const clientId = String(form['client_id']);
    const refreshToken = randomBytes(64).toString('base64url');
    // The former one stays good, as with the real service.
    this.#refreshTokens.set(refreshToken, clientId);
    const [now, id] = [Math.floor(Date.now() / 1000), '11111111-2222-4333-8444-555555555555'];
    const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
    const claims = {
      aud: clientId,
      iss: `https://${host}/${this.#principal.tenant}/v2.0`,
      iat: now,
      nbf: now,
      exp: now + this.lifetimeSeconds,
      name: 'Alex',
      oid: id,
      sub: id,
      preferred_username: this.person,
      tid: this.#principal.tenant,
      ver: '2.0',
    };
    const { body } = this.#issued() as { readonly body: object };
    return {
      status: 200,
      body: {
        ...body,
        scope: String(form['scope'] ?? ''),
        refresh_token: refreshToken,
        id_token: `${part({ typ: 'JWT', alg: 'none' })}.${part(claims)}.`,
        client_info: part({ uid: id, utid: this.#principal.tenant }),
      },
    };
  }

  #issued(): Reply {
    const token = randomBytes(48).toString('base64url');
    this.#tokens.set(token, Date.now() + this.lifetimeSeconds * 1000);
    return {
      status: 200,
      body: {
        token_type: 'Bearer',
        expires_in: this.lifetimeSeconds,
        ext_expires_in: this.lifetimeSeconds,
        access_token: token,
      },
    };
  }

  #configuration(tenant: string, host: string): Reply {
    const base = `https://${host}/${tenant}`;
    return {
      status: 200,
      body: {
        issuer: `${base}/v2.0`,
        authorization_endpoint: `${base}/oauth2/v2.0/authorize`,
        token_endpoint: `${base}/oauth2/v2.0/token`,
        device_authorization_endpoint: `${base}/oauth2/v2.0/devicecode`,
        jwks_uri: `${base}/discovery/v2.0/keys`,
        token_endpoint_auth_methods_supported: ['client_secret_post', 'private_key_jwt'],
      },
    };
  }

  #token(tenant: string, form: Readonly<Record<string, unknown>>, host: string): Reply {
    if (deviceGrants.includes(form['grant_type']) || form['grant_type'] === 'refresh_token')
      return this.#personToken(tenant, form, host);
    const { tenant: own, clientId, clientSecret } = this.#principal;
    if (tenant !== own)
      return refusal(
        400,
        'invalid_request',
        `AADSTS90002: Tenant '${tenant}' not found. Check to make sure you have the correct tenant ID.`,
      );
    if (form['grant_type'] !== 'client_credentials')
      return refusal(400, 'unsupported_grant_type', 'AADSTS70003: The app requested an unsupported grant type.');
    if (form['client_id'] !== clientId)
      return refusal(
        400,
        'unauthorized_client',
        `AADSTS700016: Application with identifier '${String(form['client_id'])}' was not found in the directory.`,
      );
    const isSigned =
      typeof form['client_assertion'] === 'string' &&
      this.#isSigned(form['client_assertion'], `https://${host}/${tenant}`);
    if (!isSigned && form['client_secret'] !== clientSecret) {
      return refusal(
        401,
        'invalid_client',
        `AADSTS7000215: Invalid client secret provided. Ensure the secret being sent in the request is the client secret value, not the client secret ID, for a secret added to app '${clientId}'.`,
      );
    }
    if (!String(form['scope'] ?? '').includes('/.default'))
      return refusal(400, 'invalid_scope', 'AADSTS1002012: The provided value for scope is not valid.');
    return this.#issued();
  }

  /** A statement about itself that only who has the certificate's key can make. */
  #isSigned(assertion: string, authority: string): boolean {
    const { certificate } = this;
    const { clientId } = this.#principal;
    const [head = '', claims = '', signature = ''] = assertion.split('.');
    if (certificate === undefined) return false;
    const known = new X509Certificate(certificate);
    const header = JSON.parse(Buffer.from(head, 'base64url').toString('utf8')) as Readonly<Record<string, unknown>>;
    const said = JSON.parse(Buffer.from(claims, 'base64url').toString('utf8')) as Readonly<Record<string, unknown>>;
    const print = createHash('sha256').update(known.raw).digest('base64url');
    if (header['x5t#S256'] !== print || said['iss'] !== clientId || !String(said['aud']).startsWith(authority))
      return false;
    const padding =
      header['alg'] === 'PS256'
        ? { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST }
        : {};
    return verify(
      'sha256',
      Buffer.from(`${head}.${claims}`),
      { key: known.publicKey, ...padding },
      Buffer.from(signature, 'base64url'),
    );
  }
}

function refusal(status: number, error: string, description: string): Reply {
  const trace =
    ' Trace ID: 00000000-0000-0000-0000-000000000000 Correlation ID: 00000000-0000-0000-0000-000000000000 Timestamp: 2030-01-01 00:00:00Z';
  return {
    status,
    body: {
      error,
      error_description: `${description}${trace}`,
      error_codes: [Number(/\d+/.exec(description)?.[0] ?? 0)],
    },
  };
}
