// needs: installed guests, slirp4netns
// lease: emulated guests
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { morphLinuxGuest } from '../../electron/engine/osmorphing/index.ts';
import { changedProgram, debianGuest, startMorphLab, type MorphLab } from '../rigs/guests/morph-lab.ts';

/** One boot of an emulated guest stands for the others, unless all are asked for. */
const everyStep = process.env['CAUSEWAY_EVERY_STEP'] === '1';

/**
 * That the same guest stops at "Gave up waiting for root file system device" on virtio before it is prepared is shown
 * by `lab-guests.spec.ts`.
 */
describe('a Debian guest that was prepared', () => {
  let lab: MorphLab;

  beforeAll(async () => {
    lab = await startMorphLab('native', { outbound: true });
  });
  afterAll(async () => lab?.close());

  it("boots on virtio, keeps its interface's name on another card in another slot, and answers SSH", async () => {
    const guest = await lab.volume(2, debianGuest);
    const nic = await lab.nic();
    const outcome = await morphLinuxGuest({
      ssh: lab.ssh,
      devices: [guest.device],
      signal: new AbortController().signal,
      options: {
        nics: [{ macAddress: nic.macAddress }],
        scripts: { firstBoot: [{ name: 'proof', content: 'echo "ran as $(id -un)" > /root/first-boot' }] },
      },
    });
    await lab.detach(guest.id);
    const booted = await lab.boot(guest.id, nic.id);
    await booted.ssh.waitUntilUp();
    const shown = await booted.ssh.text(
      [
        'basename $(readlink /sys/class/net/ens3/device/driver)',
        'cat /sys/class/net/ens3/address',
        'ls -d /sys/bus/virtio/drivers/virtio_blk/virtio*/block/vda >/dev/null && echo vda',
        'hostname',
        '(cd /srv/data && sha256sum --quiet -c SHA256SUMS) && echo data',
        'for i in $(seq 120); do [ -s /root/first-boot ] && break; sleep 0.5; done; cat /root/first-boot',
        'ls /var/lib/causeway/first-boot/done',
      ].join('; '),
      { timeoutMs: 120_000 },
    );
    expect(shown.split('\n')).toEqual([
      'virtio_net',
      nic.macAddress,
      'vda',
      'source-vm',
      'data',
      'ran as root',
      '00-proof',
    ]);
    expect(outcome.warnings).toEqual([]);
    expect(await booted.console()).toContain('login:');
  });

  it.runIf(everyStep)('keeps its static address on another card in another slot', async () => {
    const guest = await lab.volume(2, debianGuest);
    const nic = await lab.nic();
    const interfaces =
      'auto lo\niface lo inet loopback\n\nauto ens3\niface ens3 inet static\n  hwaddress ether 52:54:00:99:99:99\n  address 10.0.2.15/24\n  gateway 10.0.2.2\n';
    const outcome = await morphLinuxGuest({
      ssh: lab.ssh,
      devices: [guest.device],
      signal: new AbortController().signal,
      options: {
        setDhcp: false,
        nics: [{ macAddress: nic.macAddress, addresses: ['10.0.2.15'] }],
        scripts: {
          inGuest: [
            { name: 'static', content: `printf '${interfaces.replaceAll('\n', '\\n')}' > /etc/network/interfaces` },
          ],
        },
      },
    });
    expect(outcome.steps.find(({ step }) => step === 'configure-network')?.notes).toEqual([
      `ens3 is the card ${nic.macAddress}`,
      'ifupdown: removed the MAC address of ens3 from /etc/network/interfaces',
      'cloud-init leaves the network alone',
    ]);
    await lab.detach(guest.id);
    const booted = await lab.boot(guest.id, nic.id);
    await booted.ssh.waitUntilUp();
    const shown = await booted.ssh.text(
      'cat /sys/class/net/ens3/address; ip -4 -o addr show ens3 | grep -o "inet 10.0.2.15/24"; pgrep -c dhclient; true',
    );
    expect(shown.split('\n')).toEqual([nic.macAddress, 'inet 10.0.2.15/24', '0']);
  });

  it.runIf(everyStep)(
    'comes up but never answers when its network was not prepared: what the step does is needed',
    async () => {
      const guest = await lab.volume(2, debianGuest);
      const nic = await lab.nic();
      const change = [
        'from . import steps',
        '',
        'def nothing(morph):',
        '    return False, []',
        '',
        "steps.STEPS = tuple((name, title, action if name == 'rebuild-initramfs' else nothing) for name, title, action in steps.STEPS)",
        '',
      ].join('\n');
      const programFolder = await changedProgram(lab.folder, 'without-network', change);
      const options = { nics: [{ macAddress: nic.macAddress }] };
      await morphLinuxGuest({
        ssh: lab.ssh,
        devices: [guest.device],
        signal: new AbortController().signal,
        options,
        programFolder,
      });
      await lab.detach(guest.id);
      const booted = await lab.boot(guest.id, nic.id);
      const deadline = Date.now() + 480_000;
      while (!(await booted.console()).includes('login:')) {
        expect(Date.now()).toBeLessThan(deadline);
        await delay(500);
      }
      await expect(booted.ssh.waitUntilUp(15_000)).rejects.toThrow('does not answer SSH');
    },
  );
});
