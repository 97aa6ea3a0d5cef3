import { z } from 'zod';
import { field } from '../field-meta.ts';
import { secretValue } from '../shapes/secret-value.ts';
import { text } from '../shapes/values.ts';

const group = 'Access';

export const connection = z.strictObject({
  region: field(text(), { title: 'Region', help: 'Region of the endpoint.', group, example: 'eu-frankfurt-1' }),
  tenancy: field(text(), { title: 'Tenancy', help: 'ID of the tenancy.', group, example: 'ocid1.tenancy.oc1..aaaaexample' }),
  user: field(text(), { title: 'User', help: 'ID of the user that signs requests.', group, example: 'ocid1.user.oc1..aaaaexample' }),
  private_key_data: field(secretValue(), {
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
  fingerprint: field(z.string().regex(/^(?:[0-9A-Fa-f]{2}:){15}[0-9A-Fa-f]{2}$/, 'must be 16 pairs of hexadecimal digits with colons'), {
    title: 'Fingerprint',
    help: 'Fingerprint of the public key that is registered for the user.',
    group,
    example: '20:3b:97:13:55:1c:5b:0d:d3:37:d8:50:4e:c5:3a:34',
  }),
});
