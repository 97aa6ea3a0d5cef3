import { Option } from 'commander';
import {
  inProject,
  UsageError,
  type CommandRegistrar,
  type ExitStatus,
  type ProjectOptions,
} from '../command-context.ts';

interface InspectFlags extends ProjectOptions {
  readonly replica?: string;
  readonly cancel?: boolean;
  readonly keySecret?: readonly string[];
  readonly root?: string;
  readonly keyFile?: readonly string[];
  readonly hypervisor?: 'kvm' | 'hyperv';
  readonly diskBus?: 'virtio' | 'scsi' | 'ide' | 'usb';
  readonly keepAddresses?: boolean;
  readonly virtioDisc?: string;
}

/** `guest inspect`: what a preparation will meet, before there is a replica. */
export const registerGuest: CommandRegistrar = (program, context) => {
  const guest = program.command('guest');
  const inspect = guest
    .command('inspect')
    .description(
      "Inspect the guest in disk images on this computer (Linux only, as root), or on a replica's volumes by a worker at the destination; read-only: what it is, what OSMorphing would stop at, what is doubtful, and what it would change. Exit status 1 when OSMorphing would stop.",
    )
    .argument('[image...]', 'the disks of one VM (raw, qcow2, VMDK, VHD, VHDX, VDI), the boot disk first')
    .option(
      '--replica <replica>',
      'name or id: inspect its volumes instead of images. Ctrl-C cancels and deletes the worker',
    )
    .option('--cancel', 'cancel the inspection of the replica; deletes the worker of an interrupted one')
    .option('--key-secret <name...>', "names of secrets with keys of the replica's encrypted volumes")
    .option('--root <root>', 'which installation to inspect if there are several')
    .option('--key-file <file...>', 'files with keys of encrypted volumes (LUKS passphrases, BitLocker recovery keys)')
    .addOption(new Option('--hypervisor <kind>', 'hypervisor of the destination').choices(['kvm', 'hyperv']))
    .addOption(
      new Option('--disk-bus <bus>', "bus of the destination's disks").choices(['virtio', 'scsi', 'ide', 'usb']),
    )
    .option('--keep-addresses', 'the environment has set_dhcp: false')
    .option('--virtio-disc <file>', 'ISO with VirtIO drivers for Windows, to see which of them it would get')
    .addHelpText(
      'after',
      "\nFile systems of the guest are mounted by this computer's kernel, and none of the guest's programs is run. Inspect guests that you do not trust on a computer that you can do without.",
    );
  inProject(inspect).action(
    context.run(async (images: readonly string[], flags: InspectFlags): Promise<ExitStatus> => {
      if ((flags.replica === undefined) === (images.length === 0))
        throw new UsageError('specify images, or a replica with --replica');
      if (flags.replica !== undefined) {
        const { runInspectReplica } = await import('../guest/run-inspect-replica.ts');
        return runInspectReplica(flags.replica, flags, context);
      }
      const { runInspect } = await import('../guest/run-inspect.ts');
      return runInspect(images, flags, context);
    }),
  );
};
