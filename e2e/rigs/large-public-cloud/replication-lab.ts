import type { JsonObject } from '../../../shared/model/json.ts';
import { closing } from '../closing.ts';
import type { OwnVmRig } from '../project/own-vm.ts';
import { startProjectLab, type ProjectLab, type ProjectLabOptions } from '../project/lab-project.ts';
import { knownMachines, startOwnInstance } from './own-vm.ts';
import { startLargePublicCloud, type LargePublicCloud } from './start.ts';

/** A VM of the large public cloud with volumes of one GiB, to be replicated to the lab's European cloud. */
export interface ReplicationLab {
  readonly aws: LargePublicCloud;
  readonly lab: ProjectLab;
  readonly instanceId: string;
  /** A VM of the same region as users make one. @param more e.g. the subnet that it is in */
  startOwnVm(name: string, more?: Parameters<LargePublicCloud['world']['addInstance']>[1]): Promise<OwnVmRig>;
  /** Writes to a volume as the guest would. */
  fill(volume: number, offset: number, length: number, byte: number): Promise<void>;
  createReplica(name: string, connection: object, sourceEnvironment: JsonObject): Promise<void>;
  /** Executes once. Resolves with how that ended and what was read. */
  execute(name: string): Promise<{
    readonly state: string;
    readonly error: string;
    readonly leftBehind: number;
    readonly bytesRead: number;
    readonly messages: string;
  }>;
  /** Where a disk of the replica differs from the volume as it is now; undefined when it is the same. */
  difference(name: string): Promise<string | undefined>;
  deleteReplica(name: string): Promise<void>;
  /** What is in the source's region only because of replication. */
  leftovers(): readonly string[];
  close(): Promise<void>;
}

export async function startReplicationLab(
  volumeCount: number,
  options: ProjectLabOptions = {},
): Promise<ReplicationLab> {
  const { machines, known } = knownMachines();
  await using stack = new AsyncDisposableStack();
  const aws = stack.adopt(await startLargePublicCloud({ transitionMs: 3, machines }), closing);
  const lab = stack.adopt(await startProjectLab(options), closing);
  const { world } = aws;
  const { files } = world.ground;
  const instance = world.addInstance('web');
  const volumes: string[] = [];
  const ofUsers = [instance.id];
  for (let index = 0; index < volumeCount; index += 1) {
    const volume = await world.addVolume(1);
    world.attach(volume, instance.id, index === 0 ? instance.rootDevice : `/dev/sd${'fghij'[index - 1] ?? 'z'}`);
    volumes.push(volume.id);
  }
  // What was there before is listed; what is made from now on comes late.
  world.ground.lag.listings = 1;
  const destinationEnvironment = {
    network_map: { production: 'production' },
    availability_zone: 'eu01-1',
    machine_type: 'g1.1',
    migr_network: 'migration',
    migr_machine_type: 'g1.1',
    migr_image_map: { linux: 'Debian 12' },
  };
  const opened = stack.move();
  return {
    aws,
    lab,
    instanceId: instance.id,
    startOwnVm: async (name, more) => {
      const { lag } = world.ground;
      const { listings } = lag;
      // It was there before.
      lag.listings = 0;
      const made = await startOwnInstance(world, known(), name, more).finally(() => (lag.listings = listings));
      ofUsers.push(made.vmId);
      return made;
    },
    fill: (volume, offset, length, byte) => files.write(volumes[volume] ?? '', offset, Buffer.alloc(length, byte)),
    createReplica: (name, connection, sourceEnvironment) =>
      lab.use(async (core) => {
        const given = aws.connection({ caller_address: '127.0.0.0/8', ...connection }) as JsonObject;
        await core.call('endpoint.add', { name: `${name}-source`, plugin: 'large-public-cloud', connection: given });
        await core.call('replica.create', {
          name,
          source: `${name}-source`,
          destination: 'cloud',
          vm: instance.id,
          sourceEnvironment,
          destinationEnvironment,
        });
      }),
    async execute(name) {
      const { id, state, error, leftBehind } = await lab.execute(name);
      const events = await lab.use((core) => core.call('execution.events', { execution: id }));
      const bytesRead = events
        .filter(({ type }) => type === 'disk.done')
        .reduce((sum, { details }) => sum + Number(details['bytesRead']), 0);
      return {
        state,
        error: error === undefined ? '' : JSON.stringify(error),
        leftBehind,
        bytesRead,
        messages: events.map(({ message }) => message).join('\n'),
      };
    },
    difference: (name) => lab.difference(name, Object.fromEntries(volumes.map((id) => [id, files.path(id)]))),
    deleteReplica: (name) => lab.use(async (core) => void (await core.call('replica.delete', { replica: name }))),
    leftovers: () => [
      ...world.snapshots.keys(),
      ...world.groups.keys(),
      ...[...world.volumes.keys()].filter((id) => !volumes.includes(id)),
      ...[...world.instances.values()]
        .filter(({ id, state }) => !ofUsers.includes(id) && state !== 'terminated')
        .map(({ id }) => id),
    ],
    close: () => opened.disposeAsync(),
  };
}
