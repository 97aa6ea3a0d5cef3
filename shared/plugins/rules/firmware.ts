import type { Rule } from '../rule.ts';

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
            ? '"firmware" of the VM is UEFI, but this source only has BIOS VMs.'
            : 'The VM boots with UEFI, but this platform only supports BIOS: the migrated VM will not boot.',
        suggestion:
          side === 'source'
            ? 'Set "firmware" to "bios", or check the source plugin.'
            : 'Choose another destination, or convert the guest to BIOS boot.',
      };
    },
  };
}
