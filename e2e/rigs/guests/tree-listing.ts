import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from '../machines/child-process.ts';

/** What is on the root file system of the Debian guest's disk. */
export interface TreeListing {
  /** Path → kind, mode, owner, size, link target; below /etc and /boot also the content's SHA-256. */
  readonly files: ReadonlyMap<string, string>;
  /** Package → version. */
  readonly packages: ReadonlyMap<string, string>;
}

export interface TreeChange {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
  readonly packagesAdded: readonly string[];
}

/** Reads the disk by a mount that writes nothing to it; needs root. */
export async function listTree(disk: string): Promise<TreeListing> {
  const point = await mkdtemp(join(tmpdir(), 'causeway-tree-'));
  // ext4 and XFS know this name for leaving the journal alone.
  await run('mount', ['-o', 'loop,ro,norecovery,offset=1048576', disk, point]);
  try {
    const found = await run('find', [
      point,
      '-xdev',
      '(',
      '-type',
      'f',
      '-o',
      '-type',
      'l',
      ')',
      '-printf',
      '%P\t%y %m %U:%G %s %l\n',
    ]);
    const files = new Map(
      found
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => [`/${line.split('\t')[0] ?? ''}`, line.split('\t')[1] ?? '']),
    );
    const digests = await run('find', [
      join(point, 'etc'),
      join(point, 'boot'),
      '-xdev',
      '-type',
      'f',
      '-exec',
      'sha256sum',
      '{}',
      '+',
    ]);
    for (const line of digests.split('\n')) {
      const path = line.slice(66).replace(point, '');
      if (path !== '') files.set(path, `${files.get(path) ?? ''} ${line.slice(0, 64)}`);
    }
    const status = await run('cat', [join(point, 'var/lib/dpkg/status')]);
    const packages = status.split('\n\n').flatMap((block): [string, string][] => {
      const field = (name: string): string => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1] ?? '';
      return field('Status').endsWith(' installed') ? [[field('Package'), field('Version')]] : [];
    });
    return { files, packages: new Map(packages) };
  } finally {
    await run('umount', [point]);
    await rm(point, { recursive: true });
  }
}

export function changeOf(before: TreeListing, after: TreeListing): TreeChange {
  const paths = [...after.files.keys()];
  return {
    added: paths.filter((path) => !before.files.has(path)).sort(),
    removed: [...before.files.keys()].filter((path) => !after.files.has(path)).sort(),
    changed: paths.filter((path) => before.files.has(path) && before.files.get(path) !== after.files.get(path)).sort(),
    packagesAdded: [...after.packages.keys()].filter((name) => !before.packages.has(name)).sort(),
  };
}
