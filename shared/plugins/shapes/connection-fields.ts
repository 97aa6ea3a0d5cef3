import { z } from 'zod';
import { field } from '../field-meta.ts';
import { secretValue } from './secret-value.ts';
import { text } from './values.ts';

const group = 'Access';

/** Fields that the connection forms of several plugins share. */
export const hostField = (help: string, example: string) => field(text(), { title: 'Host', help, group, example });

export const portField = (builtIn: number, title = 'Port', help = 'TCP port of the interface.', heading = group) =>
  field(z.int().min(1).max(65_535).optional(), { title, help, group: heading, example: builtIn, builtIn });

export const usernameField = (help: string, example: string) =>
  field(text(), { title: 'User name', help, group, example });

export const passwordField = (help = 'Password of the user. Stored in the vault.') =>
  field(secretValue(), { title: 'Password', help, group, secret: true, example: { $secret: 'endpoint-password' } });

export const allowUntrustedField = () =>
  field(z.boolean().optional(), {
    title: 'Allow untrusted certificates',
    help: 'Do not verify the server’s TLS certificate. Specify its certificate authority instead: without verification, anyone on the network path can read and change the traffic.',
    group: 'Trust',
    example: false,
    builtIn: false,
  });

export const caCertificateField = () =>
  field(text().optional(), {
    title: 'Certificate authority',
    help: 'Certificate of the authority that issued the server certificate, in PEM format. Needed if the system does not trust it.',
    group: 'Trust',
    multiline: true,
    example: '-----BEGIN CERTIFICATE-----\n…\n-----END CERTIFICATE-----',
  });
