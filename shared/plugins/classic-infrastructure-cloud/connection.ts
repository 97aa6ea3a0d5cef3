import { z } from 'zod';
import { field } from '../field-meta.ts';
import { caCertificateField, passwordField, portField, usernameField } from '../shapes/connection-fields.ts';
import { protectedUrl, text } from '../shapes/values.ts';

const group = 'Access';
const workers = 'Workers';

export const connection = z.strictObject({
  identity_domain: field(text(), {
    title: 'Identity domain',
    help: 'Domain of the account, as used in the three-part names of resources.',
    group,
    example: 'a488347',
  }),
  username: usernameField('User of the identity domain.', 'migration@example.com'),
  password: passwordField(),
  api_endpoint: field(protectedUrl(), {
    title: 'Compute endpoint',
    help: 'URL of the compute interface of the site.',
    group,
    example: 'https://compute.example.com/',
  }),
  storage_api_endpoint: field(protectedUrl().optional(), {
    title: 'Storage endpoint',
    help: 'URL of the object storage interface.',
    group,
    example: 'https://storage.example.com/',
  }),
  storage_auth_endpoint: field(protectedUrl().optional(), {
    title: 'Storage sign-in endpoint',
    help: 'URL that issues tokens for the object storage.',
    group,
    example: 'https://storage.example.com/auth/v1.0',
  }),
  data_transfer_mechanism: field(z.enum(['HTTPS', 'SSH']).optional(), {
    title: 'Data transfer',
    help: 'How data is sent to workers: HTTPS to the agent’s own port, or within SSH.',
    group: workers,
    example: 'HTTPS',
    builtIn: 'HTTPS',
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
});
