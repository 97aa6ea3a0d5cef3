import { z } from 'zod';
import { field } from '../field-meta.ts';
import { allowUntrustedField, caCertificateField } from '../shapes/connection-fields.ts';
import { localPath, plainName, protectedUrl, text } from '../shapes/values.ts';
import { secretValue } from '../shapes/secret-value.ts';

const access = 'Access';
const distributed = 'Distributed storage';

const optionalText = (title: string, help: string, group: string, example: string, builtIn?: string) =>
  field(text().optional(), { title, help, group, example, ...(builtIn === undefined ? {} : { builtIn }) });

const optionalPath = (title: string, help: string, group: string, example: string) =>
  field(localPath().optional(), { title, help, group, example, reach: 'file' });

const optionalName = (title: string, help: string, group: string, example: string, builtIn?: string) =>
  field(plainName().optional(), { title, help, group, example, ...(builtIn === undefined ? {} : { builtIn }) });

const perService = (what: string, example: Record<string, string>) =>
  field(z.partialRecord(z.enum(['compute', 'network', 'volume', 'image', 'objectstore']), text()).optional(), {
    title: `${what} by service`,
    help: `${what} of individual services, if different. Keys: compute, network, volume, image, objectstore.`,
    group: 'Services',
    example,
  });

/** How the distributed storage of the cloud is reached directly, for the export mechanisms that read from it. */
const storageOptions = z.strictObject({
  ceph_conf_file: optionalPath(
    'Configuration file',
    'Path of the configuration file of the storage cluster on this computer.',
    distributed,
    '/etc/ceph/ceph.conf',
  ),
  ceph_username: optionalName('User', 'User of the storage cluster.', distributed, 'migration'),
  ceph_keyring_file: optionalPath(
    'Keyring file',
    'Path of the user’s keyring on this computer.',
    distributed,
    '/etc/ceph/ceph.client.migration.keyring',
  ),
  ceph_pool_name: optionalName('Pool', 'Pool that holds the volumes.', distributed, 'volumes'),
  ceph_cluster_name: optionalName('Cluster', 'Name of the storage cluster.', distributed, 'ceph', 'ceph'),
  ceph_connection_timeout: field(z.int().min(1).optional(), {
    title: 'Connection timeout',
    help: 'Timeout for connections to the storage cluster.',
    group: distributed,
    unit: 's',
    example: 30,
    builtIn: 30,
  }),
});

export const connection = z.strictObject({
  auth_url: field(protectedUrl(), {
    title: 'Identity URL',
    help: 'URL of the identity service, with its version.',
    group: access,
    example: 'https://identity.example.com:5000/v3',
  }),
  identity_api_version: field(z.union([z.literal(2), z.literal(3)]).optional(), {
    title: 'Identity API version',
    help: 'Version of the identity interface.',
    group: access,
    example: 3,
    builtIn: 3,
  }),
  username: optionalText(
    'User name',
    'User with access to the project. Not used with an application credential.',
    access,
    'migration',
  ),
  password: field(secretValue().optional(), {
    title: 'Password',
    help: 'Password of the user. Stored in the vault.',
    group: access,
    secret: true,
    example: { $secret: 'endpoint-password' },
  }),
  project_name: optionalText(
    'Project',
    'Project of the endpoint. Not used with an application credential, which has its own project.',
    access,
    'production',
  ),
  user_domain_name: optionalText(
    'Domain of the user',
    'Domain to which the user belongs.',
    access,
    'Default',
    'Default',
  ),
  project_domain_name: optionalText(
    'Domain of the project',
    'Domain to which the project belongs.',
    access,
    'Default',
    'Default',
  ),
  application_credential_id: optionalText(
    'Application credential',
    'ID of an application credential, used instead of user, password and project.',
    access,
    '6c1f2a7be2c34a9f9d3f6a3d1c5b7e80',
  ),
  application_credential_secret: field(secretValue().optional(), {
    title: 'Secret of the application credential',
    help: 'Secret of the application credential. Stored in the vault.',
    group: access,
    secret: true,
    example: { $secret: 'application-credential' },
  }),
  region_name: optionalText(
    'Region',
    'Region of the services. Needed if the service catalog lists several regions.',
    'Services',
    'RegionOne',
  ),
  region_names: perService('Region', { compute: 'RegionOne' }),
  interface_name: optionalText(
    'Interface',
    'URL type of the services: public, internal or admin.',
    'Services',
    'public',
    'public',
  ),
  interface_names: perService('Interface', { volume: 'internal' }),
  glance_api_version: field(z.union([z.literal(1), z.literal(2)]).optional(), {
    title: 'Image API version',
    help: 'Version of the image interface.',
    group: 'Services',
    example: 2,
    builtIn: 2,
  }),
  ceph_options: field(storageOptions.optional(), {
    title: 'Distributed storage',
    help: 'Access to the storage cluster, for the export mechanisms distributed_backups and distributed_snapshots.',
    group: distributed,
    example: { ceph_conf_file: '/etc/ceph/ceph.conf', ceph_username: 'migration' },
  }),
  ca_certificate: caCertificateField(),
  allow_untrusted: allowUntrustedField(),
  caller_address: optionalText(
    'Caller address',
    'Comma-separated addresses or ranges that may connect to workers. The ports of workers are only open to these. Needed if this computer is behind NAT.',
    'Trust',
    '198.51.100.7',
  ),
  allow_untrusted_swift: field(z.boolean().optional(), {
    title: 'Allow an untrusted object store',
    help: 'Do not verify the TLS certificate of the object store.',
    group: 'Trust',
    example: false,
    builtIn: false,
  }),
});
