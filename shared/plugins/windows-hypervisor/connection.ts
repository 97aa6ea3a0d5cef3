import { z } from 'zod';
import { field } from '../field-meta.ts';
import { allowUntrustedField, caCertificateField, hostField, passwordField, portField, usernameField } from '../shapes/connection-fields.ts';
import { secretValue } from '../shapes/secret-value.ts';

export const connection = z.strictObject({
  host: hostField('Name or address of the hypervisor host.', 'hv01.example.com'),
  port: portField(5986, 'Management port', 'TCP port of remote management over HTTPS.'),
  username: usernameField('User with permission to manage VMs on the host.', 'EXAMPLE\\migration'),
  password: passwordField(),
  authentication: field(z.enum(['auto', 'basic', 'ntlm', 'kerberos']).optional(), {
    title: 'Authentication',
    help: 'How to sign in. auto uses NTLM if the host offers Negotiate, otherwise Basic. kerberos needs the Kerberos libraries of this computer and the npm package kerberos.',
    group: 'Access',
    example: 'auto',
    builtIn: 'auto',
  }),
  rct_port: portField(6677, 'Port of the RCT service', 'TCP port of the RCT service, which provides changed blocks.'),
  rct_password: field(secretValue().optional(), {
    title: 'Password of the RCT service',
    help: 'Password of the RCT service. Stored in the vault.',
    group: 'Access',
    secret: true,
    example: { $secret: 'rct-password' },
  }),
  certificate_sha256: field(z.array(z.string().regex(/^(?:[0-9A-Fa-f]{2}:?){31}[0-9A-Fa-f]{2}$/, 'must be a SHA-256 fingerprint: 64 hexadecimal digits')).optional(), {
    title: 'Certificate fingerprints',
    help: 'SHA-256 fingerprints of the certificates that the hosts may have, one for each node of a cluster. Needed if they are self-signed, as WinRM certificates usually are. Only these certificates are then accepted.',
    group: 'Trust',
    example: ['9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'],
  }),
  ca_certificate: caCertificateField(),
  allow_untrusted: allowUntrustedField(),
});
