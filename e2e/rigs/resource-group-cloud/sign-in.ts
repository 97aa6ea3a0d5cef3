import { constants, createHash, randomBytes, verify, X509Certificate } from 'node:crypto';
import type { Operation, Reply } from '../cloud-kit/call.ts';

interface Principal {
  readonly tenant: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

/** The part of the directory service that gives tokens: client secret and client certificate of one service principal. */
export class SignIn {
  /** Of new tokens, seconds. */
  lifetimeSeconds = 3600;
  /** PEM. Without one, only the secret is accepted. */
  certificate: string | undefined;
  readonly #principal: Principal;
  readonly #tokens = new Map<string, number>();
  readonly operations: Readonly<Record<string, readonly [id: string, operation: Operation<unknown>]>>;

  constructor(tenant: string, clientId: string, clientSecret: string) {
    this.#principal = { tenant, clientId, clientSecret };
    this.operations = {
      'GET /{tenant}/v2.0/.well-known/openid-configuration': ['OpenIdConfiguration', ({ params, headers }) => this.#configuration(params['tenant'] ?? '', headers.host ?? '')],
      'POST /{tenant}/oauth2/v2.0/token': ['Token', ({ params, body, headers }) => this.#token(params['tenant'] ?? '', body, headers.host ?? '')],
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
    const { tenant: own, clientId, clientSecret } = this.#principal;
    if (tenant !== own) return refusal(400, 'invalid_request', `AADSTS90002: Tenant '${tenant}' not found. Check to make sure you have the correct tenant ID.`);
    if (form['grant_type'] !== 'client_credentials') return refusal(400, 'unsupported_grant_type', 'AADSTS70003: The app requested an unsupported grant type.');
    if (form['client_id'] !== clientId) return refusal(400, 'unauthorized_client', `AADSTS700016: Application with identifier '${String(form['client_id'])}' was not found in the directory.`);
    const isSigned = typeof form['client_assertion'] === 'string' && this.#isSigned(form['client_assertion'], `https://${host}/${tenant}`);
    if (!isSigned && form['client_secret'] !== clientSecret) {
      return refusal(401, 'invalid_client', `AADSTS7000215: Invalid client secret provided. Ensure the secret being sent in the request is the client secret value, not the client secret ID, for a secret added to app '${clientId}'.`);
    }
    if (!String(form['scope'] ?? '').includes('/.default')) return refusal(400, 'invalid_scope', 'AADSTS1002012: The provided value for scope is not valid.');
    const token = randomBytes(48).toString('base64url');
    this.#tokens.set(token, Date.now() + this.lifetimeSeconds * 1000);
    return { status: 200, body: { token_type: 'Bearer', expires_in: this.lifetimeSeconds, ext_expires_in: this.lifetimeSeconds, access_token: token } };
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
    if (header['x5t#S256'] !== print || said['iss'] !== clientId || !String(said['aud']).startsWith(authority)) return false;
    const padding = header['alg'] === 'PS256' ? { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST } : {};
    return verify('sha256', Buffer.from(`${head}.${claims}`), { key: known.publicKey, ...padding }, Buffer.from(signature, 'base64url'));
  }
}

function refusal(status: number, error: string, description: string): Reply {
  const trace = ' Trace ID: 00000000-0000-0000-0000-000000000000 Correlation ID: 00000000-0000-0000-0000-000000000000 Timestamp: 2030-01-01 00:00:00Z';
  return { status, body: { error, error_description: `${description}${trace}`, error_codes: [Number(/\d+/.exec(description)?.[0] ?? 0)] } };
}
