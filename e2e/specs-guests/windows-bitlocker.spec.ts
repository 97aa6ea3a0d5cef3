// needs: installed guests, cryptsetup-bin
// lease: emulated guests
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { morphGuestOf, type MorphOptions, type MorphOutcome } from '../../electron/engine/osmorphing/index.ts';
import { startMorphLab, type MorphLab } from '../rigs/guests/morph-lab.ts';
import { loadCiphers } from '../rigs/guests/layouts.ts';
import { run } from '../rigs/machines/child-process.ts';
import { decryptBitLocker, encryptAsBitLocker, recoveryKeyOf } from '../rigs/windows/bitlocker.ts';
import {
  makeInitAgentArchive,
  makeVirtioDisc,
  makeWindowsDisk,
  readWindowsDisk,
  requireWindowsRig,
  type WindowsState,
} from '../rigs/windows/windows-guest.ts';

const isAskedFor = process.env['CAUSEWAY_EVERY_GUEST'] === '1';
const minute = 60_000;
const mib = 2 ** 20;
const services = 'SYSTEM\\ControlSet001\\Services';
const key = recoveryKeyOf('causeway');

/**
 * The synthetic disk of Windows with its volume encrypted by the published format, prepared in a worker whose own kernel and cryptsetup
 * open it. What was written through them is read by other means.
 */
describe.runIf(isAskedFor)('a Windows guest on a volume that BitLocker encrypts', () => {
  let lab: MorphLab;
  let original: string;
  let options: MorphOptions;
  let before: WindowsState;
  let size: number;

  beforeAll(async () => {
    await requireWindowsRig();
    lab = await startMorphLab('qemu');
    original = join(lab.folder, 'original.raw');
    await makeWindowsDisk(original);
    before = await readWindowsDisk(original);
    size = Number(/size=\s*(\d+)/.exec(await run('sfdisk', ['-d', original]))?.[1]) * 512;
    options = {
      nics: [{ macAddress: 'fa:16:3e:00:00:01' }],
      windows: {
        virtioDisc: { file: await makeVirtioDisc(join(lab.folder, 'virtio.iso')) },
        initAgent: { file: await makeInitAgentArchive(join(lab.folder, 'agent.zip')) },
      },
      scripts: { beforeMount: [loadCiphers] },
    };
  }, 20 * minute);
  afterAll(() => lab?.close());

  const morph = (device: string, more: Partial<MorphOptions>): Promise<MorphOutcome> =>
    morphGuestOf('windows')({
      ssh: lab.ssh,
      devices: [device],
      options: { ...options, ...more },
      signal: new AbortController().signal,
    });

  /** The three copies. */
  async function metadata(path: string): Promise<Buffer> {
    const disk = await open(path);
    try {
      const bytes = async (at: number, length: number): Promise<Buffer> =>
        (await disk.read(Buffer.alloc(length), 0, length, mib + at)).buffer;
      const boot = await bytes(0, 512);
      return Buffer.concat([
        boot,
        ...(await Promise.all([176, 184, 192].map((at) => bytes(Number(boot.readBigUInt64LE(at)), 65_536)))),
      ]);
    } finally {
      await disk.close();
    }
  }

  /** Read by other means than those it was written through. */
  async function expectPrepared(
    guest: { readonly id: string; readonly path: string },
    volumeKey: Buffer,
  ): Promise<void> {
    await lab.detach(guest.id);

    const plain = join(lab.folder, 'plain.raw');
    await run('cp', ['--sparse=always', guest.path, plain]);
    expect(await run('blkid', ['-p', '-O', String(mib), '-s', 'TYPE', '-o', 'value', plain])).toContain('BitLocker');
    await decryptBitLocker(plain, mib, size, volumeKey);
    const after = await readWindowsDisk(plain);
    expect(after.registry).toMatchObject({
      [`${services}\\viostor @Start`]: 'dword:00000000',
      [`${services}\\viostor @ImagePath`]: '2:system32\\drivers\\viostor.sys',
    });
    expect(after.files).toHaveProperty(['/Windows/System32/drivers/viostor.sys']);
    expect(after.files).toHaveProperty(['/Cloudbase-Init/LocalScripts/00-causeway.ps1']);
    // What the guest had is still whole.
    const kept = Object.keys(before.files).filter((path) => !path.includes('/System32/config/'));
    expect(Object.fromEntries(kept.map((path) => [path, after.files[path]]))).toEqual(
      Object.fromEntries(kept.map((path) => [path, before.files[path]])),
    );
  }

  it(
    'gets drivers and agent with its recovery key, stays encrypted with the same key, and is untouched without it',
    async () => {
      let volumeKey: Buffer = Buffer.alloc(0);
      const guest = await lab.volume(1, async (path) => {
        await run('cp', ['--sparse=always', original, path]);
        volumeKey = await encryptAsBitLocker(path, mib, size, key);
      });
      await expect(morph(guest.device, { luksKeys: [{ key: recoveryKeyOf('another') }] })).rejects.toMatchObject({
        code: 'osmorphing.locked',
      });
      const outcome = await morph(guest.device, { luksKeys: [{ key }] });
      expect(outcome.steps.find(({ step }) => step === 'install-drivers')?.notes).toContain('viostor for 2k19');
      expect(outcome.warnings.join('\n')).toMatch(/asks for its recovery key/);
      expect(JSON.stringify(outcome)).not.toContain(key.slice(0, 14));
      expect(await lab.traces()).toBe('');
      await expectPrepared(guest, volumeKey);
    },
    90 * minute,
  );

  it(
    'needs no key while its protection is suspended, and stays encrypted and suspended',
    async () => {
      let volumeKey: Buffer = Buffer.alloc(0);
      let kept: Buffer = Buffer.alloc(0);
      const guest = await lab.volume(1, async (path) => {
        await run('cp', ['--sparse=always', original, path]);
        volumeKey = await encryptAsBitLocker(path, mib, size, key, { isSuspended: true });
        kept = await metadata(path);
      });
      const outcome = await morph(guest.device, {});
      expect(outcome.steps.find(({ step }) => step === 'install-drivers')?.notes).toContain('viostor for 2k19');
      expect(outcome.warnings.join('\n')).toMatch(/protection by BitLocker is suspended .* starts without a key/);
      expect(await lab.traces()).toBe('');
      expect((await metadata(guest.path)).equals(kept)).toBe(true);
      await expectPrepared(guest, volumeKey);
    },
    90 * minute,
  );
});
