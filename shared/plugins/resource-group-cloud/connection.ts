import { z } from 'zod';
import { field } from '../field-meta.ts';
import { isProtectedUrl, text } from '../shapes/values.ts';
import { caCertificateField, portField } from '../shapes/connection-fields.ts';
import { secretValue } from '../shapes/secret-value.ts';

const group = 'Access';
const workers = 'Workers';
const migrated = 'Migrated VMs';

/** A URL, or a bare domain suffix. */
const serviceAddress = () =>
  text().refine((value) => !value.includes('://') || isProtectedUrl(value), { error: 'must be an https:// address' });

export const connection = z
  .strictObject({
    subscription_id: field(z.guid(), {
      title: 'Subscription ID',
      help: 'Subscription of the endpoint.',
      group,
      example: '1b4e28ba-2fa1-41d2-883f-0016d3cca427',
    }),
    sign_in: field(
      z.enum(['client_secret', 'client_certificate', 'device_code', 'cli', 'managed_identity']).optional(),
      {
        title: 'Sign-in',
        help: 'Signs in as a service principal with client_secret or client_certificate, as a person who enters a code in a browser (device_code), as the user of the Azure CLI on this computer (cli), or as the identity of the Azure VM that Causeway runs on (managed_identity).',
        group,
        example: 'client_secret',
        builtIn: 'client_secret',
      },
    ),
    tenant: field(text().optional(), {
      title: 'Tenant',
      help: 'ID or domain of the directory that the service principal or person belongs to. Not needed for cli and managed_identity.',
      group,
      example: 'example.onmicrosoft.com',
    }),
    service_principal_credentials: field(
      z
        .strictObject({
          client_id: field(text(), {
            title: 'Client ID',
            help: 'Application ID of the service principal.',
            group,
            example: '6fa459ea-ee8a-4ca4-894e-db77e160355e',
          }),
          client_secret: field(secretValue().optional(), {
            title: 'Client secret',
            help: 'Secret of the service principal. Stored in the vault. Not used with a certificate.',
            group,
            secret: true,
            example: { $secret: 'client-secret' },
          }),
          client_certificate: field(secretValue().optional(), {
            title: 'Client certificate',
            help: 'Certificate of the service principal and its private key, in PEM format. Stored in the vault. Used instead of a secret.',
            group,
            secret: true,
            multiline: true,
            example: { $secret: 'client-certificate' },
          }),
        })
        .optional(),
      {
        title: 'Service principal',
        help: 'Identity that the endpoint signs in with. For managed_identity, the client ID selects a user-assigned identity; for device_code, the application that people sign in to (default: the one of the Azure CLI).',
        group,
        example: { client_id: '6fa459ea-ee8a-4ca4-894e-db77e160355e', client_secret: { $secret: 'client-secret' } },
      },
    ),
    default_resource_group: field(text().optional(), {
      title: 'Default resource group',
      help: 'Resource group that is suggested first.',
      group: 'Placement',
      example: 'migrations',
    }),
    cloud_profile: field(text().optional(), {
      title: 'Cloud profile',
      help: 'Cloud environment: AzureCloud, AzureChinaCloud, AzureUSGovernment, or a custom cloud with its endpoints below.',
      group: 'Services',
      example: 'AzureCloud',
      builtIn: 'AzureCloud',
    }),
    custom_cloud_properties: field(z.record(text(), serviceAddress()).optional(), {
      title: 'Endpoints of a custom cloud',
      help: 'Addresses of a custom cloud: active_directory, resource_manager, storage_suffix, and audience if tokens are issued for another address.',
      group: 'Services',
      example: { resource_manager: 'https://management.local.example.com/' },
    }),
    disk_access: field(z.enum(['auto', 'direct', 'export_worker']).optional(), {
      title: 'Disk access',
      help: 'How disks of this endpoint are read as a source: directly from snapshots, or by a temporary export worker, which needs export_worker_size. With auto, directly, and by a worker where the cloud denies that.',
      group: 'Data path',
      example: 'auto',
      builtIn: 'auto',
    }),
    first_copy: field(z.enum(['worker', 'direct_upload']).optional(), {
      title: 'First copy',
      help: 'How the first copy of a replica is written: by a temporary worker, or with direct_upload to the disks themselves, without a worker. Azure takes uploads for new disks only, so that all later executions use a worker.',
      group: 'Data path',
      example: 'worker',
      builtIn: 'worker',
    }),
    ca_certificate: caCertificateField(),
    caller_address: field(text().optional(), {
      title: 'Caller address',
      help: 'Comma-separated addresses or ranges that may connect to workers. The ports of workers are only open to these. Needed if this computer is behind NAT.',
      group: 'Trust',
      example: '198.51.100.7',
    }),
    worker_subnet: field(
      text()
        .regex(/^[^/\s]+\/[^/\s]+$/, 'must have the form <network>/<subnet>')
        .optional(),
      {
        title: 'Worker subnet',
        help: 'Existing <network>/<subnet> for workers. If not set, workers get a temporary virtual network.',
        group: workers,
        example: 'workers/default',
      },
    ),
    worker_use_public_ip: field(z.boolean().optional(), {
      title: 'Public IP for workers',
      help: 'Give each worker a temporary public IP address. Turn off if this computer reaches the worker subnet directly.',
      group: workers,
      example: true,
      builtIn: true,
    }),
    worker_ssh_port: portField(
      22,
      'SSH port of workers',
      'Port for SSH connections to workers, if NAT or a jump host forwards a different port.',
      workers,
    ),
    worker_https_port: portField(
      5566,
      'HTTPS port of workers',
      'Port for HTTPS connections to workers, if NAT or a jump host forwards a different port.',
      workers,
    ),
    data_transfer_mechanism: field(z.enum(['HTTPS', 'SSH']).optional(), {
      title: 'Data transfer',
      help: 'How disk data is sent to workers.',
      group: workers,
      example: 'HTTPS',
      builtIn: 'HTTPS',
    }),
    network_security_group: field(text().optional(), {
      title: 'Network security group',
      help: 'Existing network security group for the NICs of migrated VMs.',
      group: migrated,
      example: 'web-servers',
    }),
    use_public_ip: field(z.boolean().optional(), {
      title: 'Public IP for migrated VMs',
      help: 'Give the first NIC of each migrated VM a public IP address.',
      group: migrated,
      example: false,
      builtIn: false,
    }),
    availability_zone: field(z.enum(['1', '2', '3']).optional(), {
      title: 'Availability zone',
      help: 'Zone of migrated VMs and their disks. Cannot be combined with an availability set.',
      group: migrated,
      example: '1',
    }),
    availability_set: field(text().optional(), {
      title: 'Availability set',
      help: 'Existing availability set for migrated VMs.',
      group: migrated,
      example: 'web-set',
    }),
    tags: field(z.record(text(), z.string()).optional(), {
      title: 'Tags',
      help: 'Tags of migrated VMs and of everything else that is created for them.',
      group: migrated,
      example: { project: 'migration' },
    }),
    license_type: field(z.enum(['Windows_Server', 'Windows_Client', 'RHEL_BYOS', 'SLES_BYOS']).optional(), {
      title: 'License type',
      help: 'Existing license used for migrated VMs (Azure Hybrid Benefit).',
      group: migrated,
      example: 'Windows_Server',
    }),
    security_type: field(z.enum(['auto', 'standard', 'trusted_launch']).optional(), {
      title: 'Security type',
      help: 'Security type of migrated VMs. With auto, VMs with secure boot get trusted launch, others standard.',
      group: migrated,
      example: 'auto',
      builtIn: 'auto',
    }),
  })
  .refine(
    ({ sign_in: way = 'client_secret', tenant, service_principal_credentials: principal }) =>
      way === 'cli' ||
      way === 'managed_identity' ||
      way === 'device_code' ||
      (tenant !== undefined && (principal?.client_secret ?? principal?.client_certificate) !== undefined),
    {
      error: 'A service principal needs a tenant, a client ID, and a client secret or certificate.',
      path: ['service_principal_credentials'],
    },
  );
