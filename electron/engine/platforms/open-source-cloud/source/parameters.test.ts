import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import type { JsonObject } from '../../../../../shared/model/json.ts';
import type { Side } from '../../../../../shared/model/plugin-id.ts';
import { ledgerScope } from '../../../store/ledger.ts';
import { openStore, type Store } from '../../../store/store.ts';
import { openCloud, type OpenStackCloud } from '../client/open-cloud.ts';
import { readEnvironment } from '../destination/environment.ts';
import { planWorker, type WorkerPlan } from '../destination/worker-plan.ts';
import { idOf, startSmallCloud, there, type SmallCloud } from '../testing/small-cloud.ts';
import { sourceContext } from './index.ts';
import { describeServer, readServer, silentOs } from './inventory.ts';
import { chosenMechanism, mechanisms, type MechanismName } from './mechanisms/index.ts';
import { storageOptions } from './rbd/storage-cluster.ts';
import { exportWorkerWishes } from './mechanisms/export-worker/worker-environment.ts';
import { GIB, usualDeadlines, type SourceContext } from './source-context.ts';
import { createHastyClock } from '../../../time/testing/hasty-clock.ts';

const signal = new AbortController().signal;
const side: Side = 'source';
const needed = { export_image: 'linux-worker', export_network: 'workers', export_flavor_name: 'small' };
const exportWorkerMechanism = (more: JsonObject = {}): JsonObject => ({
  replica_export_mechanism: 'service_backups',
  service_backups_options: { ...needed, ...more },
});

let folder: string;
let store: Store;
let cloud: SmallCloud;
let context: SourceContext;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'causeway-source-parameters-'));
  store = openStore(folder, undefined, createHastyClock());
  cloud = await startSmallCloud({ volumes: [{ id: idOf(50), name: 'root', status: 'in-use', size: 1 }] });
  context = contextOf(cloud);
});

function contextOf({ script }: SmallCloud): SourceContext {
  const ledger = ledgerScope(store.ledger, { endpointId: 'end', replicaId: 'rep', executionId: 'exe', side });
  return sourceContext(
    script.connection as JsonObject,
    { scratchFolder: folder, ledger, use: { replicaId: 'rep', executionId: 'exe' } },
    usualDeadlines,
  );
}

afterEach(() => {
  context.cloud.close();
  store.close();
  rmSync(folder, { recursive: true, force: true });
  cloud.script.close();
});

const failure = async (work: Promise<unknown>): Promise<CausewayError> => {
  const error = await work.catch((thrown: unknown) => thrown);
  if (!(error instanceof CausewayError)) throw new Error('it did not fail as it should');
  return error;
};

