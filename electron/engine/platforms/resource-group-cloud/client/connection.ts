import { z } from 'zod';
import { CausewayError } from '../../../../../shared/model/causeway-error.ts';

export const signInWays = ['client_secret', 'client_certificate', 'device_code', 'cli', 'managed_identity'] as const;
export type SignInWay = (typeof signInWays)[number];

/**
 * What the adapter reads of a connection. The form's own shape stands with the plugin; this is loose on purpose, so
 * that a connection made by an older or newer form still works.
 */
const connectionSchema = z.looseObject({
  subscription_id: z.string().min(1),
  tenant: z.string().optional(),
  sign_in: z.enum(signInWays).optional(),
  service_principal_credentials: z
    .looseObject({
      client_id: z.string().optional(),
      client_secret: z.string().optional(),
      client_certificate: z.string().optional(),
    })
    .optional(),
  default_resource_group: z.string().optional(),
  cloud_profile: z.string().optional(),
  custom_cloud_properties: z.record(z.string(), z.string()).optional(),
  ca_certificate: z.string().optional(),
  disk_access: z.enum(['auto', 'direct', 'export_worker']).optional(),
  first_copy: z.enum(['worker', 'direct_upload']).optional(),
  caller_address: z.string().optional(),
  worker_ssh_port: z.int().min(1).max(65_535).optional(),
  worker_https_port: z.int().min(1).max(65_535).optional(),
  worker_subnet: z.string().optional(),
  worker_use_public_ip: z.boolean().optional(),
  data_transfer_mechanism: z.enum(['HTTPS', 'SSH']).optional(),
  network_security_group: z.string().optional(),
  use_public_ip: z.boolean().optional(),
  availability_zone: z.string().optional(),
  availability_set: z.string().optional(),
  tags: z.record(z.string(), z.string()).optional(),
  license_type: z.string().optional(),
  security_type: z.enum(['auto', 'standard', 'trusted_launch']).optional(),
});

/** Where the services of one cloud are. */
export interface CloudProfile {
  readonly activeDirectory: string;
  readonly resourceManager: string;
  /** What tokens are asked for. Differs from the address of the resource manager in some clouds. */
  readonly audience: string;
  /** Host name of blobs after the account's name. */
  readonly storageSuffix: string;
}

export interface AzureConnection {
  readonly subscriptionId: string;
  readonly tenant: string | undefined;
  readonly signIn: SignInWay;
  readonly clientId: string | undefined;
  readonly clientSecret: string | undefined;
  /** PEM: the certificate and its private key. */
  readonly clientCertificate: string | undefined;
  readonly defaultResourceGroup: string | undefined;
  readonly profile: CloudProfile;
  /** A cloud of one's own, which the vendor's list of known clouds does not have. */
  readonly isCustomCloud: boolean;
  readonly caCertificate: string | undefined;
  /** How disks are read as a source. */
  readonly diskAccess: 'auto' | 'direct' | 'export_worker';
  /** How the first copy of a replica is written. */
  readonly firstCopy: 'worker' | 'direct_upload';
  readonly callerAddresses: readonly string[];
  /** Ports under which services of workers are reached from here, when not their own. */
  readonly workerSshPort: number | undefined;
  readonly workerHttpsPort: number | undefined;
  /** `<network>/<subnet>`; undefined: workers get a network of their own. */
  readonly workerSubnet: string | undefined;
  readonly workerUsePublicIp: boolean;
  readonly dataTransferMechanism: 'HTTPS' | 'SSH';
  /** What follows is for migrated VMs. */
  readonly networkSecurityGroup: string | undefined;
  readonly usePublicIp: boolean;
  readonly availabilityZone: string | undefined;
  readonly availabilitySet: string | undefined;
  readonly tags: Readonly<Record<string, string>>;
  readonly licenseType: string | undefined;
  readonly securityType: 'auto' | 'standard' | 'trusted_launch';
}

const publicCloud: CloudProfile = {
  activeDirectory: 'https://login.microsoftonline.com',
  resourceManager: 'https://management.azure.com',
  audience: 'https://management.azure.com',
  storageSuffix: 'core.windows.net',
};

/** By their names in lower case without punctuation; the vendor's tools write them in several ways. */
const profiles: Readonly<Record<string, CloudProfile>> = {
  azurecloud: publicCloud,
  azurepubliccloud: publicCloud,
  azurechinacloud: {
    activeDirectory: 'https://login.chinacloudapi.cn',
    resourceManager: 'https://management.chinacloudapi.cn',
    audience: 'https://management.chinacloudapi.cn',
    storageSuffix: 'core.chinacloudapi.cn',
  },
  azureusgovernment: {
    activeDirectory: 'https://login.microsoftonline.us',
    resourceManager: 'https://management.usgovcloudapi.net',
    audience: 'https://management.usgovcloudapi.net',
    storageSuffix: 'core.usgovcloudapi.net',
  },
};

