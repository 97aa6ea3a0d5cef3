import { z } from 'zod';
import { CausewayError } from '../../../../../shared/model/causeway-error.ts';

/**
 * What the adapter reads of a connection. The form's own shape stands with the plugin; this is loose on purpose, so
 * that a connection made by an older or newer form still works.
 */
const connectionSchema = z.looseObject({
  identity_domain: z.string().min(1),
  username: z.string().min(1),
  password: z.string().min(1),
  api_endpoint: z.string().min(1),
  ca_certificate: z.string().optional(),
  caller_address: z.string().optional(),
  worker_ssh_port: z.int().min(1).max(65_535).optional(),
  worker_https_port: z.int().min(1).max(65_535).optional(),
  data_transfer_mechanism: z.enum(['HTTPS', 'SSH']).optional(),
});

export interface ClassicConnection {
  readonly apiUrl: string;
  /** `/Compute-acme`: what all names of the account begin with. */
  readonly account: string;
  /** `/Compute-acme/me@example.com`: what the names of this user's objects begin with, and what it signs in as. */
  readonly user: string;
  readonly password: string;
  readonly caCertificate: string | undefined;
  readonly callerAddresses: readonly string[];
  /** Ports under which services of workers are reached from here, when not their own. */
  readonly workerSshPort: number | undefined;
  readonly workerHttpsPort: number | undefined;
  readonly dataTransferMechanism: 'HTTPS' | 'SSH';
}

/** @throws `general.invalid-input` naming the keys that are missing or wrong; never their values. */
export function parseConnection(connection: unknown): ClassicConnection {
  const parsed = connectionSchema.safeParse(connection);
  if (!parsed.success) throw invalid([...new Set(parsed.error.issues.map((issue) => issue.path.join('.')))]);
  const { data } = parsed;
  // Both are also pasted as they stand in names of objects.
  const domain = data.identity_domain.trim().replace(/^\/?Compute-/, '');
  const username = data.username.trim().replace(/^\/Compute-[^/]+\//, '');
  const wrong = [
    ...(/^[A-Za-z0-9_.-]+$/.test(domain) ? [] : ['identity_domain']),
    ...(username === '' || username.includes('/') ? ['username'] : []),
  ];
  if (wrong.length > 0) throw invalid(wrong);
  const account = `/Compute-${domain}`;
  return {
    apiUrl: data.api_endpoint.trim().replace(/\/+$/, ''),
    account,
    user: `${account}/${username}`,
    password: data.password,
    caCertificate:
      data.ca_certificate === undefined || data.ca_certificate.trim() === '' ? undefined : data.ca_certificate,
    callerAddresses: (data.caller_address ?? '')
      .split(',')
      .map((each) => each.trim())
      .filter((each) => each !== ''),
    workerSshPort: data.worker_ssh_port,
    workerHttpsPort: data.worker_https_port,
    dataTransferMechanism: data.data_transfer_mechanism ?? 'HTTPS',
  };
}

function invalid(keys: readonly string[]): CausewayError {
  return new CausewayError(
    'general.invalid-input',
    `connection of the classic infrastructure cloud: missing or invalid: ${keys.join(', ')}`,
    { details: { keys: [...keys] } },
  );
}
