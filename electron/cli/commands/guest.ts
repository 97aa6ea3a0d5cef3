import { Option } from 'commander';
import type { CommandRegistrar, ExitStatus } from '../command-context.ts';

interface InspectFlags {
  readonly root?: string;
  readonly keyFile?: readonly string[];
  readonly hypervisor?: 'kvm' | 'hyperv';
  readonly diskBus?: 'virtio' | 'scsi' | 'ide' | 'usb';
  readonly virtioDisc?: string;
  readonly json?: boolean;
}

/** `guest inspect`: what a preparation will meet, before there is a replica. */
export const registerGuest: CommandRegistrar = (program, context) => {
  const guest = program.command('guest').description('Look at guest operating systems.');
  guest
    .command('inspect')
    .description('Inspect the guest in disk images on this computer, read-only: what it is, what OSMorphing would stop at, what is doubtful, and what it would change. Linux only, as root. Exit status 1 when OSMorphing would stop.')
    .argument('<image...>', 'the disks of one VM (raw, qcow2, VMDK, VHD, VHDX, VDI), the boot disk first')
    .option('--root <root>', 'which installation to inspect if there are several')
    .option('--key-file <file...>', 'files with keys of encrypted volumes (LUKS passphrases, BitLocker recovery keys)')
    .addOption(new Option('--hypervisor <kind>', 'hypervisor of the destination').choices(['kvm', 'hyperv']))
    .addOption(new Option('--disk-bus <bus>', 'bus of the destination\'s disks').choices(['virtio', 'scsi', 'ide', 'usb']))
    .option('--virtio-disc <file>', 'ISO with VirtIO drivers for Windows, to see which of them it would get')
    .option('--json', 'print one JSON object')
    .addHelpText('after', '\nFile systems of the guest are mounted by this computer\'s kernel, and none of the guest\'s programs is run. Inspect guests that you do not trust on a computer that you can do without.')
    .action(
      context.run(async (images: readonly string[], flags: InspectFlags): Promise<ExitStatus> => {
        const { runInspect } = await import('../guest/run-inspect.ts');
        return runInspect(images, flags, context);
      }),
    );
};
