import { z } from 'zod';
import { CausewayError } from '../../../../../shared/model/causeway-error.ts';

const serviceKinds = ['compute', 'network', 'volume', 'image', 'objectstore'] as const;

/** The services as the connection's overrides name them. */
export type ServiceKind = (typeof serviceKinds)[number];

const optional = z
  .string()
  .trim()
  .optional()
  .transform((text) => (text === '' ? undefined : text));
const perService = z.partialRecord(z.enum(serviceKinds), z.string()).default({});

/**
 * What the client reads of a connection. The form's own shape stands with the plugin; this is loose on purpose, so
 * that a connection made by an older or newer form still works.
 */
const connectionSchema = z.looseObject({
  auth_url: z.string().min(1),
  identity_api_version: z.number().optional(),
  username: optional,
  password: z.string().optional(),
  application_credential_id: optional,
  application_credential_secret: z.string().optional(),
  project_name: optional,
  user_domain_name: optional,
  project_domain_name: optional,
  region_name: optional,
  region_names: perService,
  interface_name: optional,
  interface_names: perService,
  ca_certificate: optional,
  allow_untrusted: z.boolean().default(false),
  allow_untrusted_swift: z.boolean().default(false),
  /** Addresses or ranges, comma-separated, from which workers are reached. */
  caller_address: optional,
});

/** Who signs in. An application credential carries its project with it. */
export type Credentials =
  | {
      readonly kind: 'password';
      readonly username: string;
      readonly password: string;
      readonly userDomain: string;
      readonly projectName: string;
      readonly projectDomain: string;
    }
  | { readonly kind: 'application-credential'; readonly id: string; readonly secret: string };

export interface OpenStackConnection {
  /** With its version, without a slash at its end. */
  readonly identityUrl: string;
  readonly credentials: Credentials;
  region(service: ServiceKind): string | undefined;
  /** `public`, `internal` or `admin`. */
  interfaceOf(service: ServiceKind): string;
  readonly caCertificate: string | undefined;
  readonly allowUntrusted: boolean;
  readonly allowUntrustedObjectStore: boolean;
  readonly callerAddresses: readonly string[];
}

/** @throws `general.invalid-input` naming the keys that are missing; never their values. */
export function parseConnection(connection: unknown): OpenStackConnection {
  const parsed = connectionSchema.safeParse(connection);
  if (!parsed.success) {
    const keys = [...new Set(parsed.error.issues.map((issue) => issue.path.join('.')))];
    throw refused(`missing or invalid: ${keys.join(', ')}`, keys);
  }
  const { data } = parsed;
  if (data.identity_api_version !== undefined && data.identity_api_version !== 3) {
    throw refused(`identity_api_version ${data.identity_api_version}: only version 3 is supported`, [
      'identity_api_version',
    ]);
  }
  return {
    identityUrl: withVersion(data.auth_url.trim()),
    credentials: credentialsOf(data),
    region: (service) => data.region_names[service] ?? data.region_name,
    // Older forms of the names end in URL, e.g. publicURL.
    interfaceOf: (service) => (data.interface_names[service] ?? data.interface_name ?? 'public').replace(/URL$/, ''),
    caCertificate: data.ca_certificate,
    allowUntrusted: data.allow_untrusted,
    allowUntrustedObjectStore: data.allow_untrusted || data.allow_untrusted_swift,
    callerAddresses: (data.caller_address ?? '')
      .split(',')
      .map((each) => each.trim())
      .filter((each) => each !== ''),
  };
}

function credentialsOf(data: z.infer<typeof connectionSchema>): Credentials {
  const { application_credential_id: id, application_credential_secret: secret } = data;
  if (id !== undefined || secret !== undefined) {
    if (id === undefined || secret === undefined)
      throw refused('an application credential needs an ID and a secret; one is missing', [
        'application_credential_id',
        'application_credential_secret',
      ]);
    return { kind: 'application-credential', id, secret };
  }
  const { username, password, project_name: projectName } = data;
  if (username === undefined || password === undefined || projectName === undefined) {
    const keys = Object.entries({ username, password, project_name: projectName })
      .filter(([, value]) => value === undefined)
      .map(([key]) => key);
    throw refused(`missing: ${keys.join(', ')} (or use an application credential)`, keys);
  }
  return {
    kind: 'password',
    username,
    password,
    userDomain: data.user_domain_name ?? 'Default',
    projectName,
    projectDomain: data.project_domain_name ?? 'Default',
  };
}

function withVersion(url: string): string {
  const bare = url.replace(/\/+$/, '').replace(/\/v2\.0$/, '');
  return /\/v3$/.test(bare) ? bare : `${bare}/v3`;
}

function refused(what: string, keys: readonly string[]): CausewayError {
  return new CausewayError('general.invalid-input', `connection of the open-source cloud: ${what}`, {
    details: { keys: [...keys] },
  });
}
