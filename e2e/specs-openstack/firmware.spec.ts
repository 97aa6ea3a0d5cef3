import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DeploymentPlatform, DeploymentRun } from '../../electron/engine/ports/deployment-platform.ts';
import type { DestinationPlatform } from '../../electron/engine/ports/destination-platform.ts';
import type { JsonObject } from '../../shared/model/json.ts';
import type { Vm } from '../../shared/model/vm.ts';
import { run } from '../rigs/machines/child-process.ts';
import type { RigApi } from '../rigs/open-source-cloud/admin-api.ts';
import { startDestinationLab, type DestinationLab } from '../rigs/open-source-cloud/destination-lab.ts';

const gib = 2 ** 30;
const never = new AbortController().signal;

describe('the firmware of a migrated VM', () => {
  let lab: DestinationLab;
  let api: RigApi;
  let platform: DestinationPlatform;
  let deployment: DeploymentPlatform;

  beforeAll(async () => {
    lab = await startDestinationLab('firmware');
    ({ api, platform, deployment } = lab);
  });
  afterAll(() => lab?.close());

  const newRun = (vm: Partial<Vm>, more: JsonObject = {}): DeploymentRun =>
    lab.newRun(
      {
        disks: [
          { id: 'd0', size_bytes: gib },
          { id: 'd1', size_bytes: gib },
        ],
        ...vm,
      },
      { ...lab.environment, ...more },
    );

  /** How the hypervisor was told to build the virtual machine. */
  async function domainOf(serverId: string): Promise<string> {
    const { server } = await (
      await lab.cloud.api('admin')
    ).call<{ server: { 'OS-EXT-SRV-ATTR:instance_name': string } }>('compute', 'GET', `/servers/${serverId}`);
    return run('virsh', [
      '-q',
      '-c',
      `qemu+unix:///system?socket=${join(lab.cloud.folder, 'libvirt', 'libvirt-sock')}`,
      'dumpxml',
      server['OS-EXT-SRV-ATTR:instance_name'],
    ]);
  }

  it.each([
    {
      about: 'BIOS',
      vm: { firmware: 'bios' },
      more: {},
      metadata: { hw_firmware_type: 'bios', hw_disk_bus: 'virtio' },
      domain: [/machine='pc-i440fx/],
      not: [/<loader/],
    },
    {
      about: 'UEFI without secure boot',
      vm: { firmware: 'uefi', secure_boot: false },
      more: { delete_disks_on_vm_termination: true },
      metadata: { hw_firmware_type: 'uefi', hw_machine_type: 'q35', os_secure_boot: 'disabled' },
      domain: [/machine='pc-q35/, /<loader [^>]*type='pflash'/],
      not: [/secure='yes'/],
    },
    {
      about: 'UEFI with secure boot',
      vm: { firmware: 'uefi', secure_boot: true },
      more: { hypervisor_type: 'qemu' },
      metadata: {
        hw_firmware_type: 'uefi',
        hw_machine_type: 'q35',
        os_secure_boot: 'required',
        hypervisor_type: 'qemu',
      },
      domain: [/machine='pc-q35/, /<loader [^>]*secure='yes'/],
      not: [],
    },
  ] as const)(
    'is $about where the source has it, by what the boot volume says',
    async ({ vm, more, metadata, domain, not }) => {
      const current = newRun(vm, more);
      try {
        const volumes = await platform.ensureVolumes(current, current.vm.disks, never);
        const plan = await deployment.plan(current, volumes, never);
        const copies = await deployment.volumesFromSnapshots(
          current,
          await deployment.snapshotVolumes(current, volumes, never),
          never,
        );
        const nics = await deployment.createNics(current, plan, never);
        const made = await deployment.createServer(current, plan, copies, nics, never);
        const { server } = await api.call<{
          server: {
            status: string;
            'os-extended-volumes:volumes_attached': { id: string; delete_on_termination: boolean }[];
          };
        }>('compute', 'GET', `/servers/${made.id}`);
        expect(server.status).toBe('ACTIVE');
        const goes = 'delete_disks_on_vm_termination' in more;
        expect(server['os-extended-volumes:volumes_attached']).toEqual(
          copies.map(({ id }) => expect.objectContaining({ id, delete_on_termination: goes }) as unknown),
        );
        const { volume } = await api.call<{
          volume: { bootable: string; volume_image_metadata: Record<string, string> };
        }>('block-storage', 'GET', `/volumes/${copies[0]?.id}`);
        expect(volume).toMatchObject({
          bootable: 'true',
          volume_image_metadata: {
            os_type: 'linux',
            hw_vif_model: 'virtio',
            hw_disk_bus: 'virtio',
            hw_qemu_guest_agent: 'yes',
            ...metadata,
          },
        });
        const described = await domainOf(made.id);
        for (const expected of domain) expect(described).toMatch(expected);
        for (const unexpected of not) expect(described).not.toMatch(unexpected);
        expect(described.match(/<target dev='vd[ab]' bus='virtio'\/>/g)).toHaveLength(2);
        expect(described).toMatch(/<interface[\s\S]*<model type='virtio'\/>/);
      } finally {
        await deployment.rollBack(current, never);
        await platform.deleteVolumes(current, never);
      }
      expect(current.ledger.list()).toEqual([]);
    },
  );

  it('is told anew, whatever an earlier deployment in place said of the volume', async () => {
    const current = newRun({ firmware: 'bios' });
    try {
      const volumes = await platform.ensureVolumes(current, current.vm.disks, never);
      await api.call('block-storage', 'POST', `/volumes/${volumes[0]?.id}/action`, {
        'os-set_image_metadata': {
          metadata: { hypervisor_type: 'hyperv', hw_machine_type: 'hyperv-gen1', somebody: 'else' },
        },
      });
      const plan = await deployment.plan(current, volumes, never);
      await deployment.createServer(current, plan, volumes, await deployment.createNics(current, plan, never), never);
      const { volume } = await api.call<{ volume: { volume_image_metadata: Record<string, string> } }>(
        'block-storage',
        'GET',
        `/volumes/${volumes[0]?.id}`,
      );
      expect(volume.volume_image_metadata).toEqual({
        somebody: 'else',
        os_type: 'linux',
        hw_disk_bus: 'virtio',
        hw_vif_model: 'virtio',
        hw_firmware_type: 'bios',
        hw_qemu_guest_agent: 'yes',
      });
    } finally {
      await deployment.rollBack(current, never);
      await platform.deleteVolumes(current, never);
    }
    expect(current.ledger.list()).toEqual([]);
  });
});
