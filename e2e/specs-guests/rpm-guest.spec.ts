// needs: installed guests, rpm
// lease: emulated guests
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readConsole } from '../../electron/engine/deployments/console-signs.ts';
import { morphLinuxGuest } from '../../electron/engine/osmorphing/index.ts';
import { GuestFiles } from '../rigs/guests/guest-files.ts';
import { startMorphLab, type MorphLab } from '../rigs/guests/morph-lab.ts';
import { ensureRpmGuest } from '../rigs/images/ensure.ts';
import { run } from '../rigs/machines/child-process.ts';

// Builds an image (two minutes, once), boots it twice: minutes, so that it runs when it is asked for.
const isAskedFor = process.env['CAUSEWAY_EVERY_LAYOUT'] === '1';
const minute = 60_000;
const signal = new AbortController().signal;

/**
 * No distribution of the RHEL family can be had from Debian's packages, but its tools can: this system's own rpm, dnf, dracut
 * and NetworkManager do the work, and it boots with what they made.
 */
describe.runIf(isAskedFor)('a guest that is run by rpm, dnf, dracut and NetworkManager', () => {
  let lab: MorphLab;
  let disk: string;

  beforeAll(async () => {
    const image = await ensureRpmGuest((line) => process.stderr.write(`${line}\n`));
    disk = join(image, 'disk.raw');
    // Everything that it installs is in a repository on its own disk.
    lab = await startMorphLab('native', { guestKey: join(image, 'id_ed25519') });
  }, 20 * minute);
  afterAll(async () => lab?.close());

  const fill = (path: string): Promise<unknown> => run('cp', ['--sparse=always', disk, path]);

  it(
    'is prepared by zypper when its release file says that it is like SUSE',
    async () => {
      const guest = await lab.volume(2, async (path) => {
        await fill(path);
        const release = join(lab.folder, 'os-release');
        await writeFile(
          release,
          'NAME="Lab system with zypper"\nVERSION_ID="15"\nID="lab"\nID_LIKE="suse"\nPRETTY_NAME="Lab system with zypper 15"\n',
        );
        await new GuestFiles(path).replace('/usr/lib/os-release', release);
      });
      const options = { nics: [{ macAddress: '52:54:00:00:00:77', sourceMacAddress: '00:50:56:aa:bb:01' }] };
      const outcome = await morphLinuxGuest({ ssh: lab.ssh, devices: [guest.device], options, signal });
      expect(outcome.dossier).toMatchObject({ family: 'suse', name: 'Lab system with zypper 15' });
      expect([Object.keys(outcome.diff.packages.added), Object.keys(outcome.diff.packages.removed)]).toEqual([
        ['cloud-init'],
        ['open-vm-tools'],
      ]);
      expect(outcome.steps.find(({ step }) => step === 'rebuild-initramfs')?.notes.at(-1)).toMatch(
        /^rebuilt \/boot\/initramfs-/,
      );
      expect(outcome.warnings).toEqual([]);
      expect(await lab.traces()).toBe('');
      await lab.detach(guest.id);
    },
    5 * minute,
  );

  it(
    'does not find its root at the destination before it was prepared',
    async () => {
      const guest = await lab.volume(2, fill);
      await lab.detach(guest.id);
      const booted = await lab.boot(guest.id, (await lab.nic()).id);
      const deadline = Date.now() + 8 * minute;
      for (;;) {
        const console = await booted.console();
        const sign = readConsole(console);
        if (sign.sign === 'stopped') {
          expect(sign.line).toMatch(/^Warning: \/dev\/disk\/by-uuid\/11111111-\S+ does not exist$/);
          break;
        }
        expect(console).not.toContain('login:');
        expect(Date.now(), console.slice(-2000)).toBeLessThan(deadline);
        await delay(500);
      }
      await booted.stop();
    },
    10 * minute,
  );

  it(
    'is prepared by its own tools, boots, and answers SSH on the address that DHCP gives it',
    async () => {
      const guest = await lab.volume(2, fill);
      const nic = await lab.nic();
      const options = {
        nics: [{ macAddress: nic.macAddress, sourceMacAddress: '00:50:56:aa:bb:01' }],
        retainUserCredentials: true,
      };
      const outcome = await morphLinuxGuest({ ssh: lab.ssh, devices: [guest.device], options, signal });
      expect(outcome.dossier).toMatchObject({
        family: 'redhat',
        name: 'Lab system with rpm 9',
        network: ['network-manager'],
        cloudInit: null,
        hypervisorTools: { vmware: ['open-vm-tools'] },
      });
      expect(Object.keys(outcome.diff.packages.added)).toEqual(['cloud-init']);
      expect(Object.keys(outcome.diff.packages.removed)).toEqual(['open-vm-tools']);
      expect(outcome.diff.services.enabled.some((service) => service.startsWith('cloud-init'))).toBe(true);
      expect(outcome.diff.services.disabled.join()).toContain('vmtoolsd.service');
      const notes = Object.fromEntries(outcome.steps.map(({ step, notes: told }) => [step, told.join('; ')]));
      expect(notes['rebuild-initramfs']).toMatch(/50-causeway-virtio\.conf; rebuilt \/boot\/initramfs-[\w.-]+\.img$/);
      expect(notes['configure-network']).toContain(`ens192 is the card ${nic.macAddress}`);
      expect(notes['configure-network']).toContain('ens192 gets its address by DHCP');
      expect(outcome.warnings).toEqual([]);

      const again = await morphLinuxGuest({ ssh: lab.ssh, devices: [guest.device], options, signal });
      expect(again.steps.filter(({ changed }) => changed)).toEqual([]);
      expect(await lab.traces()).toBe('');

      await lab.detach(guest.id);
      const booted = await lab.boot(guest.id, nic.id, { configDrive: true });
      await booted.ssh.waitUntilUp(6 * minute);
      const shown = await booted.ssh.text(
        [
          'for i in $(seq 240); do [ -e /var/lib/cloud/instance/boot-finished ] && break; sleep 0.5; done; grep -o "DataSource[A-Za-z]*" /run/cloud-init/result.json',
          'ls -d /sys/bus/virtio/drivers/virtio_blk/virtio*/block/vda >/dev/null && echo vda',
          'cat /sys/class/net/ens192/address',
          'nmcli -g GENERAL.STATE device show ens192',
          'lsinitrd /boot/initramfs-$(uname -r).img | grep -o "virtio_blk.ko" | head -1',
          '(cd /srv/data && sha256sum --quiet -c SHA256SUMS) && echo data',
          'rpm -q cloud-init | grep -o "^cloud-init"',
          'rpm -q open-vm-tools',
        ].join('; ') + '; true',
        { timeoutMs: 4 * minute },
      );
      expect(shown.split('\n')).toEqual([
        'DataSourceConfigDrive',
        'vda',
        nic.macAddress,
        '100 (connected)',
        'virtio_blk.ko',
        'data',
        'cloud-init',
        'package open-vm-tools is not installed',
      ]);
    },
    30 * minute,
  );
});
