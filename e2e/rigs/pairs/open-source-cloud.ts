import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject } from '../../../shared/model/json.ts';
import { run } from '../machines/child-process.ts';
import { privateNetwork, workingEnvironment } from '../open-source-cloud/destination-environment.ts';
import { inventoryOf } from '../open-source-cloud/inventory.ts';
import { leftInOrigin, startOriginServer, volumeBytes } from '../open-source-cloud/origin-server.ts';
import { startOpenSourceCloud } from '../open-source-cloud/start.ts';
import type { PairDestination } from './destinations.ts';
import type { PairSource } from './sources.ts';

/** The real cloud's project `origin`: a server that is off, its volumes written straight in the distributed storage. */
export async function openSourceCloudSource(folder: string): Promise<PairSource> {
  const cloud = await startOpenSourceCloud();
  const server = await startOriginServer(cloud, {
    name: 'origin-pair',
    boots: 'volume',
    more: [{ type: 'standard', sizeGib: 1 }],
  });
  await server.powerOff();
  return {
    connection: cloud.connection('origin') as JsonObject,
    vmId: server.id,
    environment: { replica_export_mechanism: 'distributed_snapshots' },
    async write(disk, offset, bytes) {
      const pattern = join(folder, 'pattern');
      await writeFile(pattern, bytes);
      const image = JSON.stringify({
        driver: 'raw',
        file: {
          driver: 'rbd',
          pool: 'volumes',
          image: `volume-${server.volumeIds[disk] ?? ''}`,
          conf: cloud.cephConfiguration,
        },
      });
      await run('qemu-io', ['-c', `write -q -s ${pattern} ${offset} ${bytes.length}`, '-c', 'flush', `json:${image}`]);
    },
    async files() {
      const files: Record<string, string> = {};
      for (const id of server.volumeIds) await volumeBytes(cloud, id, (files[id] = join(folder, id)));
      return files;
    },
    leftovers: () => leftInOrigin(cloud),
    async close() {
      await server.close();
      await cloud.close();
    },
  };
}

/** The real cloud's project `target`. */
export async function openSourceCloudDestination(): Promise<PairDestination> {
  const cloud = await startOpenSourceCloud();
  const api = await cloud.api('target');
  const folder = await mkdtemp(join(tmpdir(), 'causeway-pair-target-'));
  const before = new Set(await inventoryOf(api));
  return {
    connection: cloud.connection('target') as JsonObject,
    environment: (networks) => ({
      ...workingEnvironment(api, ''),
      network_map: Object.fromEntries(networks.map((network) => [network, privateNetwork(api)])),
      security_groups: ['open'],
    }),
    async volumePath(id) {
      const file = join(folder, 'volume');
      await volumeBytes(cloud, id, file);
      return file;
    },
    console: async (id) =>
      (await api.call<{ output: string }>('compute', 'POST', `/servers/${id}/action`, { 'os-getConsoleOutput': {} }))
        .output,
    leftovers: async () => (await inventoryOf(api)).filter((line) => !before.has(line)),
    async close() {
      await rm(folder, { recursive: true, force: true });
      await cloud.close();
    },
  };
}
