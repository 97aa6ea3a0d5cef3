import type { PluginId, Side } from '../model/plugin-id.ts';
import { pluginIds } from '../model/plugin-id.ts';
import { classicInfrastructureCloud } from './classic-infrastructure-cloud/index.ts';
import { compartmentCloud } from './compartment-cloud/index.ts';
import { diskImages } from './disk-images/index.ts';
import { europeanCloud } from './european-cloud/index.ts';
import { largePublicCloud } from './large-public-cloud/index.ts';
import { openSourceCloud } from './open-source-cloud/index.ts';
import type { EnvironmentDefinition, PluginDefinition } from './plugin-definition.ts';
import { qemuHypervisor } from './qemu-hypervisor/index.ts';
import { resourceGroupCloud } from './resource-group-cloud/index.ts';
import { serverVirtualizationManager } from './server-virtualization-manager/index.ts';
import { virtualizationPlatform } from './virtualization-platform/index.ts';
import { windowsHypervisor } from './windows-hypervisor/index.ts';

/** Every plugin, by its id. A new one is a folder beside this file and a line here. */
export const plugins: Readonly<Record<PluginId, PluginDefinition>> = {
  'virtualization-platform': virtualizationPlatform,
  'open-source-cloud': openSourceCloud,
  'large-public-cloud': largePublicCloud,
  'windows-hypervisor': windowsHypervisor,
  'resource-group-cloud': resourceGroupCloud,
  'compartment-cloud': compartmentCloud,
  'classic-infrastructure-cloud': classicInfrastructureCloud,
  'server-virtualization-manager': serverVirtualizationManager,
  'european-cloud': europeanCloud,
  'disk-images': diskImages,
  'qemu-hypervisor': qemuHypervisor,
};

export function isPluginId(value: unknown): value is PluginId {
  return typeof value === 'string' && Object.hasOwn(plugins, value);
}

/** The plugin, or undefined for an id that nobody has. */
export function findPlugin(id: string): PluginDefinition | undefined {
  return isPluginId(id) ? plugins[id] : undefined;
}

/** One side of a plugin; undefined where the plugin has no such side. */
export function findEnvironment(id: string, side: Side): EnvironmentDefinition | undefined {
  return findPlugin(id)?.[side];
}

/** Ids of the plugins that have a side, in the order in which they are offered. */
export function pluginsWith(side: Side): PluginId[] {
  return pluginIds.filter((id) => plugins[id][side] !== undefined);
}
