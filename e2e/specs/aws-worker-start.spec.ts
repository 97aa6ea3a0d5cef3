import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { retryContext } from '../../electron/engine/cloud-resources/retry-context.ts';
import { deleteResource } from '../../electron/engine/cloud-resources/resource-deletion.ts';
import { AwsCloud } from '../../electron/engine/platforms/large-public-cloud/client/aws-cloud.ts';
import { parseConnection } from '../../electron/engine/platforms/large-public-cloud/client/connection.ts';
import { runInstance } from '../../electron/engine/platforms/large-public-cloud/client/worker-calls.ts';
import { cloudApi } from '../../electron/engine/platforms/large-public-cloud/source/mechanisms/export-worker/cloud-api.ts';
import { startWorker } from '../../electron/engine/platforms/large-public-cloud/source/mechanisms/export-worker/start-worker.ts';
import { planWorker } from '../../electron/engine/platforms/large-public-cloud/source/mechanisms/export-worker/worker-plan.ts';
import {
  RecentCreations,
  runOf,
  type SourceContext,
} from '../../electron/engine/platforms/large-public-cloud/source/source-context.ts';
import { ledgerScope } from '../../electron/engine/store/ledger.ts';
import { openStore } from '../../electron/engine/store/store.ts';
import { exportRole } from '../../electron/engine/workers/export/export-worker.ts';
import { stopWorker } from '../../electron/engine/workers/stop-worker.ts';
import { awsHarness } from '../rigs/large-public-cloud/source-harness.ts';
import { startLargePublicCloud, type LargePublicCloud } from '../rigs/large-public-cloud/start.ts';
import { hurriedClock } from '../rigs/hurried-clock.ts';

/** The calls that make a worker and remove it again, without a machine behind it. */

const signal = new AbortController().signal;
const environment = { migr_image_map: { linux: 'ami-0a1b2c3d4e5f60718' }, worker_instance_type: 't3.medium' };
const closers: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

async function lab(): Promise<{
  readonly cloud: LargePublicCloud;
  readonly context: SourceContext;
  readonly vmId: string;
  start(): Promise<string>;
  stop(): Promise<void>;
  left(): readonly string[];
}> {
  const cloud = await startLargePublicCloud({ transitionMs: 1 });
  const folder = await mkdtemp(join(tmpdir(), 'causeway-aws-worker-'));
  const store = openStore(folder, undefined, hurriedClock(20));
  const around = retryContext({ clock: hurriedClock(20), timing: { pollFirstMs: 5, pollCapMs: 20 } });
  const context: SourceContext = {
    ...around,
    recent: new RecentCreations(around.clock),
    cloud: new AwsCloud(parseConnection(cloud.connection({ caller_address: '127.0.0.0/8' })), { timeoutMs: 3000 }),
    folder,
    ledger: ledgerScope(store.ledger, {
      endpointId: 'end-1',
      replicaId: 'rep-1',
      executionId: 'exe-1',
      side: 'source',
    }),
    use: { replicaId: 'rep-1', executionId: 'exe-1' },
    note: () => undefined,
    snapshotMs: 60_000,
    gib: 2 ** 20,
    egressAddress: undefined,
    resolveAddress: undefined,
  };
  closers.push(async () => {
    await context.cloud.close();
    store.close();
    await cloud.close();
    await rm(folder, { recursive: true, force: true });
  });
  const { world } = cloud;
  const vm = world.addInstance('web');
  // What was there before is listed; what is made from now on comes late.
  world.ground.lag.listings = 2;
  const api = cloudApi(context);
  const keyRing = new Map();
  const run = runOf(context, environment);
  return {
    cloud,
    context,
    vmId: vm.id,
    start: async () =>
      (await startWorker(context, api, await planWorker(context, vm.id, environment, signal), keyRing, run, signal))
        .workerId,
    stop: () => stopWorker({ ...api }, keyRing, run, exportRole, signal),
    left: () => [
      ...world.groups.keys(),
      ...world.volumes.keys(),
      ...[...world.instances.values()]
        .filter(({ id, state }) => id !== vm.id && state !== 'terminated')
        .map(({ id }) => id),
    ],
  };
}

it('starts a worker although the service knows its parts late, and leaves nothing of it', async () => {
  const { cloud, start, stop, left } = await lab();
  cloud.world.requestsBehind = 2;
  const id = await start();
  expect(cloud.world.instances.get(id)?.state).toBe('running');
  await stop();
  expect(left()).toEqual([]);
  expect(cloud.violations).toEqual([]);
});

it('removes what was created a moment ago, also before the service knows it', async () => {
  const { cloud, context, left } = await lab();
  const { world } = cloud;
  world.requestsBehind = 3;
  const ledger = context.ledger!;
  const group = 'sg-0a1b2c3d4e5f60718';
  world.groups.set(group, { id: group, name: 'default', description: '', vpcId: '', rules: [], tags: {} });
  const { entry } = await ledger.ensure(
    { kind: 'server', key: 'worker/disk-copy/server', lifetime: 'temporary' },
    {
      find: async () => undefined,
      get: async () => undefined,
      async create({ entryId }, within) {
        const id = await runInstance(
          context.cloud,
          {
            token: entryId,
            imageId: environment.migr_image_map.linux,
            imageDevices: [],
            type: 't3.medium',
            subnetId: [...world.subnets.keys()][0] ?? '',
            groupId: group,
            publicIp: false,
            userData: '',
            labels: {},
          },
          within,
        );
        context.recent.add(id);
        return { id };
      },
    },
    signal,
  );
  expect(left()).toHaveLength(2);
  await deleteResource(cloudApi(context), ledger, entry, signal);
  expect(left()).toEqual([group]);
});

it('leaves no volume of an image whose volumes stay behind', async () => {
  const { cloud, start, stop, left } = await lab();
  const [image] = [...cloud.world.images.values()];
  cloud.world.images.set(image!.id, { ...image!, keepsRoot: true });
  await start();
  await stop();
  expect(left()).toEqual([]);
});

it('leaves no snapshot when it is cancelled right after they were asked for', async () => {
  const made = await awsHarness({ cloud: { transitionMs: 60_000 } });
  closers.push(() => made.close());
  made.cloud.world.requestsBehind = 2;
  made.cloud.world.ground.lag.listings = 3;
  const cancel = new AbortController();
  const taking = made.platform.createSnapshot({ vmId: made.vmId, tag: 'called-off', environment: {} }, cancel.signal);
  const ended = taking.then(
    () => 'taken',
    () => 'called off',
  );
  await expect.poll(() => made.cloud.world.snapshots.size).toBe(2);
  cancel.abort();
  expect(await ended).toBe('called off');
  await made.platform.discardPending?.({ vmId: made.vmId, tag: 'called-off' }, signal);
  expect(await made.leftovers()).toEqual([]);
});
