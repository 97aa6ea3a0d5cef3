import { z } from 'zod';
import {
  allowUntrustedField,
  caCertificateField,
  hostField,
  passwordField,
  portField,
  usernameField,
} from '../shapes/connection-fields.ts';

export const connection = z.strictObject({
  host: hostField('Name or address of the manager.', 'manager.example.com'),
  port: portField(7002),
  username: usernameField('User of the manager.', 'admin'),
  password: passwordField(),
  ca_certificate: caCertificateField(),
  allow_untrusted: allowUntrustedField(),
});
