import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { closeAll } from '../rigs/closing.ts';
import { labMachines } from '../rigs/machines/kinds.ts';
import { startProjectLab, type ProjectLab } from '../rigs/project/lab-project.ts';
import { workerEnvironment } from '../rigs/server-virtualization-manager/source-harness.ts';
import { startManager, stockVm, type SimulatedManager } from '../rigs/server-virtualization-manager/start.ts';

const MIB = 2 ** 20;
let manager: SimulatedManager;
let lab: ProjectLab;

beforeAll(async () => {
  manager = await startManager({ transitionMs: 3, machines: labMachines({ worker: 'user' }) });
  lab = await startProjectLab();
  await lab.use((core) =>
    core.call('endpoint.add', {
      name: 'manager',
      plugin: 'server-virtualization-manager',
      connection: manager.connection,
    }),
  );
});
afterAll(() =>
  closeAll(
    () => lab?.close(),
    () => manager?.close(),
  ),
);

it.each([
  ['by the exporter of its server', 'exported', true, ['snapshot']],
  ['by a worker from the template', 'cloned', false, []],
] as const)(
  'is copied byte for byte to the European cloud, and brought up to date, %s',
  async (_, name, hasExporter, kept) => {
    const { world } = manager;
    const { files } = world.ground;
    world.hasExporter = hasExporter;
    const { vm, disks } = await stockVm(world, name, [48 * MIB, 20 * MIB]);
    const [root = '', data = ''] = disks.map(({ id }) => id.value);
    await files.write(root, 3 * MIB, randomBytes(5 * MIB));
    await files.write(data, 17 * MIB, randomBytes(MIB));
    await lab.use((core) =>
      core.call('replica.create', {
        name,
        source: 'manager',
        destination: 'cloud',
        vm: vm.id.value,
        sourceEnvironment: { ...workerEnvironment },
        destinationEnvironment: {
          network_map: { 'VM Network': 'production' },
          availability_zone: 'eu01-1',
          machine_type: 'g1.1',
          migr_network: 'migration',
          migr_machine_type: 'g1.1',
          migr_image_map: { linux: 'Debian 12' },
        },
      }),
    );
    const execute = async (): Promise<number> => {
      const execution = await lab.execute(name);
      expect(execution, JSON.stringify(execution.error)).toMatchObject({ state: 'completed', leftBehind: 0 });
      expect(
        await lab.difference(name, Object.fromEntries([root, data].map((id) => [id, files.path(id)]))),
      ).toBeUndefined();
      expect(world.leftovers().map((each) => each.split(' ')[0])).toEqual(kept);
      const events = await lab.use((core) => core.call('execution.events', { execution: execution.id }));
      return events
        .filter(({ type }) => type === 'disk.done')
        .reduce((sum, { details }) => sum + Number(details['bytesRead']), 0);
    };
    const full = await execute();
    await files.write(root, 40 * MIB, randomBytes(MIB));
    await files.write(data, 17 * MIB, Buffer.alloc(MIB));
    expect(await execute()).toBeLessThan(full / 2);
    await lab.use((core) => core.call('replica.delete', { replica: name }));
    expect(world.leftovers()).toEqual([]);
  },
);
