// needs: native workers
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { morphLinuxGuest, type MorphOptions, type MorphOutcome } from '../../electron/engine/osmorphing/index.ts';
import { GuestFiles } from '../rigs/guests/guest-files.ts';
import { debianGuest, startMorphLab, type MorphLab } from '../rigs/guests/morph-lab.ts';
import { run } from '../rigs/machines/child-process.ts';

describe('a guest on a worker without a way out', () => {
  let lab: MorphLab;
  let guest: Awaited<ReturnType<MorphLab['volume']>>;
  const morph = (options: Partial<MorphOptions>): Promise<MorphOutcome> =>
    morphLinuxGuest({
      ssh: lab.ssh,
      devices: [guest.device],
      signal: new AbortController().signal,
      options: { nics: [], setDhcp: false, ...options },
    });

  beforeAll(async () => {
    lab = await startMorphLab('native');
    guest = await lab.volume(2, debianGuest);
  });

  afterAll(async () => lab?.close());

  it('cannot get cloud-init, and says that its packages are not reachable', async () => {
    await expect(morph({})).rejects.toMatchObject({
      code: 'osmorphing.packages-unreachable',
      details: { step: 'install-cloud-init' },
    });
    expect(await lab.traces()).toBe('');
  });

  it('gets cloud-init and an agent from files of this machine, and keeps its addresses', async () => {
    const packages = await downloadFor(guest.path, join(lab.folder, 'packages'));
    const agent = await agentPackage(join(lab.folder, 'agent'));
    const { diff, steps, warnings } = await morph({
      packageCache: packages,
      agent: { file: agent },
      retainUserCredentials: true,
    });
    expect(Object.keys(diff.packages.added)).toEqual(expect.arrayContaining(['cloud-init', 'platform-agent']));
    expect(diff.services.enabled).toEqual(expect.arrayContaining(['platform-agent.service (multi-user.target.wants)']));
    expect(steps.find(({ step }) => step === 'install-agent')?.notes).toEqual([
      "the hypervisor's agent (qemu-guest-agent) is not installed",
      'installed platform-agent 1.0',
    ]);
    expect(diff.users).toEqual({ added: {}, removed: {}, changed: {} });
    expect(warnings).toEqual(["the destination's network cards are unknown; interfaces may get other names"]);
    const files = new GuestFiles(guest.path);
    expect(await files.text('/etc/cloud/cloud.cfg.d/99_causeway_network.cfg')).toContain('network: {config: disabled}');
    expect(await files.text('/etc/cloud/cloud.cfg.d/99_causeway.cfg')).toContain(
      'users: []\ndisable_root: false\nallow_public_ssh_keys: false\n',
    );
    expect(await files.text('/etc/network/interfaces')).toContain('iface ens3 inet dhcp');
  });
});

/** What this machine's apt would download for the guest, which is of the same release. */
async function downloadFor(disk: string, folder: string): Promise<string> {
  await mkdir(join(folder, 'partial'), { recursive: true });
  const status = join(folder, 'status');
  await writeFile(status, await new GuestFiles(disk).bytes('/var/lib/dpkg/status'));
  await run('apt-get', [
    '-q',
    '-y',
    '-d',
    '--no-install-recommends',
    '-o',
    `Dir::State::status=${status}`,
    '-o',
    `Dir::Cache::archives=${folder}`,
    '-o',
    'Dir::Cache::pkgcache=',
    '-o',
    'Dir::Cache::srcpkgcache=',
    '-o',
    'Debug::NoLocking=1',
    'install',
    'cloud-init',
  ]);
  return folder;
}

/** A Debian package with a service, as a platform's agent is. */
async function agentPackage(folder: string): Promise<string> {
  const unit = '[Unit]\nDescription=Agent\n[Service]\nExecStart=/bin/true\n[Install]\nWantedBy=multi-user.target\n';
  await mkdir(join(folder, 'DEBIAN'), { recursive: true });
  await mkdir(join(folder, 'etc/systemd/system'), { recursive: true });
  await writeFile(
    join(folder, 'DEBIAN/control'),
    'Package: platform-agent\nVersion: 1.0\nArchitecture: all\nMaintainer: nobody <nobody@localhost>\nDescription: agent\n',
  );
  await writeFile(join(folder, 'etc/systemd/system/platform-agent.service'), unit);
  await run('dpkg-deb', ['--build', '--root-owner-group', folder, `${folder}.deb`]);
  return `${folder}.deb`;
}
