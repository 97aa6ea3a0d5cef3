import { z } from 'zod';
import { allowUntrustedField, caCertificateField, hostField, passwordField, portField, usernameField } from '../shapes/connection-fields.ts';

export const connection = z.strictObject({
  host: hostField('Name or address of the management server or of a single hypervisor host.', 'vcenter.example.com'),
  port: portField(443),
  username: usernameField('User name with domain.', 'migration@vsphere.local'),
  password: passwordField(),
  ca_certificate: caCertificateField(),
  allow_untrusted: allowUntrustedField(),
});
