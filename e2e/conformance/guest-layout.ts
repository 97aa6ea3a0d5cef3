// needs: root, emulated machines
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { morphLinuxGuest } from '../../electron/engine/osmorphing/index.ts';
import { readConsole } from '../../electron/engine/deployments/console-signs.ts';
import {
  ensureLayout,
  guestLayouts,
  layoutDisk,
  layoutPassphrase,
  loadCiphers,
  type LayoutName,
} from '../rigs/guests/layouts.ts';
import { keepCorpusResult } from '../rigs/guests/corpus-results.ts';
import { startMorphLab, type BootedGuest, type MorphLab } from '../rigs/guests/morph-lab.ts';
import { layoutSource } from '../rigs/guests/source-guests.ts';
import { startSourceVm } from '../rigs/source-vm.ts';

const isAskedFor = process.env['CAUSEWAY_EVERY_LAYOUT'] === '1' && process.geteuid?.() === 0;
/** Boots before the preparation show that it is needed, and that the guest was whole: `npm run test:guests` has them. */
const everyGuest = process.env['CAUSEWAY_EVERY_GUEST'] === '1';
const minute = 60_000;

interface Expected {
  /** Where an unprepared one stops. */
  readonly stops: RegExp;
  readonly dossier: object;
  /** What the prepared one says of its root file system. */
  readonly root: RegExp;
  /** Services that fail there as they did where it comes from. */
  readonly failing?: string;
  /** Steps beside those that every guest needs. */
  readonly notes?: Readonly<Record<string, readonly unknown[]>>;
}

/** A VM of generation 2 comes from Hyper-V: `specs-guests/hyperv-guest.spec.ts`. */
type SuiteLayout = Exclude<LayoutName, 'generation2'>;

const expected: Readonly<Record<SuiteLayout, Expected>> = {
  lvm: {
    stops: /^Gave up waiting for root file system device$/,
    dossier: {
      bootloader: 'grub-bios',
      firmware: 'bios',
      root: { kind: 'logical', path: '/dev/mapper/vg0-root' },
      mounts: { '/boot': { disk: 0 }, '/var': { name: 'vg0/var' } },
    },
    root: /^\/dev\/mapper\/vg0-root ext4 /,
  },
  btrfs: {
    stops: /^Gave up waiting for root file system device$/,
    dossier: { bootloader: 'grub-bios', firmware: 'bios', root: { content: 'btrfs', subvolume: '@rootfs' } },
    root: /^\/dev\/vda1\[\/@rootfs\] btrfs /,
  },
  uefi: {
    // The firmware goes on from the one to the other: which is read depends on when the console is looked at.
    stops: /^(BdsDxe: failed to load Boot0001 .*: Not Found|UEFI Interactive Shell v\d.*)$/,
    dossier: { bootloader: 'grub-efi', firmware: 'uefi', mounts: { '/boot/efi': { content: 'vfat' } } },
    root: /^\/dev\/vda2 ext4 /,
    notes: { 'ensure-efi-loader': ['copied grubx64.efi to /boot/efi/EFI/BOOT'] },
  },
  encrypted: {
    stops: /^Gave up waiting for root file system device$/,
    dossier: {
      bootloader: 'grub-bios',
      firmware: 'bios',
      root: { kind: 'logical', path: '/dev/mapper/vg0-root' },
      mounts: { '/boot': { disk: 0 } },
    },
    root: /^\/dev\/mapper\/vg0-root ext4 /,
    // It knows nobody to write to.
    failing: 'mdmonitor.service',
  },
};

function stage(text: string): void {
  process.stderr.write(`${new Date().toISOString().slice(11, 19)} ${text}\n`);
}

/**
 * A guest of another layout: built, booted where it comes from, booted unprepared at the destination, prepared in an emulated
 * worker and booted again. About ten minutes of processor time.
 */
