import { z } from 'zod';
import { CausewayError } from '../../../../shared/model/causeway-error.ts';

/**
 * What the adapter reads of a connection. The form's own shape stands with the plugin; this is loose on purpose, so
 * that a connection made by an older or newer form still works.
 */
const connectionSchema = z.looseObject({
  project_id: z.string().min(1),
  region_name: z.string().min(1).optional(),
  service_account_key: z.string().min(1),
  /** PEM of the private key, when the key was made with one's own key pair. */
  private_key: z.string().optional(),
  iaas_url: z.string().optional(),
  token_url: z.string().optional(),
  ca_certificate: z.string().optional(),
  /** Addresses or ranges, comma-separated, from which workers are reached. */
  caller_address: z.string().optional(),
  worker_ssh_port: z.int().min(1).max(65_535).optional(),
  worker_https_port: z.int().min(1).max(65_535).optional(),
});

export interface EuropeanCloudConnection {
  readonly projectId: string;
  /** Lower case, as the API's paths have it. */
  readonly region: string;
  readonly serviceAccountKey: string;
  readonly privateKey: string | undefined;
  readonly iaasUrl: string;
  readonly tokenUrl: string | undefined;
  readonly caCertificate: string | undefined;
  readonly callerAddresses: readonly string[];
  /** Ports under which services of workers are reached from here, when not their own. */
  readonly workerSshPort: number | undefined;
  readonly workerHttpsPort: number | undefined;
}

/** What the form promises where no region is named. */
const defaultRegion = 'eu01';
export const defaultIaasUrl = 'https://iaas.api.stackit.cloud';
export const defaultTokenUrl = 'https://service-account.api.stackit.cloud/token';

/** @throws `general.invalid-input` naming the keys that are missing; never their values. */
export function parseConnection(
  connection: unknown,
  endpoints: { readonly iaasUrl?: string | undefined; readonly tokenUrl?: string | undefined } = {},
): EuropeanCloudConnection {
  const parsed = connectionSchema.safeParse(connection);
  if (!parsed.success) {
    const keys = [...new Set(parsed.error.issues.map((issue) => issue.path.join('.')))];
    throw new CausewayError(
      'general.invalid-input',
      `connection of the European cloud: missing or invalid: ${keys.join(', ')}`,
      { details: { keys } },
    );
  }
  const { data } = parsed;
  return {
    projectId: data.project_id.trim(),
    region: (filled(data.region_name) ?? defaultRegion).toLowerCase(),
    serviceAccountKey: data.service_account_key,
    privateKey: filled(data.private_key),
    iaasUrl: endpoints.iaasUrl ?? filled(data.iaas_url) ?? defaultIaasUrl,
    tokenUrl: endpoints.tokenUrl ?? filled(data.token_url),
    caCertificate: filled(data.ca_certificate),
    callerAddresses: (data.caller_address ?? '')
      .split(',')
      .map((each) => each.trim())
      .filter((each) => each !== ''),
    workerSshPort: data.worker_ssh_port,
    workerHttpsPort: data.worker_https_port,
  };
}

function filled(text: string | undefined): string | undefined {
  return text === undefined || text.trim() === '' ? undefined : text.trim();
}
