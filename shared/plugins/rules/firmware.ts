import type { Rule } from '../../validation/rule.ts';

/** Platforms whose VMs start by BIOS only. */
export function noUefi(plugin: string): Rule {
  return {
    id: `${plugin}/no-uefi`,
    *check({ vm }) {
      if (vm?.firmware !== 'uefi') return;
      yield {
        severity: 'warning',
        from: 'document',
        at: ['vm', 'firmware'],
        message: 'The VM starts by UEFI; this platform only knows BIOS, so the migrated VM will not start as it is.',
      };
    },
  };
}
