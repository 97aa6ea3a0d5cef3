import { afterAll, beforeAll, describe } from 'vitest';
import type { JsonObject } from '../../shared/model/json.ts';
import { describeSourcePlatform } from '../conformance/source-platform.ts';
import { exportEnvironment } from '../rigs/open-source-cloud/export-lab.ts';
import { startOriginServer, type OriginServer } from '../rigs/open-source-cloud/origin-server.ts';
import { sourceHarness } from '../rigs/open-source-cloud/source-harness.ts';
import { startOpenSourceCloud, type OpenSourceCloud } from '../rigs/open-source-cloud/start.ts';

/** Each takes ten minutes and more; the slower two run when they are asked for. */
const mechanisms = [
  'distributed_snapshots',
  'objectstore_backups',
  ...(process.env['CAUSEWAY_ALL_MECHANISMS'] === '1' ? ['distributed_backups', 'service_backups'] : []),
];

// Disks of 1 GiB, the smallest that the cloud has: read whole many times over.
describe.each(mechanisms)('servers of a real cloud by %s', (mechanism) => {
  let cloud: OpenSourceCloud;
  let server: OriginServer;
  let environment: JsonObject;
  beforeAll(async () => {
    cloud = await startOpenSourceCloud();
    environment = await exportEnvironment(cloud, mechanism);
    server = await startOriginServer(cloud, {
      name: `origin-${mechanism}`,
      boots: 'volume',
      more: [{ type: 'standard', sizeGib: 1 }],
    });
    await server.powerOff();
  });
  afterAll(() => server?.close());

  describeSourcePlatform(`open-source-cloud (${mechanism})`, () => sourceHarness(cloud, server, environment), {
    faults: 2,
    crashes: 2,
  });
});
