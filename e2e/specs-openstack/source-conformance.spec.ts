import { afterAll, beforeAll, describe } from 'vitest';
import { describeSourcePlatform } from '../conformance/source-platform.ts';
import { startOriginServer, type OriginServer } from '../rigs/open-source-cloud/origin-server.ts';
import { sourceHarness } from '../rigs/open-source-cloud/source-harness.ts';
import { startOpenSourceCloud, type OpenSourceCloud } from '../rigs/open-source-cloud/start.ts';

// Disks of 1 GiB, the smallest that the cloud has: read whole many times over.
describe('servers of a real cloud', () => {
  let cloud: OpenSourceCloud;
  let server: OriginServer;
  beforeAll(async () => {
    cloud = await startOpenSourceCloud();
    server = await startOriginServer(cloud, { name: 'origin-conformance', boots: 'volume', more: [{ type: 'standard', sizeGib: 1 }] });
    await server.guest('poweroff -f').catch(() => undefined);
    const api = await cloud.api('origin');
    await api.call('compute', 'POST', `/servers/${server.id}/action`, { 'os-stop': null }).catch(() => undefined);
    for (const deadline = Date.now() + 120_000; ; await new Promise((resolve) => setTimeout(resolve, 500))) {
      if ((await api.call<{ server: { status: string } }>('compute', 'GET', `/servers/${server.id}`)).server.status === 'SHUTOFF') break;
      if (Date.now() > deadline) throw new Error('the server does not stop');
    }
  });
  afterAll(() => server?.close());

  describeSourcePlatform('open-source-cloud (distributed_snapshots)', () => sourceHarness(cloud, server, { replica_export_mechanism: 'distributed_snapshots' }));
});
