import { existsSync } from 'node:fs';
import { copyFile, mkdtemp, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { ensureHypervGuest, ensureLayoutSource, imageCache, type Progress } from '../images/ensure.ts';
import { run } from '../machines/child-process.ts';
import { makeVariablesWithEntry } from '../machines/uefi-firmware.ts';
import { startMorphLab } from './morph-lab.ts';

/** A guest like the Debian guest (no virtio in its initramfs, no cloud-init) on disks of another layout. */
export interface GuestLayout {
  readonly about: string;
  /** Sizes of its disks in GiB, the one that it boots from first. */
  readonly disksGb: readonly number[];
  readonly uefi: boolean;
  /** The installation that is copied onto them. Default: the Debian guest with the tools of all layouts. */
  readonly source?: (progress: Progress) => Promise<string>;
}

export const guestLayouts = {
  lvm: { about: 'root striped over two disks by LVM, /var on a volume of its own', disksGb: [1, 1], uefi: false },
  btrfs: {
    about: 'root and /home on subvolumes of btrfs, with a snapshot of the system beside them',
    disksGb: [2],
    uefi: false,
  },
  uefi: { about: 'GPT with an EFI system partition, started by an entry of its firmware', disksGb: [2], uefi: true },
  generation2: {
    about: 'a VM of generation 2 on Hyper-V: GPT with signed boot loaders, an initramfs that knows Hyper-V alone',
    disksGb: [2],
    uefi: true,
    source: ensureHypervGuest,
  },
  encrypted: { about: 'root on a volume group within LUKS on a mirror of two disks', disksGb: [2, 2], uefi: false },
} as const satisfies Readonly<Record<string, GuestLayout>>;

export type LayoutName = keyof typeof guestLayouts;

/** Opens the encrypted volume of the layout that has one. */
export const layoutPassphrase = 'correct horse battery staple';

/** An emulated worker has no device manager that would load what its processor can do. */
export const loadCiphers = { name: 'ciphers', content: 'modprobe -a dm_crypt aesni_intel' } as const;

const script = join(import.meta.dirname, 'lay-out-guest.sh');
const progress = (line: string): boolean => process.stderr.write(`${line}\n`);

/** What is laid out by the script beside this file. */
interface Wanted {
  /** Of the layout in the script. */
  readonly name: string;
  readonly disksGb: readonly number[];
  readonly uefi: boolean;
  /** Folder with the installation and the key of root's account. */
  readonly source: string;
  /** A boot loader that its firmware has an entry for. */
  readonly entry?: string;
}

/**
 * A folder with `disk0.raw`, `disk1.raw`, …, `id_ed25519`, the key of root's account, `host-key.pub`, what it
 * is known by, and, with UEFI, `uefi-variables`, the variables of firmware that has an entry for it. Laid out once, in an emulated worker (about a minute), and kept with the other images by the hash of what
 * made it.
 */
export async function ensureLayout(name: LayoutName): Promise<string> {
  const { disksGb, uefi, source: ensureSource = ensureLayoutSource }: GuestLayout = guestLayouts[name];
  const entry = uefi && ensureSource === ensureLayoutSource ? { entry: '\\EFI\\debian\\grubx64.efi' } : {};
  return layOut({ name, disksGb, uefi, source: await ensureSource(progress), ...entry });
}

/** The same for any installation; its first disk is `disk.raw`, too. */
export async function layOut({ name, disksGb, uefi, source, entry }: Wanted): Promise<string> {
  const made = createHash('sha256')
    .update(source)
    .update(JSON.stringify({ disksGb, uefi }))
    .update(await readFile(script))
    .digest('hex');
  const target = join(imageCache, `guest-${name}-${made.slice(0, 16)}`);
  if (existsSync(target)) return target;
  const lab = await startMorphLab('qemu');
  const partial = await mkdtemp(`${target}.partial-`);
  try {
    const from = await lab.volume(2, (path) => run('cp', ['--sparse=always', join(source, 'disk.raw'), path]));
    const disks = [];
    for (const size of disksGb) disks.push(await lab.volume(size));
    const shown = await lab.worker.ssh.text(
      `sudo bash -s ${[name, from.device, ...disks.map(({ device }) => device)].join(' ')}`,
      {
        input: await readFile(script),
        timeoutMs: 2_400_000,
      },
    );
    progress(shown);
    for (const [index, disk] of disks.entries()) {
      await lab.detach(disk.id);
      await run('cp', ['--sparse=always', disk.path, join(partial, `disk${index}.raw`)]);
    }
    await symlink('disk0.raw', join(partial, 'disk.raw'));
    await copyFile(join(source, 'id_ed25519'), join(partial, 'id_ed25519'));
    await writeFile(join(partial, 'host-key.pub'), /^host key: (.+)$/m.exec(shown)?.[1] ?? '');
    if (entry !== undefined)
      await makeVariablesWithEntry(join(partial, 'uefi-variables'), join(partial, 'disk0.raw'), entry, lab.folder);
    // Who was faster has made the same.
    await rename(partial, target).catch((error: unknown) => {
      if (!existsSync(target)) throw error;
    });
    return target;
  } finally {
    await rm(partial, { recursive: true, force: true });
    await lab.close();
  }
}

/** Fills a volume with a disk of the layout. */
export function layoutDisk(folder: string, index: number): (path: string) => Promise<unknown> {
  return (path) => run('cp', ['--sparse=always', join(folder, `disk${index}.raw`), path]);
}
