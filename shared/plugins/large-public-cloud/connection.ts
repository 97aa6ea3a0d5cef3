import { z } from 'zod';
import { field } from '../field-meta.ts';
import { secretValue } from '../shapes/secret-value.ts';
import { text } from '../shapes/values.ts';

const group = 'Access';

export const connection = z.strictObject({
  region: field(text(), { title: 'Region', help: 'Region of the VMs.', group, example: 'eu-central-1' }),
  access_key_id: field(text(), {
    title: 'Access key ID',
    help: 'ID of the access key that signs requests.',
    group,
    example: 'AKIAIOSFODNN7EXAMPLE',
  }),
  secret_access_key: field(secretValue(), {
    title: 'Secret access key',
    help: 'Secret part of the access key. Stored in the vault.',
    group,
    secret: true,
    example: { $secret: 'access-key' },
  }),
});
