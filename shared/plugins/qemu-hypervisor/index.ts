import type { PluginDefinition } from '../plugin-definition.ts';
import { connection } from './connection.ts';
import { sourceRules } from './rules.ts';
import { source } from './source.ts';

export const qemuHypervisor: PluginDefinition = {
  id: 'qemu-hypervisor',
  title: 'QEMU or libvirt hypervisor',
  products: ['qemu', 'kvm', 'libvirt', 'qemu_kvm'],
  connection,
  source: { schema: source, rules: sourceRules, acceptedSpellings: {}, knownAliases: {} },
};
