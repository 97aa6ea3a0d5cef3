// needs: installed guests, slirp4netns
// lease: emulated guests
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { morphLinuxGuest } from '../../electron/engine/osmorphing/index.ts';
import { debianGuest, startMorphLab, type MorphLab } from '../rigs/guests/morph-lab.ts';

// Each case installs packages and boots an emulated system: minutes, so that it runs when it is asked for.
const isAskedFor = process.env['CAUSEWAY_EVERY_LAYOUT'] === '1';
/** One case of each tool; the others in `npm run test:guests`. */
const everyGuest = process.env['CAUSEWAY_EVERY_GUEST'] === '1';
const minute = 60_000;
const oldMac = '00:50:56:aa:bb:01';
const quietly = '>/dev/null 2>&1';

interface NetworkCase {
  /** Makes of the guest one whose network is configured this way, for a card that it does not have any more. */
  readonly script: string;
  readonly setDhcp: boolean;
  /** Its card's name there, and how the kernel shows its address. */
  readonly card: string;
  readonly shows: RegExp;
}

const cases: Readonly<Record<string, NetworkCase>> = {
  'netplan, with its static address': {
    script: `
      (apt-get -q update && apt-get -q -y --no-install-recommends install netplan.io && apt-get -q -y purge ifupdown isc-dhcp-client) ${quietly}
      rm -f /etc/network/interfaces
      printf 'network:\\n  version: 2\\n  ethernets:\\n    lan:\\n      match: {macaddress: "${oldMac}"}\\n      set-name: lan0\\n      addresses: [10.0.2.15/24]\\n      routes:\\n        - to: default\\n          via: 10.0.2.2\\n' > /etc/netplan/01-lan.yaml
      chmod 600 /etc/netplan/01-lan.yaml
      systemctl -q enable systemd-networkd`,
    setDhcp: false,
    card: 'lan0',
    shows: /^\d+: lan0 +inet 10\.0\.2\.15\/24 (?!.*dynamic)/,
  },
  'netplan, from a static address to DHCP': {
    script: `
      (apt-get -q update && apt-get -q -y --no-install-recommends install netplan.io && apt-get -q -y purge ifupdown isc-dhcp-client) ${quietly}
      rm -f /etc/network/interfaces
      printf 'network:\\n  version: 2\\n  ethernets:\\n    ens192:\\n      addresses: [192.0.2.5/24]\\n      routes: [{to: default, via: 192.0.2.1}]\\n' > /etc/netplan/01-lan.yaml
      systemctl -q enable systemd-networkd`,
    setDhcp: true,
    card: 'ens192',
    shows: /^\d+: ens192 +inet 10\.0\.2\.15\/24 .*dynamic/,
  },
  'systemd-networkd, from a static address to DHCP': {
    script: `
      (apt-get -q -y purge ifupdown isc-dhcp-client) ${quietly}
      rm -f /etc/network/interfaces
      printf '[Match]\\nMACAddress=${oldMac}\\n\\n[Link]\\nName=lan0\\n' > /etc/systemd/network/10-lan.link
      printf '[Match]\\nMACAddress=${oldMac}\\n\\n[Network]\\nAddress=192.0.2.5/24\\nGateway=192.0.2.1\\n' > /etc/systemd/network/10-lan.network
      systemctl -q enable systemd-networkd`,
    setDhcp: true,
    card: 'lan0',
    shows: /^\d+: lan0 +inet 10\.0\.2\.15\/24 .*dynamic/,
  },
};

/** What is converted is told by the program's own tests, kind by kind; that systems come up with it is shown here. */
describe.runIf(isAskedFor)('a guest whose network is configured by', () => {
  let lab: MorphLab;

  beforeAll(async () => {
    lab = await startMorphLab('native', { outbound: true });
  });
  afterAll(async () => lab?.close());

  it.each(Object.entries(cases).filter(([name]) => everyGuest || !name.startsWith('netplan, with')))(
    '%s: answers on another card, and is not changed by a second preparation',
    async (_about, { script, setDhcp, card, shows }) => {
      const guest = await lab.volume(2, debianGuest);
      const nic = await lab.nic();
      const options = {
        setDhcp,
        nics: [{ macAddress: nic.macAddress, sourceMacAddress: oldMac, addresses: ['10.0.2.15'] }],
        retainUserCredentials: true,
      };
      const morph = (inGuest: readonly { name: string; content: string }[]): ReturnType<typeof morphLinuxGuest> =>
        morphLinuxGuest({
          ssh: lab.ssh,
          devices: [guest.device],
          signal: new AbortController().signal,
          options: { ...options, scripts: { inGuest } },
        });
      const outcome = await morph([{ name: 'network', content: `set -e\n${script}` }]);
      expect(outcome.steps.find(({ step }) => step === 'configure-network')?.notes).toContain(
        `${card} is the card ${nic.macAddress}`,
      );
      expect((await morph([])).steps.filter(({ changed }) => changed)).toEqual([]);

      await lab.detach(guest.id);
      const booted = await lab.boot(guest.id, nic.id, { configDrive: true });
      await booted.ssh.waitUntilUp(12 * minute);
      const shown = await booted.ssh.text(
        [
          'for i in $(seq 240); do [ -e /var/lib/cloud/instance/boot-finished ] && break; sleep 0.5; done',
          `ip -4 -o addr show ${card}`,
          `cat /sys/class/net/${card}/address`,
        ].join('; '),
        { timeoutMs: 4 * minute },
      );
      const [address = '', mac] = shown.split('\n');
      expect(address).toMatch(shows);
      expect(mac).toBe(nic.macAddress);
      await booted.stop();
    },
    15 * minute,
  );
});
