import { z } from 'zod';
import { CausewayError } from '../../../../../shared/model/causeway-error.ts';

export const signInWays = ['api_key', 'session_token', 'instance_principal'] as const;
export type SignInWay = (typeof signInWays)[number];

/**
 * What the adapter reads of a connection. The form's own shape stands with the plugin; this is loose on purpose, so
 * that a connection made by an older or newer form still works.
 */
const connectionSchema = z.looseObject({
  region: z.string().min(1),
  tenancy: z.string().optional(),
  user: z.string().optional(),
  private_key_data: z.string().optional(),
  private_key_passphrase: z.string().optional(),
  fingerprint: z.string().optional(),
  sign_in: z.enum(signInWays).optional(),
  session_token: z.string().optional(),
  realm_domain: z.string().optional(),
  service_url: z.string().optional(),
  ca_certificate: z.string().optional(),
  caller_address: z.string().optional(),
  worker_ssh_port: z.int().min(1).max(65_535).optional(),
  worker_https_port: z.int().min(1).max(65_535).optional(),
  worker_use_public_ip: z.boolean().optional(),
  data_transfer_mechanism: z.enum(['HTTPS', 'SSH']).optional(),
  volume_performance: z.int().min(0).max(120).optional(),
  deployment_copies: z.enum(['clones', 'backups']).optional(),
});

/** The services that are called, by the first part of their host names. */
export type ServiceName = 'iaas' | 'identity' | 'objectstorage' | 'limits' | 'auth';

export interface OciConnection {
  /** As host names have it, e.g. `eu-frankfurt-1`. */
  readonly region: string;
  readonly signIn: SignInWay;
  /** Undefined only for an instance principal, whose certificate names it. */
  readonly tenancy: string | undefined;
  readonly user: string | undefined;
  readonly privateKey: string | undefined;
  readonly passphrase: string | undefined;
  readonly fingerprint: string | undefined;
  readonly sessionToken: string | undefined;
  serviceUrl(service: ServiceName): string;
  readonly caCertificate: string | undefined;
  readonly callerAddresses: readonly string[];
  /** Ports under which services of workers are reached from here, when not their own. */
  readonly workerSshPort: number | undefined;
  readonly workerHttpsPort: number | undefined;
  /** Undefined: if the subnet allows it. */
  readonly workerUsePublicIp: boolean | undefined;
  readonly dataTransferMechanism: 'HTTPS' | 'SSH';
  /** Volume performance units per GB; undefined: the platform's default. */
  readonly volumePerformance: number | undefined;
  /** What the volumes of a deployment are made from. */
  readonly deploymentCopies: 'clones' | 'backups';
}

const defaultRealm = 'oraclecloud.com';

/** @throws `general.invalid-input` naming the keys that are missing or wrong; never their values. */
export function parseConnection(connection: unknown): OciConnection {
  const parsed = connectionSchema.safeParse(connection);
  if (!parsed.success) throw invalid([...new Set(parsed.error.issues.map((issue) => issue.path.join('.')))]);
  const { data } = parsed;
  const signIn = data.sign_in ?? (filled(data.session_token) === undefined ? 'api_key' : 'session_token');
  const needed: readonly (keyof typeof data)[] = {
    api_key: ['tenancy', 'user', 'private_key_data', 'fingerprint'] as const,
    session_token: ['tenancy', 'session_token', 'private_key_data'] as const,
    instance_principal: [] as const,
  }[signIn];
  const missing = needed.filter((key) => filled(data[key] as string | undefined) === undefined);
  if (missing.length > 0) throw invalid(missing.map(String));
  const region = data.region.trim().toLowerCase();
  const own = filled(data.service_url)?.replace(/\/+$/, '');
  const realm = filled(data.realm_domain) ?? defaultRealm;
  return {
    region,
    signIn,
    tenancy: filled(data.tenancy),
    user: filled(data.user),
    privateKey: filled(data.private_key_data),
    passphrase: data.private_key_passphrase === '' ? undefined : data.private_key_passphrase,
    fingerprint: filled(data.fingerprint)?.toLowerCase(),
    sessionToken: filled(data.session_token),
    // The service of limits alone has the newer form of host names, with `oci` in it.
    serviceUrl: (service) =>
      own === undefined
        ? `https://${service}.${region}.${service === 'limits' ? 'oci.' : ''}${realm}`
        : `${own}/${service}`,
    caCertificate: filled(data.ca_certificate),
    callerAddresses: (data.caller_address ?? '')
      .split(',')
      .map((each) => each.trim())
      .filter((each) => each !== ''),
    workerSshPort: data.worker_ssh_port,
    workerHttpsPort: data.worker_https_port,
    workerUsePublicIp: data.worker_use_public_ip,
    dataTransferMechanism: data.data_transfer_mechanism ?? 'HTTPS',
    volumePerformance: data.volume_performance,
    deploymentCopies: data.deployment_copies ?? 'clones',
  };
}

function invalid(keys: readonly string[]): CausewayError {
  return new CausewayError(
    'general.invalid-input',
    `connection of the compartment cloud: missing or invalid: ${keys.join(', ')}`,
    { details: { keys: [...keys] } },
  );
}

function filled(text: string | undefined): string | undefined {
  return text === undefined || text.trim() === '' ? undefined : text.trim();
}
