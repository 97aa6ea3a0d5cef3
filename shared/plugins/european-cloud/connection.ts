import { z } from 'zod';
import { isJsonObject } from '../../model/json.ts';
import { field } from '../field-meta.ts';
import { caCertificateField, portField } from '../shapes/connection-fields.ts';
import { protectedUrl, text } from '../shapes/values.ts';
import { secretValue, type SecretReference } from '../shapes/secret-value.ts';

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
    help: 'Organization that the project belongs to. Only needed to list its projects.',
    group: access,
    example: '0f3f5b0c-6b0e-4d0f-8a58-1f0c5f2f7d10',
  }),
  project_id: field(z.guid(), {
    title: 'Project ID',
    help: 'Project of the service account. Resources are created here unless an environment sets another project.',
    group: access,
    example: 'f5c6bd4b-1f0a-4d0e-9f5e-0c2f2f6f0a11',
  }),
  region_name: field(text().optional(), {
    title: 'Region',
    help: 'Region in which resources are created. Not case-sensitive.',
    group: access,
    example: 'eu01',
    builtIn: 'eu01',
  }),
  service_account_key: field(secretValue().refine(isKeyOrReference, { error: notAKey, params: { isForm: true } }), {
    title: 'Service account key',
    help: 'Service account key, as the JSON from the portal or in Base64. Stored in the vault.',
    group: access,
    secret: true,
    multiline: true,
    example: { $secret: 'service-account-key' },
  }),
  private_key: field(secretValue().optional(), {
    title: 'Private key',
    help: 'Private key in PEM format. Only needed for your own key pair, if the service account key does not contain it. Stored in the vault.',
    group: access,
    secret: true,
    multiline: true,
    example: { $secret: 'service-account-private-key' },
  }),
  iaas_url: serviceUrl(
    'Infrastructure interface',
    'URL of the infrastructure interface.',
    'https://iaas.api.stackit.cloud',
  ),
  token_url: serviceUrl(
    'Token endpoint',
    'URL that issues tokens. Overrides the URL in the service account key.',
    'https://service-account.api.stackit.cloud/token',
  ),
  caller_address: field(text().optional(), {
    title: 'Caller address',
    help: 'Comma-separated addresses or ranges that may connect to workers. The ports of workers are only open to these. Needed if this computer is behind NAT.',
    group: 'Trust',
    example: '198.51.100.7',
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
    'Port for HTTPS connections to the agent on workers, if NAT or a jump host forwards a different port.',
    workers,
  ),
  ca_certificate: caCertificateField(),
});

export type EuropeanCloudConnection = z.infer<typeof connection>;
