// needs: native workers, booted volumes
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { run } from '../rigs/machines/child-process.ts';
import { startProjectLab, type ProjectLab } from '../rigs/project/lab-project.ts';
import {
  makeInitAgentArchive,
  makeVirtioDisc,
  makeWindowsDisk,
  readWindowsDisk,
  requireWindowsRig,
} from '../rigs/windows/windows-guest.ts';

/**
 * A whole deployment of a Windows VM whose guest is prepared from outside, up to the server that is started from it. The disk
 * is synthetic: no Windows is on it that could boot, so nothing is waited for.
 */
describe('a Windows virtual machine, deployed by the engine with a Linux worker', () => {
  let lab: ProjectLab;
  let folder: string;

  beforeAll(async () => {
    await requireWindowsRig();
    lab = await startProjectLab();
    folder = join(lab.images, 'win');
    await mkdir(folder);
    await makeWindowsDisk(join(folder, 'disk.raw'));
    await writeFile(
      join(folder, 'vm.yaml'),
      'name: winsrc\nos_type: windows\nnics:\n  - network: default\n    ip_addresses: [10.20.0.15]\n',
    );
    await lab.createReplica('win', 'win', 'SSH', {
      set_dhcp: false,
      preserve_fixed_ips: true,
      migr_image_map: { linux: 'Debian 12' },
    });
    const execution = await lab.execute('win');
    expect(execution, execution.error?.message).toMatchObject({ state: 'completed' });
  });
  afterAll(async () => lab?.close());

  it('is refused before anything is made when a Windows worker is asked for and no image for one is named', async () => {
    const { id } = await lab.use((core) =>
      core.call('deployment.create', { replica: 'win', options: { windowsMode: 'worker' } }),
    );
    const deployment = await lab.use((core) => core.call('deployment.show', { deployment: id }));
    expect(deployment).toMatchObject({ state: 'failed', leftBehind: 0, resources: [] });
    expect(deployment.error?.message).toMatch(/image for windows|Windows worker image/);
    expect(lab.cloud.world.leftovers().map((line) => line.split(' ')[0])).toEqual(['volume']);
  });

  it('becomes a server with drivers and agent, and its replica stays what the source is', async () => {
    const options = {
      windowsMode: 'offline',
      bootCheck: { mode: 'none' },
      virtioDisc: await makeVirtioDisc(join(lab.project.folder, 'virtio.iso')),
      initAgentArchive: await makeInitAgentArchive(join(lab.project.folder, 'agent.zip')),
    } as const;
    const { id } = await lab.use((core) => core.call('deployment.create', { replica: 'win', options }));
    const deployment = await lab.use((core) => core.call('deployment.show', { deployment: id }));
    expect(deployment, `${deployment.error?.code}: ${deployment.error?.message}`).toMatchObject({
      state: 'completed',
      leftBehind: 0,
      boot: { outcome: 'not-checked' },
      server: { name: 'winsrc' },
      guest: { dossier: { distribution: 'windows', name: 'Windows Server 2019 Standard' } },
    });
    const server = lab.cloud.world.servers.get(deployment.server?.id ?? '');
    expect(server).toMatchObject({ status: 'ACTIVE' });
    const volumeId = server?.bootVolume?.id ?? '';
    expect(lab.cloud.world.volumes.get(volumeId)).toMatchObject({
      bootable: true,
      imageConfig: { operatingSystem: 'windows', uefi: false, diskBus: 'virtio' },
    });
    expect([...lab.cloud.world.nics.values()].map((nic) => nic.ipv4)).toContain('10.20.0.15');
    expect([...lab.cloud.world.servers.values()]).toHaveLength(1);

    // The server has the volume; what is looked at is a copy.
    const deployed = join(lab.project.folder, 'deployed.raw');
    await run('cp', ['--sparse=always', lab.cloud.volumePath(volumeId), deployed]);
    const { registry, files } = await readWindowsDisk(deployed);
    expect(files).toHaveProperty(['/Windows/System32/drivers/viostor.sys']);
    expect(registry).toMatchObject({
      'SYSTEM\\ControlSet001\\Services\\viostor @Start': 'dword:00000000',
      'SYSTEM\\ControlSet001\\Services\\cloudbase-init @Start': 'dword:00000002',
    });

    const { disks } = await lab.use((core) => core.call('replica.show', { replica: 'win' }));
    expect(await lab.difference('win', { [disks[0]?.diskId ?? '']: join(folder, 'disk.raw') })).toBeUndefined();
    await lab.use((core) => core.call('deployment.delete', { deployment: id, dryRun: false }));
    expect(lab.cloud.world.leftovers().map((line) => line.split(' ')[0])).toEqual(['volume']);
  });
});
