import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { randomBytes } from 'node:crypto';
import { mkdtemp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  describeLibrary,
  openVendorDisk,
  type VendorDiskRequest,
} from '../../electron/engine/platforms/virtualization-platform/vendor-library/vendor-disk.ts';
import {
  buildStandIn,
  vddkPlugin,
  type StandInSettings,
} from '../rigs/virtualization-platform/vendor-library/vddk-plugin.ts';

const MIB = 1024 * 1024;
const never = new AbortController().signal;
const bytes = Buffer.concat([randomBytes(3 * MIB), Buffer.alloc(5 * MIB), randomBytes(MIB / 2 + 512)]);
const password = 'pässword with spaces =,$"';

describe("the vendor's library through nbdkit's plugin", () => {
  let folder = '';
  let request: VendorDiskRequest;
  let settings: StandInSettings;
  const log = () => readFile(join(folder, 'calls.log'), 'utf8').catch(() => '');

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'cwy-vendor-'));
    await writeFile(join(folder, 'web.raw'), bytes);
    settings = {
      log: join(folder, 'calls.log'),
      user: 'migration@vsphere.local',
      password,
      thumbprint: 'AA:BB',
      disks: { '[ds 1] web/web.vmdk': join(folder, 'web.raw') },
    };
    await buildStandIn(join(folder, 'library'), '7.0.3', settings);
    request = {
      libraryFolder: join(folder, 'library'),
      server: 'vcenter.example.com',
      port: 8443,
      user: settings.user,
      password,
      thumbprint: settings.thumbprint,
      vm: 'vm-7',
      snapshot: 'snapshot-12',
      fileName: '[ds 1] web/web.vmdk',
      sizeBytes: bytes.length,
      plugin: await vddkPlugin(),
    };
  });
  beforeEach(() => rm(join(folder, 'calls.log'), { force: true }));
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('gives the same bytes by any range, knows what was never written, and leaves nothing behind', async () => {
    const disk = await openVendorDisk(request, never);
    expect(disk.sizeBytes).toBe(bytes.length);
    await Promise.all(
      (
        [
          [0, bytes.length],
          [512, 1024],
          [bytes.length - 512, 512],
          [3 * MIB - 512, MIB],
        ] as const
      ).map(async ([offset, length]) => {
        const into = Buffer.alloc(length);
        await disk.read(offset, into, never);
        expect(into.equals(bytes.subarray(offset, offset + length))).toBe(true);
      }),
    );
    const extents = [];
    for await (const extent of disk.allocated?.(never, 0) ?? []) extents.push(extent);
    expect(extents).toEqual([
      { offset: 0, length: 3 * MIB, kind: 'data' },
      { offset: 3 * MIB, length: 5 * MIB, kind: 'zero' },
      { offset: 8 * MIB, length: MIB / 2 + 512, kind: 'data' },
    ]);
    await disk.close();
    expect(await leftovers()).toEqual([]);
    const calls = await log();
    expect(calls).toContain(
      'connect vcenter.example.com vm moref=vm-7 snapshot snapshot-12 modes nbdssl read-only 1 port 8443',
    );
    expect(calls).toContain('init 6.5 callbacks 1 config 1');
    expect(calls.trimEnd().endsWith('exit')).toBe(true);
  });

  it.each(['6.7', '7.0', '6.0'])(
    'initializes the library for the compatibility version %s',
    async (compatibilityVersion) => {
      const disk = await openVendorDisk({ ...request, compatibilityVersion }, never);
      const into = Buffer.alloc(MIB);
      await disk.read(0, into, never);
      expect(into.equals(bytes.subarray(0, MIB))).toBe(true);
      await disk.close();
      // With its own folder, in which it looks for the rest of itself.
      expect(await log()).toContain(`init ${compatibilityVersion} callbacks 1 config 1`);
    },
  );

  it('takes the release of the compatibility version where there are several, and refuses one that is newer than all', async () => {
    const releases = join(folder, 'releases');
    await mkdir(releases);
    for (const release of ['6.7.3', '8.0.2'])
      await buildStandIn(join(releases, `vddk-${release}`), release, {
        ...settings,
        log: join(folder, `calls-${release}.log`),
      });
    expect(await describeLibrary(releases, never, request.plugin)).toMatch(
      /^releases 8\.0\.2, 6\.7\.3; nbdkit's plugin \d/,
    );
    const disk = await openVendorDisk({ ...request, libraryFolder: releases, compatibilityVersion: '6.7' }, never);
    await disk.close();
    expect(await readFile(join(folder, 'calls-6.7.3.log'), 'utf8')).toContain('init 6.7');
    await expect(
      openVendorDisk({ ...request, libraryFolder: releases, compatibilityVersion: '9.0' }, never),
    ).rejects.toMatchObject({ code: 'source.unsupported', message: expect.stringContaining('8.0.2') as string });
  });

  it('shows the password to nobody', async () => {
    const disk = await openVendorDisk(request, never);
    const commands = await Promise.all(
      (await readdir('/proc'))
        .filter((name) => /^\d+$/.test(name))
        .map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')),
    );
    const ours = commands.filter((command) => command.includes('vm=moref=vm-7'));
    expect(ours.length).toBeGreaterThan(0);
    for (const command of commands) expect(command).not.toContain(password);
    await disk.close();
    const failure = (await openVendorDisk({ ...request, password: 'wrong-canary' }, never).catch(
      (error: unknown) => error,
    )) as Error;
    expect(failure).toMatchObject({ code: 'source.request-refused' });
    expect(failure.message).not.toContain('wrong-canary');
  });

  it.each([
    ['a wrong password', { password: 'no' }, 'source.request-refused', 'access rights'],
    ['another certificate', { thumbprint: 'CC:DD' }, 'source.request-refused', 'access rights'],
    ['a disk that is not there', { fileName: '[ds 1] web/other.vmdk' }, 'source.request-refused', 'not found'],
    ['a disk of another size', { sizeBytes: MIB }, 'source.image-unreadable', 'instead of'],
    ['a folder without the library', { libraryFolder: tmpdir() }, 'source.tool-missing', 'libvixDiskLib'],
    ['a folder that is not there', { libraryFolder: '/nowhere/at/all' }, 'source.tool-missing', '/nowhere'],
    [
      'a plugin that is not there',
      { plugin: '/nowhere/nbdkit-vddk-plugin.so' },
      'source.tool-missing',
      'nbdkit-plugin-vddk',
    ],
  ])('says why with %s', async (_what, change, code, words) => {
    await expect(openVendorDisk({ ...request, ...change }, never)).rejects.toMatchObject({
      code,
      message: expect.stringContaining(words) as string,
    });
    expect(await leftovers()).toEqual([]);
  });

  it('ends the process when opening is cancelled', async () => {
    const stop = new AbortController();
    const opening = openVendorDisk(request, stop.signal);
    stop.abort();
    await expect(opening).rejects.toMatchObject({ code: 'general.cancelled' });
    expect(await leftovers()).toEqual([]);
  });

  it('ends with the process that opened it, however that ends', async () => {
    const script = join(import.meta.dirname, '../rigs/virtualization-platform/vendor-library/open-and-wait.ts');
    const child = spawn(process.execPath, [script, JSON.stringify(request)], { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(child.stdout, 'data');
    expect((await log()).includes('open [ds 1] web/web.vmdk')).toBe(true);
    const server = await serverOf(child.pid ?? 0);
    expect(server).toBeDefined();
    child.kill('SIGKILL');
    await vi.waitFor(async () => expect(await readFile(`/proc/${server}/cmdline`, 'utf8').catch(() => '')).toBe(''), {
      timeout: 20_000,
    });
    // Its folder goes with the next process that reads through the library.
    const content = await openVendorDisk(request, never);
    await content.close();
    expect(await leftovers(child.pid)).toEqual([]);
  });
});

/** Folders of a process: others that read through the library come and go, and delete what killed ones have left. */
async function leftovers(of = process.pid): Promise<string[]> {
  return (await readdir(tmpdir())).filter((name) => new RegExp(`^causeway-vddk-[0-9a-f]+-${of}-`).test(name));
}

/** The nbdkit that a process started. */
async function serverOf(parent: number): Promise<number | undefined> {
  const children = await readFile(`/proc/${parent}/task/${parent}/children`, 'utf8').catch(() => '');
  return children.trim() === '' ? undefined : Number(children.trim().split(' ')[0]);
}
