import { z } from 'zod';
import { isJsonObject } from '../../model/json.ts';
import { field } from '../field-meta.ts';
import { caCertificateField, portField } from '../shapes/connection-fields.ts';
import { protectedUrl } from '../shapes/protected-url.ts';
import { secretValue, type SecretReference } from '../shapes/secret-value.ts';
import { text } from '../shapes/text.ts';

const access = 'Access';
const services = 'Services';
const workers = 'Workers';
const serviceUrl = (title: string, help: string, builtIn: string) =>
  field(protectedUrl().optional(), { title, help, group: services, example: builtIn, builtIn });

const notAKey = 'must be the JSON text of a service account key, or its Base64: a file with "credentials"';

/** What the portal hands out, by its form alone; whether it is valid, the cloud says. */
function isKeyOrReference(value: string | SecretReference): boolean {
  if (typeof value !== 'string') return true;
  try {
    const text = value.trim();
    const key: unknown = JSON.parse(text.startsWith('{') ? text : atob(text));
    return isJsonObject(key) && isJsonObject(key['credentials']);
  } catch {
    return false;
  }
}

export const connection = z.strictObject({
  organization_id: field(z.guid().optional(), {
    title: 'Organization ID',
    help: 'Organization that the project belongs to. Only needed to offer its projects.',
    group: access,
    example: '0f3f5b0c-6b0e-4d0f-8a58-1f0c5f2f7d10',
  }),
  project_id: field(z.guid(), {
    title: 'Project ID',
    help: 'Project of the service account, in which everything is created unless an environment names another.',
    group: access,
    example: 'f5c6bd4b-1f0a-4d0e-9f5e-0c2f2f6f0a11',
  }),
  region_name: field(text().optional(), {
    title: 'Region',
    help: 'Region in which everything is created. Upper case is taken as well.',
    group: access,
    example: 'eu01',
    builtIn: 'eu01',
  }),
  service_account_key: field(secretValue().refine(isKeyOrReference, { error: notAKey, params: { isForm: true } }), {
    title: 'Service account key',
    help: 'The service account’s key as the JSON text that the portal hands out, or its Base64. The vault keeps it.',
    group: access,
    secret: true,
    multiline: true,
    example: { $secret: 'service-account-key' },
  }),
  private_key: field(secretValue().optional(), {
    title: 'Private key',
    help: 'PEM text of the private key, only where the key pair was made by yourself and the service account key holds none. The vault keeps it.',
    group: access,
    secret: true,
    multiline: true,
    example: { $secret: 'service-account-private-key' },
  }),
  iaas_url: serviceUrl('Infrastructure interface', 'URL of the infrastructure interface.', 'https://iaas.api.stackit.cloud'),
  token_url: serviceUrl(
    'Token endpoint',
    'URL at which tokens are had. The one in the service account key wins unless this is set.',
    'https://service-account.api.stackit.cloud/token',
  ),
  caller_address: field(text().optional(), {
    title: 'Caller address',
    help: 'Addresses or ranges, comma-separated, from which workers are reached: their ports are opened for these alone. Needed behind a router that hides this computer’s own address.',
    group: 'Trust',
    example: '198.51.100.7',
  }),
  worker_ssh_port: portField(
    22,
    'SSH port of workers',
    'Port at which SSH on workers is reached from here, where a NAT or a jump host leads there from another one than its own.',
    workers,
  ),
  worker_https_port: portField(
    5566,
    'HTTPS port of workers',
    'Port at which the agent on workers is reached from here, where a NAT or a jump host leads there from another one than its own.',
    workers,
  ),
  ca_certificate: caCertificateField(),
});

export type EuropeanCloudConnection = z.infer<typeof connection>;
