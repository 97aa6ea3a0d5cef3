import type { Rule } from '../../validation/rule.ts';

/** Platforms with VMs that boot by BIOS only: such a source has no UEFI VM, and such a destination cannot boot one. */
export function noUefi(plugin: string): Rule {
  return {
    id: `${plugin}/no-uefi`,
    *check({ vm, side }) {
      if (vm?.firmware !== 'uefi') return;
      yield {
        severity: 'warning',
        from: 'document',
        at: ['vm', 'firmware'],
        message:
          side === 'source'
            ? 'The VM is described with UEFI firmware, but this source has BIOS VMs only.'
            : 'The VM boots by UEFI, but this platform only has BIOS: the migrated VM will not boot as it is.',
        suggestion: side === 'source' ? 'Set "firmware" to "bios", or check that the source is the right one.' : 'Choose another destination, or convert the guest to BIOS boot.',
      };
    },
  };
}