describe('the mechanism of an export', () => {
  it('is the one that is named, and service_backups without a name', () => {
    expect(
      ['objectstore_backups', 'distributed_backups', 'distributed_snapshots', 'service_backups'].map((name) =>
        chosenMechanism({ replica_export_mechanism: name }),
      ),
    ).toEqual(Object.keys(mechanisms));
    expect(chosenMechanism({})).toBe('service_backups');
    expect(() => chosenMechanism({ replica_export_mechanism: 'tape' })).toThrow(/tape is not available/);
  });

  it.each(['distributed_backups', 'distributed_snapshots'] satisfies MechanismName[])(
    '%s needs the distributed storage, and says so before anything is made',
    async (name) => {
      const storage = { ...storageOptions(undefined), configuration: join(folder, 'none.conf') };
      expect(
        await failure(mechanisms[name]({ ...context, storage }).prepare?.({}, signal) ?? Promise.resolve()),
      ).toMatchObject({
        code: 'source.unreachable',
        message: expect.stringMatching(/the endpoint's connection has no ceph_options/) as unknown,
        details: { parameter: 'ceph_options' },
      });
      const wrong = storageOptions({ ceph_conf_file: join(folder, 'other.conf'), ceph_username: 'migration' });
      expect(
        await failure(mechanisms[name]({ ...context, storage: wrong }).prepare?.({}, signal) ?? Promise.resolve()),
      ).toMatchObject({
        message: expect.stringMatching(/^ceph_conf_file .*other.conf cannot be read/) as unknown,
        details: { parameter: 'ceph_conf_file' },
      });
      expect(cloud.script.calls()).toEqual([]);
    },
  );

  it('objectstore_backups needs an object store, and says so before anything is made', async () => {
    await mechanisms
      .objectstore_backups(context)
      .prepare?.({}, signal)
      .then(
        () => expect.unreachable(),
        (error: unknown) => expect(error).toMatchObject({ code: 'cloud.not-found' }),
      );
    expect(cloud.script.calls()).toEqual(['GET objectstore?format=json&limit=10000']);
  });

  it('objectstore_backups are kept in the container that is named', async () => {
    const environment = {
      replica_export_mechanism: 'objectstore_backups',
      objectstore_backups_options: { volume_backups_container: 'mine' },
    };
    const disks = [{ id: idOf(50), volumeId: idOf(50), serverId: idOf(51), sizeBytes: GIB, encrypted: false }];
    await failure(mechanisms.objectstore_backups(context).take({ tag: 'tag', environment, disks, base: [] }, signal));
    expect(cloud.sent('POST volume/snapshots')).toMatchObject([{ snapshot: { volume_id: idOf(50), force: true } }]);
    expect(cloud.sent('POST volume/backups')).toMatchObject([
      { backup: { volume_id: idOf(50), container: 'mine', incremental: false } },
    ]);
  });
});

describe('the export worker', () => {
  const planned = async (more: JsonObject): Promise<WorkerPlan> => {
    const client = openCloud(cloud.script.connection);
    try {
      return await planWorker(
        client,
        readEnvironment(exportWorkerWishes(exportWorkerMechanism(more)).environment),
        'disk-copy',
        signal,
      );
    } finally {
      client.close();
    }
  };

  it('is as its options want it, and is reached by SSH alone', async () => {
    expect(await planned({})).toMatchObject({
      image: { id: there.linuxImage },
      network: { id: there.workers },
      flavor: { id: there.small },
      bootVolume: undefined,
      pool: undefined,
      configDrive: false,
      ports: [22],
    });
    expect(
      await planned({
        export_worker_use_fip: true,
        export_fip_pool_name: 'public',
        export_worker_use_config_drive: true,
        export_worker_boot_from_volume: true,
        export_worker_volume_size: 12,
        export_worker_volume_type: 'fast',
      }),
    ).toMatchObject({
      bootVolume: { sizeGib: 12, type: 'fast' },
      pool: { networkId: there.outside },
      configDrive: true,
    });
    expect(await planned({ export_worker_boot_from_volume: true })).toMatchObject({
      bootVolume: { sizeGib: 8, type: undefined },
    });
  });

  it.each([
    [{ export_image: '' }, 'cloud.parameter-missing', 'service_backups_options.export_image'],
    [{ export_network: 'nowhere' }, 'cloud.name-unknown', 'service_backups_options.export_network'],
    [{ export_flavor_name: 'huge' }, 'cloud.name-unknown', 'service_backups_options.export_flavor_name'],
    [
      { export_worker_use_fip: true, export_fip_pool_name: 'none' },
      'cloud.name-unknown',
      'service_backups_options.export_fip_pool_name',
    ],
    [
      { export_worker_boot_from_volume: true, export_worker_volume_type: 'gold' },
      'cloud.name-unknown',
      'service_backups_options.export_worker_volume_type',
    ],
    [
      { export_worker_boot_from_volume: true, export_worker_volume_size: 2 },
      'general.invalid-input',
      'service_backups_options.export_worker_volume_size',
    ],
    [
      { export_interim_volume_type: 'gold' },
      'cloud.name-unknown',
      'service_backups_options.export_interim_volume_type',
    ],
  ])('is refused in the words of its options before anything is made: %j', async (options, code, parameter) => {
    expect(
      await failure(
        mechanisms.service_backups(context).prepare?.(exportWorkerMechanism(options), signal) ?? Promise.resolve(),
      ),
    ).toMatchObject({
      code,
      details: { parameter },
      message: expect.stringContaining(parameter) as unknown,
    });
    expect(cloud.script.calls().filter((call) => !call.startsWith('GET'))).toEqual([]);
  });
});

describe('an interim volume', () => {
  const rootOnHost = {
    id: `root-${idOf(51)}`,
    volumeId: undefined,
    serverId: idOf(51),
    sizeBytes: GIB,
    encrypted: false,
  };
  const volume = { id: idOf(50), volumeId: idOf(50), serverId: idOf(51), sizeBytes: GIB, encrypted: false };

  it('is of the type that is named for roots that lie on their host, and of its own for volumes', async () => {
    const lists = {
      volumes: [{ id: idOf(50), name: 'data', status: 'in-use', size: 1 }],
      servers: [{ id: idOf(51), name: 'web', status: 'ACTIVE' }],
    };
    cloud.script.close();
    cloud = await startSmallCloud(lists);
    context.cloud.close();
    context = contextOf(cloud);
    await mechanisms.service_backups(context).take(
      {
        tag: 'tag',
        environment: exportWorkerMechanism({ export_interim_volume_type: 'fast' }),
        disks: [rootOnHost, volume],
        base: [],
      },
      signal,
    );
    expect(cloud.sent(`POST compute/servers/${idOf(51)}/action`)).toMatchObject([{ createImage: {} }]);
    const [ofRoot, ofVolume] = cloud.sent('POST volume/volumes') as { volume: Record<string, unknown> }[];
    expect(ofRoot?.volume).toMatchObject({ volume_type: 'fast', imageRef: expect.any(String) as unknown });
    expect(ofVolume?.volume).toMatchObject({ snapshot_id: expect.any(String) as unknown });
    expect(ofVolume?.volume).not.toHaveProperty('volume_type');
  });
});

describe('the guest OS of a server', () => {
  const clouds: OpenStackCloud[] = [];
  const scripts: SmallCloud[] = [];
  afterEach(() => {
    for (const one of clouds.splice(0)) one.close();
    for (const { script } of scripts.splice(0)) script.close();
  });
  async function cloudWith(properties: object): Promise<OpenStackCloud> {
    const image = { id: idOf(51), name: 'app', status: 'active', min_disk: 1, ...properties };
    const server = {
      id: idOf(60),
      name: 'app',
      status: 'ACTIVE',
      metadata: {},
      image: { id: image.id },
      flavor: { vcpus: 1, ram: 512, disk: 1 },
      'os-extended-volumes:volumes_attached': [],
    };
    const small = await startSmallCloud({ images: [image], servers: [server] });
    scripts.push(small);
    const opened = contextOf(small).cloud;
    clouds.push(opened);
    return opened;
  }
  const describing = async (properties: object, environment?: JsonObject) =>
    describeServer(await cloudWith(properties), idOf(60), environment, signal);
  const silent = async (properties: object) =>
    silentOs(await readServer(await cloudWith(properties), idOf(60), signal));

  it('is refused when its image names one that is not known, with the key that maps it', async () => {
    expect(await failure(describing({ os_distro: 'haiku' }, {}))).toMatchObject({
      code: 'source.os-type-unknown',
      message: 'the image of app has os_distro=haiku',
      details: { parameter: 'custom_os_type_map', names: ['haiku'] },
    });
    expect(await describing({ os_distro: 'haiku' }, { custom_os_type_map: { haiku: 'windows' } })).toMatchObject({
      os_type: 'windows',
    });
    expect(await describing({ os_distro: 'haiku' })).toMatchObject({ os_type: 'linux' });
  });

  it('is taken as Linux when its image says nothing, and that is noted', async () => {
    expect(await describing({}, {})).toMatchObject({ os_type: 'linux' });
    expect(await silent({})).toMatch(/^app: its image has neither os_type nor os_distro/);
    expect(await silent({ os_type: 'linux' })).toBeUndefined();
  });
});
