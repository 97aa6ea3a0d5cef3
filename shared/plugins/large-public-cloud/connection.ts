import { z } from 'zod';
import { field } from '../field-meta.ts';
import { allowUntrustedField, caCertificateField } from '../shapes/connection-fields.ts';
import { secretValue } from '../shapes/secret-value.ts';
import { plainName, protectedUrl, text } from '../shapes/values.ts';

const access = 'Access';
const role = 'Assumed role';
const reading = 'Reading disks';

const optionalText = (title: string, help: string, group: string, example: string) =>
  field(text().optional(), { title, help, group, example });

export const connection = z.strictObject({
  region: field(text(), { title: 'Region', help: 'Region of the VMs.', group: access, example: 'eu-central-1' }),
  access_key_id: optionalText(
    'Access key ID',
    'ID of the access key that signs requests. Not used with a profile.',
    access,
    'AKIAIOSFODNN7EXAMPLE',
  ),
  secret_access_key: field(secretValue().optional(), {
    title: 'Secret access key',
    help: 'Secret part of the access key. Stored in the vault.',
    group: access,
    secret: true,
    example: { $secret: 'access-key' },
  }),
  session_token: field(secretValue().optional(), {
    title: 'Session token',
    help: 'Session token of temporary credentials. Stored in the vault.',
    group: access,
    secret: true,
    example: { $secret: 'session-token' },
  }),
  profile: field(
    text()
      .regex(/^[^\s'"[\]]+$/, 'must be the name of a profile')
      .optional(),
    {
      title: 'Profile',
      help: 'Profile in the AWS configuration files of this computer, used instead of an access key. For single sign-on, run aws sso login for it first.',
      group: access,
      example: 'migration',
      reach: 'access',
    },
  ),
  role_arn: field(
    text()
      .regex(/^arn:[a-z0-9-]+:iam::\d{12}:role\/\S+$/, 'must be the ARN of a role')
      .optional(),
    {
      title: 'Role',
      help: 'ARN of a role to assume with the access key or profile.',
      group: role,
      example: 'arn:aws:iam::123456789012:role/causeway',
    },
  ),
  external_id: optionalText('External ID', 'External ID that the role requires.', role, 'migration-2026'),
  endpoint_urls: field(z.partialRecord(z.enum(['ec2', 'ebs', 'sts']), protectedUrl()).optional(), {
    title: 'Endpoint URLs',
    help: 'URLs of individual services, e.g. of VPC endpoints. Keys: ec2, ebs, sts. Default: the endpoints of the region and its partition.',
    group: 'Services',
    example: { ebs: 'https://vpce-0a1b2c3d4e5f60718-example.ebs.eu-central-1.vpce.amazonaws.com' },
  }),
  use_fips_endpoints: field(z.boolean().optional(), {
    title: 'Use FIPS endpoints',
    help: 'Use the endpoints with validated cryptography, in regions that have them.',
    group: 'Services',
    example: false,
    builtIn: false,
  }),
  disk_access: field(z.enum(['auto', 'ebs_direct', 'worker']).optional(), {
    title: 'Disk access',
    help: 'How disks are read. ebs_direct: through the EBS direct APIs. worker: by a temporary VM in the source account, which needs migr_image_map. auto: the EBS direct APIs, or a worker if they are denied.',
    group: reading,
    example: 'auto',
    builtIn: 'auto',
  }),
  worker_subnet_id: field(plainName().optional(), {
    title: 'Subnet of workers',
    help: 'ID of the subnet for temporary workers. Default: the subnet of the VM’s first network interface.',
    group: reading,
    example: 'subnet-0a1b2c3d4e5f60718',
  }),
  worker_use_public_ip: field(z.boolean().optional(), {
    title: 'Public IP for workers',
    help: 'Give workers a public IP address. If false, this computer must be able to route to their subnet.',
    group: reading,
    example: true,
    builtIn: true,
  }),
  caller_address: optionalText(
    'Caller address',
    'Comma-separated addresses or ranges that may connect to workers. The ports of workers are only open to these. Needed if this computer is behind NAT.',
    'Trust',
    '198.51.100.7',
  ),
  ca_certificate: caCertificateField(),
  allow_untrusted: allowUntrustedField(),
});
