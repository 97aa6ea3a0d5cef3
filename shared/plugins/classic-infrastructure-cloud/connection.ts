import { z } from 'zod';
import { field } from '../field-meta.ts';
import { passwordField, usernameField } from '../shapes/connection-fields.ts';
import { protectedUrl, text } from '../shapes/values.ts';

const group = 'Access';

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
});
