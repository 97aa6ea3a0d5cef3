import { z } from 'zod';
import { isJsonObject } from '../../model/json.ts';
import { text } from './values.ts';

/** A secret by its name in the vault: `{"$secret": "name"}`. */
export const secretReference = z.strictObject({
  $secret: text().meta({
    title: 'Secret name',
    help: 'Name of the secret in the vault.',
    description: 'Name of the secret in the vault.',
    group: 'Secrets',
    example: 'template-password',
  }),
});

export type SecretReference = z.infer<typeof secretReference>;

/** A password or key: in plain text, or better by reference. The plain text may be blank inside, never empty. */
export const secretValue = () =>
  z.union([z.string().min(1), secretReference], { error: 'must be a string or {"$secret": "name"}' });

export function isSecretReference(value: unknown): value is SecretReference {
  return isJsonObject(value) && typeof value['$secret'] === 'string';
}
