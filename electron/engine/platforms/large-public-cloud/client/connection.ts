import { z } from 'zod';
import { CausewayError } from '../../../../../shared/model/causeway-error.ts';

const services = ['ec2', 'ebs', 'sts'] as const;
export type Service = (typeof services)[number];

const diskAccesses = ['auto', 'ebs_direct', 'worker'] as const;
export type DiskAccess = (typeof diskAccesses)[number];

const optional = z
  .string()
  .trim()
  .optional()
  .transform((text) => (text === '' ? undefined : text));

/** What the client reads of a connection. Loose on purpose, so that one made by an older or newer form still works. */
const connectionSchema = z.looseObject({
  region: z.string().trim().min(1),
  access_key_id: optional,
  secret_access_key: optional,
  session_token: optional,
  profile: optional,
  role_arn: optional,
  external_id: optional,
  endpoint_urls: z.partialRecord(z.enum(services), z.string()).default({}),
  use_fips_endpoints: z.boolean().default(false),
  disk_access: z.enum(diskAccesses).default('auto'),
  worker_subnet_id: optional,
  worker_use_public_ip: z.boolean().default(true),
  caller_address: optional,
  ca_certificate: optional,
  allow_untrusted: z.boolean().default(false),
});

/** Who signs in, before a role is assumed. */
export type SignIn =
  | {
      readonly kind: 'keys';
      readonly accessKeyId: string;
      readonly secretAccessKey: string;
      readonly sessionToken: string | undefined;
    }
  | { readonly kind: 'profile'; readonly profile: string };

export interface AwsConnection {
  readonly region: string;
  readonly signIn: SignIn;
  readonly role: { readonly arn: string; readonly externalId: string | undefined } | undefined;
  readonly endpoints: Readonly<Partial<Record<Service, string>>>;
  readonly fips: boolean;
  readonly diskAccess: DiskAccess;
  readonly workerSubnetId: string | undefined;
  readonly workerUsesPublicIp: boolean;
  readonly callerAddresses: readonly string[];
  readonly caCertificate: string | undefined;
  readonly allowUntrusted: boolean;
}

/** @throws `general.invalid-input` naming the keys that are missing; never their values. */
export function parseConnection(connection: unknown): AwsConnection {
  const parsed = connectionSchema.safeParse(connection);
  if (!parsed.success) {
    const keys = [...new Set(parsed.error.issues.map((issue) => issue.path.join('.')))];
    throw refused(`missing or invalid: ${keys.join(', ')}`, keys);
  }
  const { data } = parsed;
  if (data.external_id !== undefined && data.role_arn === undefined)
    throw refused('external_id is only used with role_arn', ['external_id', 'role_arn']);
  return {
    region: data.region,
    signIn: signInOf(data),
    role: data.role_arn === undefined ? undefined : { arn: data.role_arn, externalId: data.external_id },
    endpoints: data.endpoint_urls,
    fips: data.use_fips_endpoints,
    diskAccess: data.disk_access,
    workerSubnetId: data.worker_subnet_id,
    workerUsesPublicIp: data.worker_use_public_ip,
    callerAddresses: (data.caller_address ?? '')
      .split(',')
      .map((each) => each.trim())
      .filter((each) => each !== ''),
    caCertificate: data.ca_certificate,
    allowUntrusted: data.allow_untrusted,
  };
}

function signInOf(data: z.infer<typeof connectionSchema>): SignIn {
  const { access_key_id: accessKeyId, secret_access_key: secretAccessKey, session_token: sessionToken, profile } = data;
  if (profile !== undefined) {
    if (accessKeyId !== undefined || secretAccessKey !== undefined)
      throw refused('a profile and an access key are given; use one of them', ['profile', 'access_key_id']);
    return { kind: 'profile', profile };
  }
  if (accessKeyId === undefined || secretAccessKey === undefined) {
    const keys = Object.entries({ access_key_id: accessKeyId, secret_access_key: secretAccessKey })
      .filter(([, value]) => value === undefined)
      .map(([key]) => key);
    throw refused(`missing: ${keys.join(', ')} (or use a profile)`, keys);
  }
  return { kind: 'keys', accessKeyId, secretAccessKey, sessionToken };
}

function refused(what: string, keys: readonly string[]): CausewayError {
  return new CausewayError('general.invalid-input', `connection of the large public cloud: ${what}`, {
    details: { keys: [...keys] },
  });
}

/** Where the services of a region are. */
export interface Partition {
  readonly name: string;
  readonly domain: string;
}

/** By the beginning of a region's name; what is not listed is the usual one. */
const partitions: readonly (readonly [string, Partition])[] = [
  ['cn-', { name: 'aws-cn', domain: 'amazonaws.com.cn' }],
  ['us-gov-', { name: 'aws-us-gov', domain: 'amazonaws.com' }],
  ['us-iso-', { name: 'aws-iso', domain: 'c2s.ic.gov' }],
  ['us-isob-', { name: 'aws-iso-b', domain: 'sc2s.sgov.gov' }],
  ['us-isof-', { name: 'aws-iso-f', domain: 'csp.hci.ic.gov' }],
  ['eu-isoe-', { name: 'aws-iso-e', domain: 'cloud.adc-e.uk' }],
  ['eusc-', { name: 'aws-eusc', domain: 'amazonaws.eu' }],
];

export const partitionOf = (region: string): Partition =>
  partitions.find(([prefix]) => region.startsWith(prefix))?.[1] ?? { name: 'aws', domain: 'amazonaws.com' };

/** The host that requests to a service go to. */
export function serviceHost(
  { region, endpoints }: Pick<AwsConnection, 'region' | 'endpoints'>,
  service: Service,
): string {
  const url = endpoints[service];
  return url === undefined ? `${service}.${region}.${partitionOf(region).domain}` : new URL(url).host;
}
