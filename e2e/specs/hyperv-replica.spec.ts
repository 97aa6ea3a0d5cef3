import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { JsonObject } from '../../shared/model/json.ts';
import { closeAll } from '../rigs/closing.ts';
import { startProjectLab, type ProjectLab } from '../rigs/project/lab-project.ts';
import { startHyperv, type HypervRig } from '../rigs/windows-hypervisor/start.ts';
import type { RigDisk, RigVm } from '../rigs/windows-hypervisor/world.ts';

const MIB = 2 ** 20;
let lab: ProjectLab;
let rig: HypervRig;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'causeway-hyperv-replica-'));
  [lab, rig] = [await startProjectLab(), await startHyperv()];
  const common = {
    host: '127.0.0.1',
    port: rig.hosts[0]?.port ?? 0,
    username: rig.username,
    password: rig.password,
    certificate_sha256: [rig.hosts[0]?.certificateSha256 ?? ''],
  };
  const connections: Readonly<Record<string, JsonObject>> = {
    rct: { ...common, rct_port: rig.rct.port, rct_password: rig.rct.key },
    reader: { ...common, reader_port: 0 },
  };
  for (const [name, connection] of Object.entries(connections))
    await lab.use((core) => core.call('endpoint.add', { name, plugin: 'windows-hypervisor', connection }));
});
afterAll(() =>
  closeAll(
    () => rig?.close(),
    () => lab?.close(),
    () => rm(folder, { recursive: true, force: true }),
  ),
);

/** The disks as files, to compare volumes with. */
async function asFiles(vm: RigVm): Promise<Record<string, string>> {
  const files: Record<string, string> = {};
  for (const { identifier, content } of vm.disks) {
    files[identifier] = join(folder, identifier);
    await writeFile(join(folder, identifier), content);
  }
  return files;
}

// Both are read through in the specs of the source.
it.each(process.env['CAUSEWAY_EVERY_STEP'] === '1' ? ['rct', 'reader'] : ['rct'])(
  'a VM of VHDX disks is replicated in full, and then by its changes, by way of the %s',
  async (way) => {
    const vm = rig.world.addVm(`web-${way}`);
    const disks: readonly RigDisk[] = [rig.world.addDisk(vm, 48 * MIB), rig.world.addDisk(vm, 20 * MIB)];
    disks[0]?.write(5 * MIB, randomBytes(9 * MIB));
    disks[1]?.write(MIB, randomBytes(2 * MIB));
    await lab.use((core) =>
      core.call('replica.create', {
        name: way,
        source: way,
        destination: 'cloud',
        vm: vm.id,
        sourceEnvironment: { verify_rct_server: 'no' },
        destinationEnvironment: {
          network_map: { 'External VLAN 20': 'production' },
          availability_zone: 'eu01-1',
          machine_type: 'g1.1',
          migr_network: 'migration',
          migr_machine_type: 'g1.1',
          migr_image_map: { linux: 'Debian 12' },
        },
      }),
    );
    expect(await lab.execute(way, { verify: 'all' })).toMatchObject({ state: 'completed', leftBehind: 0 });
    expect(await lab.difference(way, await asFiles(vm))).toBeUndefined();
    disks[0]?.write(30 * MIB, randomBytes(256 * 1024));
    disks[0]?.write(6 * MIB, Buffer.alloc(128 * 1024));
    const execution = await lab.execute(way);
    expect(execution).toMatchObject({ state: 'completed', leftBehind: 0 });
    expect(await lab.difference(way, await asFiles(vm))).toBeUndefined();
    const events = await lab.use((core) => core.call('execution.events', { execution: execution.id }));
    const sent = events.filter(({ type }) => type === 'disk.done').map(({ details }) => Number(details['bytesSent']));
    expect(Math.max(...sent)).toBeGreaterThanOrEqual(256 * 1024);
    expect(Math.max(...sent)).toBeLessThan(MIB);
    // One reference point for the next execution, and nothing else.
    expect([
      vm.checkpoints,
      vm.referencePoints.length,
      [...rig.world.rulesOf('127.0.0.1')],
      await rig.runningReaders(),
    ]).toEqual([[], 1, [], []]);
  },
);
