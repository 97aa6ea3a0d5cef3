import { randomUUID } from 'node:crypto';
import { accepted, ApiError, badRequest, conflict, fieldReader, ok } from '../call.ts';
import type { Call, Operation } from '../call.ts';
import { demandQuota, demandStatus } from '../collection.ts';
import { openApiDescription } from '../descriptions/openapi.ts';
import type { Json } from '../descriptions/schemas.ts';
import { jsonProtocol } from '../json-protocol.ts';
import { ClientTokens, Pages } from '../listing.ts';
import { SimulatedWorld, startSimulation } from '../start.ts';
import type { Ground, Simulation, SimulationOptions } from '../start.ts';
import type { OperationRecord } from '../transitions.ts';
import { gibibyte } from '../volume-files.ts';

// 1. What there is: the resources, with the names and states that the cloud gives them.

interface Disk {
  readonly id: string;
  readonly name: string;
  readonly sizeGiB: number;
  state: 'creating' | 'ready' | 'attaching' | 'attached' | 'detaching' | 'deleting' | 'failed';
  attachment?: { readonly serverId: string; readonly lun: number };
}

interface Snapshot {
  readonly id: string;
  readonly diskId: string;
  state: 'creating' | 'ready' | 'failed';
}

interface Server {
  readonly id: string;
  readonly name: string;
  state: 'starting' | 'running' | 'failed';
}

export class SmallCloudWorld extends SimulatedWorld {
  readonly disks = this.collection<Disk>('disk');
  readonly snapshots = this.collection<Snapshot>('snapshot');
  readonly servers = this.collection<Server>('server');
  readonly quotas: Record<string, number> = { disks: 10, gigabytes: 1_000 };
  readonly pages: Pages;
  readonly tokens = new ClientTokens((token) =>
    conflict(`the key ${token} came with another request before`, 'KeyReused'),
  );

  constructor(ground: Ground) {
    super(ground);
    this.pages = new Pages(ground.clock);
  }

  usage(): Record<string, number> {
    return {
      disks: this.disks.size,
      gigabytes: [...this.disks.values()].reduce((total, { sizeGiB }) => total + sizeGiB, 0),
    };
  }
}

// 2. What can be asked for: an operation reads the call, refuses what the cloud refuses, and begins what is done later.

type SmallCall = Call<SmallCloudWorld>;

const invalid = (field: string, problem: string): ApiError => badRequest(`${field}: ${problem}`, 'Invalid');
const { stringField, optionalString } = fieldReader(invalid);
const shownOperation = ({ id, state, reason }: OperationRecord): object => ({
  id,
  state,
  ...(reason === undefined ? {} : { reason }),
});

const createDisk: Operation<SmallCloudWorld> = (call) =>
  call.world.tokens.once('CreateDisk', call.headers['idempotency-key'] as string | undefined, call.body, () =>
    makeDisk(call),
  );

function makeDisk({ world, body, fault, requestId }: SmallCall) {
  const { files } = world.ground;
  const sizeGiB = body['sizeGiB'];
  if (typeof sizeGiB !== 'number' || sizeGiB < 1) throw invalid('sizeGiB', 'must be at least 1');
  const from = optionalString(body, 'snapshotId');
  if (from !== undefined) demandStatus('snapshot', world.snapshots.demand(from).state, ['ready'], conflict);
  demandQuota(
    world.quotas,
    world.usage(),
    { disks: 1, gigabytes: sizeGiB },
    (message) => new ApiError(403, message, { code: 'QuotaExceeded' }),
  );
  const disk: Disk = { id: randomUUID(), name: stringField(body, 'name'), sizeGiB, state: 'creating' };
  world.disks.set(disk.id, disk);
  const operation = world.openOperation(requestId, { kind: 'create', diskId: disk.id });
  world.transition({
    fault,
    operation,
    work: async () => {
      if (from === undefined) return files.createBlank(disk.id, sizeGiB * gibibyte);
      await files.copy(from, disk.id);
      return files.grow(disk.id, sizeGiB * gibibyte);
    },
    succeed: () => {
      disk.state = 'ready';
    },
    fail: () => {
      disk.state = 'failed';
    },
  });
  return accepted({ disk: { ...disk }, operation: shownOperation(operation) });
}

const listDisks: Operation<SmallCloudWorld> = ({ world, query }) => {
  const { items, next } = world.pages.page(world.disks.listed(), {
    token: query.get('page'),
    limit: Number(query.get('limit') ?? 100),
    asked: 'disks',
  });
  return ok({ disks: items, ...(next === undefined ? {} : { nextPage: next }) });
};

const getDisk: Operation<SmallCloudWorld> = ({ world, params }) => ok(world.disks.demand(params['disk']));

const deleteDisk: Operation<SmallCloudWorld> = ({ world, params, fault, requestId }) => {
  const disk = world.disks.demand(params['disk']);
  demandStatus('disk', disk.state, ['ready', 'failed'], conflict);
  disk.state = 'deleting';
  const operation = world.openOperation(requestId, { kind: 'delete', diskId: disk.id });
  world.transition({
    fault,
    operation,
    work: () => world.ground.files.remove(disk.id),
    succeed: () => {
      world.disks.delete(disk.id);
    },
    fail: () => {
      disk.state = 'failed';
    },
  });
  return accepted(shownOperation(operation));
};

