import type { ErrorTable } from './error-text.ts';

/** What can go wrong with clouds that are made of services of their own, beyond what every cloud can do. */
export const openstackErrors = {
  'cloud.service-missing': {
    title: 'The cloud does not offer a service that is needed',
    cause: 'The catalogue lists no such service for this project, or not in this region or with this interface.',
    remedy: 'Set the region and the interface of the endpoint to those in the evidence, or have the service made available to the project.',
    retryable: false,
  },
  'cloud.port-in-use': {
    title: 'A port with the needed MAC address belongs to a running server',
    cause: 'port_reuse_policy says to reuse or to recreate ports with the MAC addresses of the VM, and one of them is in use.',
    remedy: 'Remove the server in the evidence, or set port_reuse_policy to replace_mac. Nothing was changed.',
    retryable: false,
  },
} as const satisfies ErrorTable;
