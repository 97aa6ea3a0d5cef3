// needs: nbdkit, gcc, libc6-dev
import { execFile } from 'node:child_process';
import { access, mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const here = import.meta.dirname;

/** nbdkit's plugin where it is installed, otherwise from Debian's section contrib, which a machine need not have among its sources. */
export async function vddkPlugin(): Promise<string> {
  const installed = await run('nbdkit', ['vddk', '--dump-plugin']).then(
    ({ stdout }) => /^path=(.+)$/m.exec(stdout)?.[1],
    () => undefined,
  );
  if (installed !== undefined) return installed;
  const cache = join(process.env['CAUSEWAY_CACHE'] ?? join(here, '../../../../.cache/rigs'), 'nbdkit-plugin-vddk');
  const plugin = join(cache, 'usr/lib/x86_64-linux-gnu/nbdkit/plugins/nbdkit-vddk-plugin.so');
  if (
    await access(plugin).then(
      () => true,
      () => false,
    )
  )
    return plugin;
  const folder = await mkdtemp(join(tmpdir(), 'causeway-vddk-plugin-'));
  try {
    await download('nbdkit-plugin-vddk', folder);
    await run('sh', ['-c', 'dpkg-deb -x nbdkit-plugin-vddk_*.deb unpacked'], { cwd: folder });
    await mkdir(join(cache, '..'), { recursive: true });
    // Two specs may do so at a time: the first one stays.
    await run('cp', ['-a', 'unpacked', `${cache}.${process.pid}`], { cwd: folder });
    await rename(`${cache}.${process.pid}`, cache).catch(() =>
      rm(`${cache}.${process.pid}`, { recursive: true, force: true }),
    );
    return plugin;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Downloads a package of trixie, the first release that has it, with package lists of its own. */
async function download(name: string, folder: string): Promise<void> {
  const { stdout } = await run('sh', [
    '-c',
    'grep -rhoE "(URIs: |^deb .*)https?://[^ ]+/debian/?( |$)" /etc/apt/sources.list /etc/apt/sources.list.d 2>/dev/null | grep -oE "https?://[^ ]+" | head -n 1',
  ]);
  const mirror = stdout.trim();
  if (mirror === '') throw new Error('no package source of Debian on this machine');
  await mkdir(join(folder, 'state/lists/partial'), { recursive: true });
  await mkdir(join(folder, 'cache/archives/partial'), { recursive: true });
  await writeFile(
    join(folder, 'sources.list'),
    `deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] ${mirror} trixie contrib\n`,
  );
  const options = [
    `Dir::State=${join(folder, 'state')}`,
    `Dir::Cache=${join(folder, 'cache')}`,
    `Dir::Etc::sourcelist=${join(folder, 'sources.list')}`,
    'Dir::Etc::sourceparts=-',
    'Acquire::Languages=none',
    'APT::Sandbox::User=root',
  ];
  const apt = (...args: string[]) =>
    run('apt-get', [...options.flatMap((option) => ['-o', option]), '-qq', ...args], { cwd: folder });
  await apt('update');
  await apt('download', name);
}

/** What the stand-in demands of a connection, and what it serves. */
export interface StandInSettings {
  readonly log: string;
  readonly user: string;
  readonly password: string;
  readonly thumbprint: string;
  /** Image files by path of the platform. */
  readonly disks: Readonly<Record<string, string>>;
}

/** Compiles the stand-in for the vendor's library into a folder laid out like the vendor's. */
export async function buildStandIn(folder: string, release: string, settings: StandInSettings): Promise<void> {
  const libraries = join(folder, 'lib64');
  await mkdir(libraries, { recursive: true });
  const soname = `libvixDiskLib.so.${release.split('.')[0]}`;
  await run('gcc', [
    '-O1',
    '-Wall',
    '-Werror',
    '-shared',
    '-fPIC',
    '-fvisibility=hidden',
    `-Wl,-soname,${soname}`,
    '-o',
    join(libraries, `libvixDiskLib.so.${release}`),
    join(here, 'stand_in.c'),
    '-lpthread',
  ]);
  await symlink(`libvixDiskLib.so.${release}`, join(libraries, soname));
  const { disks, ...keys } = settings;
  const lines = [
    ...Object.entries(keys).map(([key, value]) => `${key}=${value}`),
    ...Object.entries(disks).map(([path, image]) => `disk=${path}=${image}`),
  ];
  await writeFile(join(folder, 'stand-in.conf'), `${lines.join('\n')}\n`);
}
