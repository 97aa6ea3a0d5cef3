import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { mkdtemp, rm } from 'node:fs/promises';
import type { ClientRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { OpenStackContext } from '../../electron/engine/platforms/open-source-cloud/destination/context.ts';
import { createOpenStackDestination } from '../../electron/engine/platforms/open-source-cloud/destination/openstack-destination.ts';
import type { DestinationPlatform, DestinationRun } from '../../electron/engine/ports/destination-platform.ts';
import { ledgerScope } from '../../electron/engine/store/ledger.ts';
import { openStore, type Store } from '../../electron/engine/store/store.ts';
import type { Vm } from '../../shared/model/vm.ts';
import type { RigApi } from '../rigs/open-source-cloud/admin-api.ts';
import { workingEnvironment } from '../rigs/open-source-cloud/destination-environment.ts';
import { inventoryOf } from '../rigs/open-source-cloud/inventory.ts';
import { startOpenSourceCloud, type OpenSourceCloud } from '../rigs/open-source-cloud/start.ts';
import { hurriedClock } from '../rigs/hurried-clock.ts';
import { startWorkerWith } from '../../electron/engine/workers/attach-volumes.ts';

const gib = 2 ** 30;
const never = new AbortController().signal;
/** Replicas of this spec; others may use the project at the same time. */
const ours = /^faults-/;

describe('faults of the open-source cloud', () => {
  let cloud: OpenSourceCloud;
  let api: RigApi;
  let admin: RigApi;
  let folder: string;
  let store: Store;
  let before: Set<string>;
  let count = 0;
  const platforms: DestinationPlatform[] = [];

  beforeAll(async () => {
    cloud = await startOpenSourceCloud();
    api = await cloud.api('target');
    admin = await cloud.api('admin');
    before = new Set(await inventoryOf(api, ours));
    folder = await mkdtemp(join(tmpdir(), 'causeway-cloud-faults-'));
    store = openStore(folder, undefined, hurriedClock(20));
  });
  afterEach(async () => {
    for (const platform of platforms.splice(0)) await platform.close();
    expect(await leftovers()).toEqual([]);
  });
  afterAll(async () => {
    store?.close();
    await rm(folder, { recursive: true, force: true });
    await cloud?.close();
  });

  const leftovers = async (): Promise<string[]> => (await inventoryOf(api, ours)).filter((line) => !before.has(line));

  function open(timing: OpenStackContext['timing'] = {}): DestinationPlatform {
    const platform = createOpenStackDestination(cloud.connection('target'), {
      timing: { pollFirstMs: 300, pollCapMs: 1_500, ...timing },
    });
    platforms.push(platform);
    return platform;
  }

  function newRun(disks: Vm['disks']): DestinationRun & { readonly notes: string[] } {
    count += 1;
    const binding = { endpointId: 'endpoint', replicaId: `faults-${count}`, executionId: `execution-${count}` };
    const notes: string[] = [];
    return {
      ...binding,
      notes,
      vm: {
        id: `vm-${count}`,
        name: 'web',
        os_type: 'linux',
        vcpus: 1,
        memory_mb: 512,
        disks,
        nics: [{ id: 'nic-0', network: 'VM Network' }],
      },
      environment: workingEnvironment(api, 'VM Network'),
      ledger: ledgerScope(store.ledger, binding),
      note: (message) => void notes.push(message),
    };
  }

  const disks = [{ id: 'd0', size_bytes: gib }];

  it('a token that the services take no more is replaced by a new one in the middle of the work', async () => {
    let signIns = 0;
    let spoilt = 0;
    // Services remember for minutes that a token was good, so that revoking it would show nothing: the request itself has a bad one.
    const see = (message: unknown): void => {
      const { request } = message as { request: ClientRequest };
      if (request.path.endsWith('/auth/tokens')) signIns += 1;
      if (request.method === 'DELETE' && spoilt === 0) {
        spoilt += 1;
        request.setHeader('x-auth-token', 'a-token-that-has-ended');
      }
    };
    subscribe('http.client.request.created', see);
    try {
      const platform = open();
      const run = newRun(disks);
      await platform.ensureVolumes(run, disks, never);
      await platform.deleteVolumes(run, never);
      expect([spoilt, signIns]).toEqual([1, 2]);
    } finally {
      unsubscribe('http.client.request.created', see);
    }
  });

  it('a quota that does not suffice is named before anything is made', async () => {
    const quota = async (volumes: number): Promise<unknown> =>
      admin.call('block-storage', 'PUT', `/os-quota-sets/${api.projectId}`, { quota_set: { volumes } });
    const { volumes } = await api.call<{ volumes: unknown[] }>('block-storage', 'GET', '/volumes');
    await quota(volumes.length + 1);
    try {
      const run = newRun(disks);
      await expect(open().ensureVolumes(run, disks, never)).rejects.toMatchObject({
        code: 'cloud.quota-exceeded',
        message: expect.stringMatching(/^volumes: 2 needed, 1 of/) as unknown,
      });
      expect(run.ledger.list()).toEqual([]);
      const findings = await open().checkEnvironment(run.environment, run.vm, never);
      expect(findings.map(({ rule }) => rule)).toContain('open-source-cloud/online-quota');
      expect((await open().check(never)).steps.find(({ name }) => name === 'Read the quotas')?.evidence).toContain(
        `volumes ${volumes.length} of ${volumes.length + 1}`,
      );
    } finally {
      await quota(-1);
    }
  });

  it('a back end without room ends in an error, and the volume that failed is not kept', async () => {
    const large = [{ id: 'd0', size_bytes: 50_000 * gib }];
    const run = newRun(large);
    await expect(open().ensureVolumes(run, large, never)).rejects.toMatchObject({
      code: 'cloud.operation-failed',
      details: { state: 'error' },
    });
    expect(run.ledger.list()).toEqual([]);
  });

  it('volumes wait for a volume service that stopped, and are adopted once it is back', async () => {
    const run = newRun(disks);
    await cloud.phase('end', 'cinder-volume');
    try {
      await expect(open({ volumeMs: 8_000 }).ensureVolumes(run, disks, never)).rejects.toMatchObject({
        code: 'cloud.not-ready',
        message: expect.stringMatching(/still creating after 8 s/) as unknown,
      });
    } finally {
      await cloud.phase('restart', 'cinder-volume');
    }
    const [kept] = run.ledger.list();
    const [volume] = await open().ensureVolumes(run, disks, never);
    expect(volume?.id).toBe(kept?.resourceId);
    await open().deleteVolumes(run, never);
    expect(run.ledger.list()).toEqual([]);
  });

  it('a worker that no host starts is given up after its time, and cleaned up when the host is back', async () => {
    const run = newRun(disks);
    const platform = open({ serverMs: 10_000 });
    const volumes = await platform.ensureVolumes(run, disks, never);
    await cloud.phase('end', 'nova-compute');
    try {
      await expect(startWorkerWith(platform, run, 'disk-copy', volumes, never)).rejects.toMatchObject({
        code: 'cloud.not-ready',
        message: expect.stringMatching(/still BUILD after 10 s/) as unknown,
      });
    } finally {
      await cloud.phase('restart', 'nova-compute');
    }
    await platform.stopWorker(run, 'disk-copy', never);
    expect(run.ledger.list().map(({ kind }) => kind)).toEqual(['volume']);
    await platform.deleteVolumes(run, never);
  });
});
