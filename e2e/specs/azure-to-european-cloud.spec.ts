import { randomBytes } from 'node:crypto';
import { open } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ExecutionDetail } from '../../shared/model/execution.ts';
import { closeAll } from '../rigs/closing.ts';
import { startAzureLab, stockVm, type AzureLab } from '../rigs/resource-group-cloud/source-lab.ts';
import { startProjectLab, type ProjectLab } from '../rigs/project/lab-project.ts';

const MIB = 2 ** 20;
const blockBytes = 64 * 1024;

describe('a VM of the resource-group cloud', () => {
  let azure: AzureLab;
  let lab: ProjectLab;
  let files: Record<string, string>;
  beforeAll(async () => {
    azure = await startAzureLab();
    const { cloud } = azure;
    await stockVm(cloud, {
      name: 'web',
      disks: [
        { name: 'web-os', sizeBytes: 48 * MIB },
        { name: 'web-data', sizeBytes: 20 * MIB },
      ],
    });
    files = Object.fromEntries(
      [...cloud.world.disks.values()].map(({ id, name }) => [`${cloud.resourceGroup}/${name}`, cloud.volumePath(id)]),
    );
    await put('web-os', 3 * MIB, randomBytes(5 * MIB));
    await put('web-data', 17 * MIB, randomBytes(MIB));
    lab = await startProjectLab();
    await lab.use(async (core) => {
      await core.call('endpoint.add', { name: 'azure', plugin: 'resource-group-cloud', connection: azure.connection });
      await core.call('replica.create', {
        name: 'web',
        source: 'azure',
        destination: 'cloud',
        vm: `${cloud.resourceGroup}/web`,
        sourceEnvironment: { location: cloud.location, resource_group: cloud.resourceGroup },
        destinationEnvironment: {
          network_map: { 'production/default': 'production' },
          availability_zone: 'eu01-1',
          machine_type: 'g1.1',
          migr_network: 'migration',
          migr_machine_type: 'g1.1',
          migr_image_map: { linux: 'Debian 12' },
        },
      });
    });
  });
  afterAll(() =>
    closeAll(
      () => lab.close(),
      () => azure.close(),
    ),
  );

  async function put(disk: string, offset: number, bytes: Buffer): Promise<void> {
    await using file = await open(files[`${azure.cloud.resourceGroup}/${disk}`] ?? '', 'r+');
    await file.write(bytes, 0, bytes.length, offset);
  }
  /** What crossed the link to the worker, by the events of an execution. */
  async function sent({ id }: ExecutionDetail): Promise<number> {
    const events = await lab.use((core) => core.call('execution.events', { execution: id }));
    return events
      .filter(({ type }) => type === 'disk.done')
      .reduce((sum, { details }) => sum + Number(details['bytesSent']), 0);
  }
  const expectKept = (snapshots: number): void => {
    const { world } = azure.cloud;
    expect(world.leftovers().filter((name) => name.startsWith('snapshot '))).toHaveLength(snapshots);
    expect(world.leftovers()).toHaveLength(snapshots);
    expect(
      [...world.snapshots.values()].filter(({ properties }) => azure.blobs.hasAccess(properties.uniqueId)),
    ).toEqual([]);
  };

  it('is copied byte for byte to the European cloud, and keeps a snapshot of each disk', async () => {
    expect(await lab.execute('web')).toMatchObject({ state: 'completed', leftBehind: 0 });
    expect(await lab.difference('web', files)).toBeUndefined();
    expectKept(2);
  });

  it('is brought up to date by what changed, also where that became zeros', async () => {
    await put('web-os', 40 * MIB, randomBytes(3 * blockBytes));
    await put('web-data', 17 * MIB, Buffer.alloc(blockBytes));
    const before = azure.recorded.length;
    const execution = await lab.execute('web');
    expect(execution).toMatchObject({ state: 'completed', leftBehind: 0 });
    expect(await lab.difference('web', files)).toBeUndefined();
    expect(await sent(execution)).toBeLessThan(4 * blockBytes);
    const calls = azure.recorded.slice(before).map(({ operation }) => operation);
    expect(calls).toContain('GetPageRangesDiff');
    expect(calls).not.toContain('GetPageRanges');
    expectKept(2);
  });

  it('says in evidence and report how many requests an increment took, and what they cost', async () => {
    const entries = await lab.use((core) => core.call('evidence.list', { replica: 'web' }));
    const made = entries
      .filter(({ kind }) => kind === 'execution')
      .map(
        ({ data }) =>
          data['sourceRequests'] as {
            readonly requests: number;
            readonly requestsPerGib: number;
            readonly usd: number;
          },
      );
    expect(made).toHaveLength(2);
    for (const { requests, requestsPerGib, usd } of made)
      expect([requests, requestsPerGib, usd].every((number) => number > 0)).toBe(true);
    expect(made[1]?.usd).toBeLessThan(made[0]?.usd ?? 0);
    const { html } = await lab.use((core) => core.call('evidence.report', { replica: 'web' }));
    for (const { requests, requestsPerGib } of made) expect(html).toContain(`${requests} (${requestsPerGib} per GiB)`);
    expect(html).toMatch(/USD 0\.\d+ at list prices/);
  });

  it('leaves nothing in the cloud when its replica is deleted', async () => {
    await lab.use((core) => core.call('replica.delete', { replica: 'web' }));
    expectKept(0);
  });
});
