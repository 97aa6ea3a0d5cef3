import type { PluginDefinition } from '../plugin-definition.ts';
import { connection } from './connection.ts';
import { sourceRules } from './rules.ts';
import { source } from './source.ts';

export const virtualizationPlatform: PluginDefinition = {
  id: 'virtualization-platform',
  title: 'Virtualization platform',
  productName: 'VMware vSphere',
  products: ['vmware', 'vsphere', 'vmware_vsphere', 'esxi', 'vmware_esxi', 'vcenter', 'vmware_vcenter'],
  connection,
  source: {
    schema: source,
    rules: sourceRules,
    acceptedSpellings: {},
    knownAliases: {
      vixdisklib_compatibility_version: 'disklib_compatibility_version',
      vddk_version: 'disklib_compatibility_version',
      disklib_version: 'disklib_compatibility_version',
      enable_cbt: 'automatically_enable_cbt',
      auto_enable_cbt: 'automatically_enable_cbt',
      change_tracking_enabled: 'automatically_enable_cbt',
    },
  },
};
