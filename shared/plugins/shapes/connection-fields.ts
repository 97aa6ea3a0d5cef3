import { z } from 'zod';
import { field } from '../field-meta.ts';
import { secretValue } from './secret-value.ts';
import { text } from './text.ts';

const group = 'Access';

/** Fields that the connection forms of several plugins share. */
export const hostField = (help: string, example: string) => field(text(), { title: 'Host', help, group, example });

export const portField = (builtIn: number, title = 'Port', help = 'TCP port of the interface.', heading = group) =>
  field(z.int().min(1).max(65_535).optional(), { title, help, group: heading, example: builtIn, builtIn });

export const usernameField = (help: string, example: string) => field(text(), { title: 'User name', help, group, example });

export const passwordField = (help = 'Password of the user. The vault keeps it.') =>
  field(secretValue(), { title: 'Password', help, group, secret: true, example: { $secret: 'endpoint-password' } });

export const allowUntrustedField = () =>
  field(z.boolean().optional(), {
    title: 'Allow untrusted certificates',
    help: 'Do not verify the server’s TLS certificate. Rather give its certificate authority: without verification anybody on the way can read and change everything.',
    group: 'Trust',
    example: false,
    builtIn: false,
  });

export const caCertificateField = () =>
  field(text().optional(), {
    title: 'Certificate authority',
    help: 'PEM text of the authority that signed the server’s certificate, where the system does not know it.',
    group: 'Trust',
    multiline: true,
    example: '-----BEGIN CERTIFICATE-----\n…\n-----END CERTIFICATE-----',
  });
