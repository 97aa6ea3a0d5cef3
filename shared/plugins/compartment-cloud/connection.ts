import { z } from 'zod';
import { field } from '../field-meta.ts';
import { caCertificateField, portField } from '../shapes/connection-fields.ts';
import { secretValue } from '../shapes/secret-value.ts';
import { protectedUrl, text } from '../shapes/values.ts';

const group = 'Access';
const services = 'Services';
const workers = 'Workers';

export const connection = z
  .strictObject({
    region: field(text(), { title: 'Region', help: 'Region of the endpoint.', group, example: 'eu-frankfurt-1' }),
    sign_in: field(z.enum(['api_key', 'session_token', 'instance_principal']).optional(), {
      title: 'Sign-in',
      help: 'How requests are signed: with the API key of a user, with a session token of the platform’s command line tool, or as the instance that Causeway runs on.',
      group,
      example: 'api_key',
      builtIn: 'api_key',
    }),
    tenancy: field(text().optional(), {
      title: 'Tenancy',
      help: 'ID of the tenancy. An instance finds its own.',
      group,
      example: 'ocid1.tenancy.oc1..aaaaexample',
    }),
    user: field(text().optional(), {
      title: 'User',
      help: 'ID of the user that signs requests. Only for an API key.',
      group,
      example: 'ocid1.user.oc1..aaaaexample',
    }),
    private_key_data: field(secretValue().optional(), {
      title: 'Private key',
      help: 'Private key that signs requests, in PEM format. Stored in the vault.',
      group,
      secret: true,
      multiline: true,
      example: { $secret: 'signing-key' },
    }),
    private_key_passphrase: field(secretValue().optional(), {
      title: 'Passphrase of the private key',
      help: 'Only for an encrypted key. Stored in the vault.',
      group,
      secret: true,
      example: { $secret: 'signing-key-passphrase' },
    }),
    fingerprint: field(
      z
        .string()
        .regex(/^(?:[0-9A-Fa-f]{2}:){15}[0-9A-Fa-f]{2}$/, 'must be 16 pairs of hexadecimal digits with colons')
        .optional(),
      {
        title: 'Fingerprint',
        help: 'Fingerprint of the public key that is registered for the user.',
        group,
        example: '20:3b:97:13:55:1c:5b:0d:d3:37:d8:50:4e:c5:3a:34',
      },
    ),
    session_token: field(secretValue().optional(), {
      title: 'Session token',
      help: 'Security token of a session, with the private key of that session above. It ends after an hour unless it is refreshed. Stored in the vault.',
      group,
      secret: true,
      multiline: true,
      example: { $secret: 'session-token' },
    }),
    realm_domain: field(
      z
        .string()
        .regex(/^[a-z0-9]+(?:[.-][a-z0-9]+)+$/, 'must be a domain, e.g. oraclecloud.com')
        .optional(),
      {
        title: 'Domain of the realm',
        help: 'Domain of the services, for a government, sovereign or dedicated realm.',
        group: services,
        example: 'oraclecloud.com',
        builtIn: 'oraclecloud.com',
      },
    ),
    service_url: field(protectedUrl().optional(), {
      title: 'Services',
      help: 'URL below which the services are, each by its name, if they are reached through a gateway instead of at their own addresses.',
      group: services,
      example: 'https://oci-gateway.example.com',
    }),
    volume_performance: field(z.int().min(0).max(120).multipleOf(10).optional(), {
      title: 'Volume performance',
      help: 'Performance units per GB of volumes: 0 lower cost, 10 balanced, 20 higher performance, 30 to 120 ultra high performance.',
      group: services,
      example: 10,
      builtIn: 10,
    }),
    deployment_copies: field(z.enum(['clones', 'backups']).optional(), {
      title: 'Copies for deployments',
      help: 'What the volumes of a deployment are made from: clones, which are ready within seconds, or incremental backups, which the object storage keeps apart from the volumes.',
      group: services,
      example: 'clones',
      builtIn: 'clones',
    }),
    data_transfer_mechanism: field(z.enum(['HTTPS', 'SSH']).optional(), {
      title: 'Data transfer',
      help: 'How data is sent to workers: HTTPS to the agent’s own port, or within SSH.',
      group: workers,
      example: 'HTTPS',
      builtIn: 'HTTPS',
    }),
    worker_use_public_ip: field(z.boolean().optional(), {
      title: 'Public IP of workers',
      help: 'Give workers public addresses, if their subnet allows it. Turn off to reach them at private addresses.',
      group: workers,
      example: true,
      builtIn: true,
    }),
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
  })
  .refine(
    ({ sign_in: way, session_token, tenancy, user, private_key_data, fingerprint }) => {
      if (way === 'instance_principal') return true;
      const isSession = way === 'session_token' || (way === undefined && session_token !== undefined);
      const needed = isSession
        ? [tenancy, session_token, private_key_data]
        : [tenancy, user, private_key_data, fingerprint];
      return needed.every((value) => value !== undefined);
    },
    {
      error:
        'An API key needs tenancy, user, private key and fingerprint; a session token needs tenancy and private key.',
      path: ['private_key_data'],
    },
  );