/** @throws `general.invalid-input` naming the keys that are missing or wrong; never their values. */
export function parseConnection(connection: unknown): AzureConnection {
  const parsed = connectionSchema.safeParse(connection);
  if (!parsed.success) throw invalid([...new Set(parsed.error.issues.map((issue) => issue.path.join('.')))]);
  const { data } = parsed;
  const {
    client_id: clientId,
    client_secret: clientSecret,
    client_certificate: clientCertificate,
  } = data.service_principal_credentials ?? {};
  const signIn =
    data.sign_in ??
    (filled(clientSecret) === undefined && filled(clientCertificate) !== undefined
      ? 'client_certificate'
      : 'client_secret');
  const tenant = filled(data.tenant);
  const missing = [
    ...(needsPrincipal(signIn) && tenant === undefined ? ['tenant'] : []),
    ...(needsPrincipal(signIn) && filled(clientId) === undefined ? ['service_principal_credentials.client_id'] : []),
    ...(signIn === 'client_secret' && filled(clientSecret) === undefined
      ? ['service_principal_credentials.client_secret']
      : []),
    ...(signIn === 'client_certificate' && filled(clientCertificate) === undefined
      ? ['service_principal_credentials.client_certificate']
      : []),
  ];
  if (missing.length > 0) throw invalid(missing);
  const { profile, isCustomCloud } = profileOf(filled(data.cloud_profile), data.custom_cloud_properties ?? {});
  return {
    subscriptionId: data.subscription_id.trim(),
    tenant,
    signIn,
    clientId: filled(clientId),
    clientSecret: filled(clientSecret),
    clientCertificate: filled(clientCertificate),
    defaultResourceGroup: filled(data.default_resource_group),
    profile,
    isCustomCloud,
    caCertificate: filled(data.ca_certificate),
    diskAccess: data.disk_access ?? 'auto',
    firstCopy: data.first_copy ?? 'worker',
    callerAddresses: (data.caller_address ?? '')
      .split(',')
      .map((each) => each.trim())
      .filter((each) => each !== ''),
    workerSshPort: data.worker_ssh_port,
    workerHttpsPort: data.worker_https_port,
    workerSubnet: filled(data.worker_subnet),
    workerUsePublicIp: data.worker_use_public_ip ?? true,
    dataTransferMechanism: data.data_transfer_mechanism ?? 'HTTPS',
    networkSecurityGroup: filled(data.network_security_group),
    usePublicIp: data.use_public_ip ?? false,
    availabilityZone: filled(data.availability_zone),
    availabilitySet: filled(data.availability_set),
    tags: data.tags ?? {},
    licenseType: filled(data.license_type),
    securityType: data.security_type ?? 'auto',
  };
}

const needsPrincipal = (way: SignInWay): boolean => way === 'client_secret' || way === 'client_certificate';

/** A named cloud, or one whose addresses are all given. Addresses that are given win over those of the named one. */
function profileOf(
  name: string | undefined,
  given: Readonly<Record<string, string>>,
): { readonly profile: CloudProfile; readonly isCustomCloud: boolean } {
  const known = profiles[(name ?? 'AzureCloud').toLowerCase().replaceAll(/[^a-z]/g, '')];
  const own = (key: string): string | undefined => filled(given[key])?.replace(/\/+$/, '');
  const isCustomCloud = own('active_directory') !== undefined || own('resource_manager') !== undefined;
  if (known === undefined && !isCustomCloud) throw invalid(['cloud_profile']);
  const resourceManager = own('resource_manager') ?? known?.resourceManager;
  const activeDirectory = own('active_directory') ?? known?.activeDirectory;
  const storageSuffix = own('storage_suffix') ?? known?.storageSuffix;
  if (resourceManager === undefined) throw invalid(['custom_cloud_properties.resource_manager']);
  if (activeDirectory === undefined) throw invalid(['custom_cloud_properties.active_directory']);
  if (storageSuffix === undefined) throw invalid(['custom_cloud_properties.storage_suffix']);
  const audience = own('audience') ?? own('resource_manager') ?? known?.audience ?? resourceManager;
  return { profile: { activeDirectory, resourceManager, audience, storageSuffix }, isCustomCloud };
}

function invalid(keys: readonly string[]): CausewayError {
  return new CausewayError(
    'general.invalid-input',
    `connection of the resource-group cloud: missing or invalid: ${keys.join(', ')}`,
    { details: { keys: [...keys] } },
  );
}

function filled(text: string | undefined): string | undefined {
  return text === undefined || text.trim() === '' ? undefined : text.trim();
}
