import { z } from 'zod';
import { field } from '../field-meta.ts';
import { isProtectedUrl, text } from '../shapes/values.ts';
import { secretValue } from '../shapes/secret-value.ts';

const group = 'Access';

/** A URL, or a bare domain suffix. */
const serviceAddress = () => text().refine((value) => !value.includes('://') || isProtectedUrl(value), { error: 'must be an https:// address' });

export const connection = z.strictObject({
  subscription_id: field(z.guid(), {
    title: 'Subscription ID',
    help: 'Subscription of the endpoint.',
    group,
    example: '1b4e28ba-2fa1-41d2-883f-0016d3cca427',
  }),
  tenant: field(text(), {
    title: 'Tenant',
    help: 'ID or domain of the directory that the service principal belongs to.',
    group,
    example: 'example.onmicrosoft.com',
  }),
  service_principal_credentials: field(
    z.strictObject({
      client_id: field(text(), {
        title: 'Client ID',
        help: 'Application ID of the service principal.',
        group,
        example: '6fa459ea-ee8a-4ca4-894e-db77e160355e',
      }),
      client_secret: field(secretValue(), {
        title: 'Client secret',
        help: 'Secret of the service principal. Stored in the vault.',
        group,
        secret: true,
        example: { $secret: 'client-secret' },
      }),
    }),
    {
      title: 'Service principal',
      help: 'Identity that the endpoint signs in with.',
      group,
      example: { client_id: '6fa459ea-ee8a-4ca4-894e-db77e160355e', client_secret: { $secret: 'client-secret' } },
    },
  ),
  default_resource_group: field(text().optional(), {
    title: 'Default resource group',
    help: 'Resource group that is suggested first.',
    group: 'Placement',
    example: 'migrations',
  }),
  cloud_profile: field(text().optional(), {
    title: 'Cloud profile',
    help: 'Cloud environment: the public cloud, a national cloud, or a custom cloud.',
    group: 'Services',
    example: 'AzureCloud',
    builtIn: 'AzureCloud',
  }),
  custom_cloud_properties: field(z.record(text(), serviceAddress()).optional(), {
    title: 'Endpoints of a custom cloud',
    help: 'URLs of a custom cloud: active_directory, resource_manager, storage_suffix.',
    group: 'Services',
    example: { resource_manager: 'https://management.local.example.com/' },
  }),
});
