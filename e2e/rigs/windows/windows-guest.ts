// needs: root, loop devices, fdisk, ntfs-3g, xorriso, python3, python3-hivex
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { zipArchive } from '../../../electron/engine/osmorphing/zip-archive.ts';
import { run } from '../machines/child-process.ts';
import { writeFile } from 'node:fs/promises';

// The system's own Python: another one has no hivex.
const python = '/usr/bin/python3';
const beside = (name: string): string => join(import.meta.dirname, name);

/** Makes sure that what the rig stands on is there. Throws one line that names what is missing. */
export async function requireWindowsRig(): Promise<void> {
  try {
    await run(python, ['-c', 'import hivex']);
    for (const program of ['ntfs-3g', 'mkntfs', 'xorriso', 'sfdisk']) await run('sh', ['-c', `command -v ${program}`]);
  } catch (error) {
    throw new Error('the Windows rig needs the Debian packages python3-hivex, ntfs-3g, xorriso and fdisk', {
      cause: error,
    });
  }
}

/** Fills a file with a disk that tools take for Windows Server 2019. */
export async function makeWindowsDisk(path: string, options: readonly ('--client' | '--x86')[] = []): Promise<void> {
  await run(python, ['-B', beside('make_windows_disk.py'), path, ...options]);
}

/** A disc with the folders of the usual VirtIO drivers disc. */
export async function makeVirtioDisc(path: string): Promise<string> {
  await run(python, ['-B', beside('make_virtio_iso.py'), path]);
  return path;
}

/** An archive with the folders of the guest initialization agent's. */
export async function makeInitAgentArchive(path: string): Promise<string> {
  const names = [
    'Bin/OpenStackService.exe',
    'Bin/bsdtar.exe',
    'Bin/mcopy.exe',
    'Python/Python.exe',
    'Python/Scripts/cloudbase-init.exe',
    'Python/Lib/site-packages/cloudbaseinit/__init__.py',
  ];
  await writeFile(
    path,
    zipArchive(names.map((name) => ({ path: name, content: Buffer.from(`stand-in for ${name}`) }))),
  );
  return path;
}

/** Every value of the registry (`hive\key\value` → kind and content) and every file (path → size and SHA-256). */
export interface WindowsState {
  readonly registry: Readonly<Record<string, string>>;
  readonly files: Readonly<Record<string, string>>;
}

/** Reads a disk whose volume nobody has mounted, by other means than the product's. */
export async function readWindowsDisk(disk: string): Promise<WindowsState> {
  return JSON.parse(await run(python, ['-B', beside('read_windows_disk.py'), disk])) as WindowsState;
}

/** Writes to the first volume of a disk: runs a shell script in its root folder. */
export async function inWindowsDisk(disk: string, script: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'causeway-ntfs-'));
  try {
    // ntfs-3g may hold the device for a moment longer. It is only detached again while it is still of this disk: somebody else may have it by then.
    await run('sh', [
      '-ec',
      `loop=$(losetup -f --show -o 1048576 "$1"); ntfs-3g "$loop" "$2"; (cd "$2"; eval "$3"); umount "$2"
      for i in $(seq 100); do losetup -d "$loop" 2>/dev/null || true; [ "$(losetup -nO BACK-FILE "$loop" 2>/dev/null)" = "$1" ] || exit 0; sleep 0.1; done; exit 1`,
      'sh',
      disk,
      folder,
      script,
    ]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