const createSnapshot: Operation<SmallCloudWorld> = ({ world, params, fault, requestId }) => {
  const disk = world.disks.demand(params['disk']);
  demandStatus('disk', disk.state, ['ready', 'attached'], conflict);
  const snapshot: Snapshot = { id: randomUUID(), diskId: disk.id, state: 'creating' };
  world.snapshots.set(snapshot.id, snapshot);
  const operation = world.openOperation(requestId, { kind: 'snapshot', snapshotId: snapshot.id });
  world.transition({
    fault,
    operation,
    work: () => world.ground.files.copy(disk.id, snapshot.id),
    succeed: () => {
      snapshot.state = 'ready';
    },
    fail: () => {
      snapshot.state = 'failed';
    },
  });
  return accepted({ snapshot: { ...snapshot }, operation: shownOperation(operation) });
};

const blockBytes = 512 * 1024;

const listChanges: Operation<SmallCloudWorld> = async ({ world, params, query }) => {
  const { id } = world.snapshots.demand(params['snapshot']);
  const since = query.get('since');
  const { files } = world.ground;
  const blocks =
    since === null
      ? (await files.allocatedBlocks(id, blockBytes)).map((index) => ({ index, isZero: false }))
      : await files.changedBlocks(world.snapshots.demand(since).id, id, blockBytes);
  return ok({ blockBytes, blocks });
};

const createServer: Operation<SmallCloudWorld> = ({ world, body, fault, requestId }) => {
  const server: Server = { id: randomUUID(), name: stringField(body, 'name'), state: 'starting' };
  world.servers.set(server.id, server);
  const operation = world.openOperation(requestId, { kind: 'start', serverId: server.id });
  world.transition({
    fault,
    operation,
    work: () =>
      world.ground.machines.start({
        serverId: server.id,
        name: server.name,
        vcpus: 1,
        memoryMiB: 1024,
        userData: optionalString(body, 'userData') ?? '',
        boot: { kind: 'image', imageName: 'worker' },
        dataVolumes: [],
        nics: [],
      }),
    succeed: () => {
      server.state = 'running';
    },
    fail: () => {
      server.state = 'failed';
    },
  });
  return accepted({ server: { ...server }, operation: shownOperation(operation) });
};

/** The disk gets the lowest number that is free on the server; that is all that its guest knows it by. */
const attachDisk: Operation<SmallCloudWorld> = ({ world, params, fault, requestId }) => {
  const [server, disk] = [world.servers.demand(params['server']), world.disks.demand(params['disk'])];
  demandStatus('server', server.state, ['running'], conflict);
  demandStatus('disk', disk.state, ['ready'], conflict);
  const taken = new Set(
    [...world.disks.values()]
      .filter(({ attachment }) => attachment?.serverId === server.id)
      .map(({ attachment }) => attachment?.lun),
  );
  let lun = 0;
  while (taken.has(lun)) lun += 1;
  disk.attachment = { serverId: server.id, lun };
  disk.state = 'attaching';
  const operation = world.openOperation(requestId, { kind: 'attach', diskId: disk.id });
  world.transition({
    fault,
    operation,
    work: () =>
      world.ground.machines.attach(server.id, {
        volumeId: disk.id,
        path: world.ground.files.path(disk.id),
        device: { lun },
      }),
    succeed: () => {
      disk.state = 'attached';
    },
    fail: () => {
      disk.state = 'ready';
      delete disk.attachment;
    },
  });
  return accepted({ lun, operation: shownOperation(operation) });
};

const detachDisk: Operation<SmallCloudWorld> = ({ world, params, fault, requestId }) => {
  const disk = world.disks.demand(params['disk']);
  demandStatus('disk', disk.state, ['attached'], conflict);
  disk.state = 'detaching';
  const operation = world.openOperation(requestId, { kind: 'detach', diskId: disk.id });
  world.transition({
    fault,
    operation,
    work: () => world.ground.machines.detach(params['server'] ?? '', disk.id),
    succeed: () => {
      disk.state = 'ready';
      delete disk.attachment;
    },
    fail: () => {
      disk.state = 'attached';
    },
  });
  return accepted(shownOperation(operation));
};

const getOperation: Operation<SmallCloudWorld> = ({ world, params }) => {
  const operation = world.operations.get(params['operation'] ?? '');
  if (operation === undefined) throw new ApiError(404, 'operation not found', { code: 'NotFound' });
  return ok(shownOperation(operation));
};

// 3. How it is asked for, and who may ask.

const table: Readonly<Record<string, readonly [id: string, operation: Operation<SmallCloudWorld>]>> = {
  'GET /disks': ['ListDisks', listDisks],
  'POST /disks': ['CreateDisk', createDisk],
  'GET /disks/{disk}': ['GetDisk', getDisk],
  'DELETE /disks/{disk}': ['DeleteDisk', deleteDisk],
  'POST /disks/{disk}/snapshots': ['CreateSnapshot', createSnapshot],
  'GET /snapshots/{snapshot}/changes': ['ListChanges', listChanges],
  'POST /servers': ['CreateServer', createServer],
  'PUT /servers/{server}/disks/{disk}': ['AttachDisk', attachDisk],
  'DELETE /servers/{server}/disks/{disk}': ['DetachDisk', detachDisk],
  'GET /operations/{operation}': ['GetOperation', getOperation],
};

/** @param description the vendor's OpenAPI document, where the machine has it */
export function startSmallCloud(
  options: SimulationOptions & { readonly description?: Json } = {},
): Promise<Simulation<SmallCloudWorld>> {
  return startSimulation(
    'small-cloud',
    options,
    (ground) => new SmallCloudWorld(ground),
    () => ({
      protocol: jsonProtocol(Object.fromEntries(Object.entries(table).map(([route, [id]]) => [route, id]))),
      operations: Object.fromEntries(Object.values(table)),
      authenticate: ({ headers }) => {
        if (headers['x-api-key'] !== 'secret')
          throw new ApiError(401, 'the key is not valid', { code: 'Unauthorized' });
      },
      description: options.description === undefined ? undefined : openApiDescription(options.description),
    }),
  );
}
