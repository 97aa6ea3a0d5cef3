import { randomBytes } from 'node:crypto';
import { open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ExecutionDetail } from '../../shared/model/execution.ts';
import type { JsonObject } from '../../shared/model/json.ts';
import { GuestFiles } from '../rigs/guests/guest-files.ts';
import { ensureDebianGuest } from '../rigs/images/ensure.ts';
import { run } from '../rigs/machines/child-process.ts';
import { guestOn } from '../rigs/open-source-cloud/migrated-guest.ts';
import { startPackageProxy } from '../rigs/open-source-cloud/package-proxy.ts';
import { startOpenSourceLab, type OpenSourceLab } from '../rigs/open-source-cloud/project-lab.ts';
import { startAzureLab, stockVm, type AzureLab } from '../rigs/resource-group-cloud/source-lab.ts';

const minute = 60_000;
const MiB = 2 ** 20;

function stage(text: string): void {
  process.stderr.write(`${new Date().toISOString().slice(11, 19)} ${text}\n`);
}

/** The simulated Azure, and a real OpenStack. The VM is off: its file system is written from outside, as a guest that was shut down left it. */
describe('a Debian of the resource-group cloud, moved to the open-source cloud', () => {
  let lab: OpenSourceLab;
  let azure: AzureLab;
  let proxy: Awaited<ReturnType<typeof startPackageProxy>>;
  let files: Record<string, string>;
  let root: string;
  let data: string;

  beforeAll(async () => {
    const image = await ensureDebianGuest();
    azure = await startAzureLab();
    lab = await startOpenSourceLab();
    proxy = await startPackageProxy();
    const vm = await stockVm(azure.cloud, {
      name: 'web',
      disks: [
        { name: 'web-os', sizeBytes: 2048 * MiB },
        { name: 'web-data', sizeBytes: 64 * MiB },
      ],
    });
    const vmId = `${azure.cloud.resourceGroup}/${vm.name}`;
    [root = '', data = ''] = [...azure.cloud.world.disks.values()].map(({ id }) => azure.cloud.volumePath(id));
    files = { [`${azure.cloud.resourceGroup}/web-os`]: root, [`${azure.cloud.resourceGroup}/web-data`]: data };
    await run('dd', [`if=${join(image, 'disk.raw')}`, `of=${root}`, 'bs=1M', 'conv=notrunc,sparse', 'status=none']);
    await write(data, 2 * MiB, randomBytes(8 * MiB));
    await lab.use((core) =>
      core.call('endpoint.add', {
        name: 'azure',
        plugin: 'resource-group-cloud',
        connection: azure.connection as JsonObject,
      }),
    );
    const { nics } = await lab.use((core) => core.call('vm.show', { endpoint: 'azure', vm: vmId }));
    await lab.createReplica(
      'web',
      vmId,
      {
        network_map: Object.fromEntries(nics.map(({ network }) => [network, lab.network])),
        use_floating_ip: true,
        floating_ip_pool: 'outside',
      },
      { endpoint: 'azure', environment: { location: azure.cloud.location, resource_group: azure.cloud.resourceGroup } },
    );
  }, 15 * minute);
  afterAll(async () => {
    await lab?.close();
    await azure?.close();
    await proxy?.close();
  });

  async function write(file: string, offset: number, bytes: Buffer): Promise<void> {
    await using handle = await open(file, 'r+');
    await handle.write(bytes, 0, bytes.length, offset);
  }
  async function copied(execution: ExecutionDetail): Promise<number> {
    expect(execution, JSON.stringify(execution.error)).toMatchObject({ state: 'completed', leftBehind: 0 });
    expect(await lab.difference('web', files)).toBeUndefined();
    return lab.bytesSent(execution);
  }
  const left = async (): Promise<string[]> => (await lab.leftovers()).map((line) => line.split(' ')[0] ?? '');

  it(
    'is copied in full from snapshots of its disks, and then by what differs between them, byte for byte',
    async () => {
      const full = await copied(await lab.execute('web'));
      stage(`copied in full, ${(full / MiB).toFixed(0)} MiB sent`);
      const late = join(lab.folder, 'late');
      await writeFile(late, randomBytes(3_000_000));
      await new GuestFiles(root).replace('/srv/data/late', late);
      await write(data, 20 * MiB, randomBytes(2 * MiB));
      await write(data, 4 * MiB, Buffer.alloc(MiB));
      const changed = await copied(await lab.execute('web'));
      stage(`brought up to date, ${(changed / MiB).toFixed(1)} MiB sent`);
      expect(changed).toBeGreaterThan(5_000_000);
      expect(changed).toBeLessThan(full / 4);
      expect(await left()).toEqual(['volume', 'volume']);
    },
    30 * minute,
  );

  it(
    'is prepared, boots under Nova and has what was written last',
    async () => {
      const deployment = await lab.deploy('web', {
        httpProxy: proxy.url,
        bootCheck: { mode: 'network', deadlineSeconds: 1_800 },
      });
      expect(
        deployment,
        `${deployment.error?.code}: ${deployment.error?.message}\n${deployment.boot?.console.slice(-3000)}`,
      ).toMatchObject({
        state: 'completed',
        leftBehind: 0,
        boot: { outcome: 'up' },
        guest: { dossier: { distribution: 'debian' } },
      });
      stage('deployed, and the network answers');
      const ssh = await guestOn(deployment.server?.addresses[0], lab.folder);
      const shown = await ssh.text(
        [
          'sha256sum < /srv/data/late',
          '(cd /srv/data && sha256sum --quiet -c SHA256SUMS) && echo data',
          'ls /sys/bus/virtio/drivers/virtio_blk/ | grep -c virtio',
          'basename $(readlink /sys/class/net/e*/device/driver)',
        ].join('; '),
        { timeoutMs: 5 * minute },
      );
      const sum = await run('sha256sum', [join(lab.folder, 'late')]);
      expect(shown.split('\n')).toEqual([`${sum.split(' ')[0] ?? ''}  -`, 'data', '2', 'virtio_net']);
      expect(await lab.difference('web', files)).toBeUndefined();

      await lab.use((core) => core.call('deployment.delete', { deployment: deployment.id, dryRun: false }));
      await lab.use((core) => core.call('replica.delete', { replica: 'web' }));
      expect(await left()).toEqual([]);
      expect(azure.cloud.world.leftovers()).toEqual([]);
    },
    60 * minute,
  );
});
