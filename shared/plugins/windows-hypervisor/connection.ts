import { z } from 'zod';
import { field } from '../field-meta.ts';
import { allowUntrustedField, caCertificateField, hostField, passwordField, portField, usernameField } from '../shapes/connection-fields.ts';
import { secretValue } from '../shapes/secret-value.ts';

export const connection = z.strictObject({
  host: hostField('Name or address of the hypervisor host.', 'hv01.example.com'),
  port: portField(5986, 'Management port', 'TCP port of remote management over HTTPS.'),
  username: usernameField('User with permission to manage VMs on the host.', 'EXAMPLE\\migration'),
  password: passwordField(),
  rct_port: portField(6677, 'Port of the RCT service', 'TCP port of the RCT service, which provides changed blocks.'),
  rct_password: field(secretValue().optional(), {
    title: 'Password of the RCT service',
    help: 'Password of the RCT service. Stored in the vault.',
    group: 'Access',
    secret: true,
    example: { $secret: 'rct-password' },
  }),
  ca_certificate: caCertificateField(),
  allow_untrusted: allowUntrustedField(),
});