export function guestLayoutSuite(name: SuiteLayout): void {
  describe.runIf(isAskedFor)(`a Debian guest: ${name}`, () => {
    const { about, disksGb, uefi } = guestLayouts[name];
    const { stops, dossier, root, failing = '', notes = {} } = expected[name];
    let lab: MorphLab;
    let folder: string;

    beforeAll(async () => {
      folder = await ensureLayout(name);
      lab = await startMorphLab('qemu', { guestKey: join(folder, 'id_ed25519') });
      stage(`${name}: ${about}`);
    }, 20 * minute);
    afterAll(async () => lab?.close());

    async function volumes(): Promise<Awaited<ReturnType<MorphLab['volume']>>[]> {
      const made = [];
      for (const [index, size] of disksGb.entries()) made.push(await lab.volume(size, layoutDisk(folder, index)));
      return made;
    }

    async function boot(disks: readonly { readonly id: string }[], nicId: string): Promise<BootedGuest> {
      for (const { id } of disks) await lab.detach(id);
      const [first, ...others] = disks.map(({ id }) => id);
      return lab.boot(first ?? '', nicId, { dataVolumes: others, uefi, configDrive: true });
    }

    it.runIf(everyGuest)(
      'boots where it comes from: with the disks that it knows and, with UEFI, the entry in its firmware',
      async () => {
        const place = await mkdtemp(join(tmpdir(), 'cwy-layout-'));
        const startedAt = Date.now();
        const vm = await startSourceVm({ folder: place, guest: await layoutSource(name) });
        try {
          await vm.ssh.waitUntilUp(12 * minute);
          stage(`${name}: answers SSH where it comes from after ${((Date.now() - startedAt) / 1000).toFixed(0)} s`);
          // Nothing is where firmware looks that has no entry.
          if (uefi)
            expect(await vm.ssh.text('ls /boot/efi/EFI; [ -d /sys/firmware/efi ] && echo started by UEFI')).toBe(
              'debian\nstarted by UEFI',
            );
        } finally {
          await vm.close();
          await rm(place, { recursive: true, force: true });
        }
      },
      20 * minute,
    );

    it.runIf(everyGuest)(
      'does not boot at the destination before it was prepared',
      async () => {
        const booted = await boot(await volumes(), (await lab.nic()).id);
        const startedAt = Date.now();
        for (;;) {
          const console = await booted.console();
          const sign = readConsole(console);
          if (sign.sign === 'stopped') {
            expect(sign.line).toMatch(stops);
            break;
          }
          expect(console).not.toContain('login:');
          expect(Date.now() - startedAt, console.slice(-2000)).toBeLessThan(15 * minute);
          await delay(500);
        }
        stage(`${name}: stopped after ${((Date.now() - startedAt) / 1000).toFixed(0)} s`);
        await booted.stop();
      },
      20 * minute,
    );

    it(
      'boots there once it is prepared, answers SSH, has run cloud-init, and is still known by its host key',
      async () => {
        const disks = await volumes();
        const nic = await lab.nic();
        const outcome = await morphLinuxGuest({
          ssh: lab.ssh,
          devices: disks.map(({ device }) => device),
          signal: new AbortController().signal,
          options: {
            nics: [{ macAddress: nic.macAddress }],
            retainUserCredentials: true,
            ...(name === 'encrypted'
              ? { luksKeys: [{ key: layoutPassphrase }], scripts: { beforeMount: [loadCiphers] } }
              : {}),
          },
          onStep: ({ step, state, seconds }) =>
            state === 'running' || stage(`${name}: ${step} ${state}, ${seconds ?? 0} s`),
        });
        expect(outcome.dossier).toMatchObject(dossier);
        for (const [step, told] of Object.entries(notes))
          expect(outcome.steps.find((one) => one.step === step)?.notes).toEqual(told);
        expect(outcome.diff.sshHostKeys).toEqual({ added: {}, removed: {}, changed: {} });
        expect(await lab.traces()).toBe('');
        stage(`${name}: prepared in ${outcome.seconds.toFixed(0)} s`);

        const startedAt = Date.now();
        const booted = await boot(disks, nic.id);
        await booted.ssh.waitUntilUp(12 * minute);
        stage(`${name}: answers SSH after ${((Date.now() - startedAt) / 1000).toFixed(0)} s`);
        const shown = await booted.ssh.text(
          [
            'findmnt -no SOURCE,FSTYPE,OPTIONS / | tr -s " "',
            'ls -d /sys/bus/virtio/drivers/virtio_blk/virtio* | wc -l',
            '(cd /srv/data && sha256sum --quiet -c SHA256SUMS) && echo data',
            'for i in $(seq 240); do [ -e /var/lib/cloud/instance/boot-finished ] && break; sleep 0.5; done; grep -o "DataSource[A-Za-z]*" /run/cloud-init/result.json',
            'systemctl --failed --no-legend --plain | cut -d" " -f1 | paste -sd,',
            'ls /etc/ssh/ssh_host_*_key',
            'cut -d" " -f1,2 /etc/ssh/ssh_host_ed25519_key.pub',
          ].join('; '),
          { timeoutMs: 4 * minute },
        );
        stage(`${name}: ${shown.replaceAll('\n', ' | ')}`);
        const lines = shown.split('\n');
        expect(lines[0]).toMatch(root);
        expect(lines.slice(1, 4)).toEqual([String(disksGb.length + 1), 'data', 'DataSourceConfigDrive']);
        expect(lines.slice(4, -1)).toEqual([failing, '/etc/ssh/ssh_host_ed25519_key']);
        expect(lines.at(-1)).toBe((await readFile(join(folder, 'host-key.pub'), 'utf8')).trim());
        keepCorpusResult(process.env['CAUSEWAY_CORPUS_RESULT'], `layout ${name}`, {
          about,
          prepared: 'prepared',
          buses: { virtio: 'booted' },
        });
        // A preparation in an emulated worker takes five minutes of its processor, and twenty beside other work.
      },
      75 * minute,
    );
  });
}
