import type { PluginDefinition } from '../plugin-definition.ts';
import { connection } from './connection.ts';
import { source } from './source.ts';

export const windowsHypervisor: PluginDefinition = {
  id: 'windows-hypervisor',
  title: 'Windows hypervisor',
  productName: 'Microsoft Hyper-V',
  products: ['hyperv', 'hyper_v', 'microsoft_hyper_v', 'scvmm'],
  connection,
  source: {
    schema: source,
    rules: [],
    acceptedSpellings: {},
    knownAliases: {
      fallback_to_crash_consistent_snapshot: 'fallback_to_crash_consistent_snapshots',
      crash_consistent_fallback: 'fallback_to_crash_consistent_snapshots',
      allow_crash_consistent: 'fallback_to_crash_consistent_snapshots',
      verify_rct: 'verify_rct_server',
      verify_rct_server_ssl: 'verify_rct_server',
      verify_ssl: 'verify_rct_server',
    },
  },
};
