import type { PluginId } from '../model/plugin-id.ts';
import { pluginOfProduct } from '../plugins/plugin-definition.ts';
import { plugins } from '../plugins/registry.ts';

/** Names of Coriolis' providers; what it has no provider for is absent. */
const providers: Readonly<Partial<Record<PluginId, string>>> = {
  'virtualization-platform': 'vmware_vsphere',
  'open-source-cloud': 'openstack',
  'large-public-cloud': 'aws',
  'windows-hypervisor': 'hyper-v',
  'resource-group-cloud': 'azure',
  'compartment-cloud': 'oci',
  'classic-infrastructure-cloud': 'opc',
  'server-virtualization-manager': 'oracle_vm',
  'european-cloud': 'stackit',
};

export function providerOf(plugin: PluginId): string | undefined {
  return providers[plugin];
}

export function pluginOfProvider(provider: string): PluginId | undefined {
  return pluginOfProduct(provider, Object.values(plugins))?.id;
}
