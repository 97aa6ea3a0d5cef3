import type { Instance, Volume } from '@aws-sdk/client-ec2';
import { CausewayError } from '../../../../../../../shared/model/causeway-error.ts';
import type {
  CloudServer,
  CloudVolume,
  ResourceDeleter,
  ServerState,
  VolumeState,
  WorkerCloud,
} from '../../../../../cloud-resources/cloud-api.ts';
import { entryLabel, nameOf } from '../../../../../cloud-resources/ledgered-resource.ts';
import { attachmentDeleter } from '../../../../../cloud-resources/own-vm.ts';
import { simpleDeleters } from '../../../../../cloud-resources/resource-deletion.ts';
import type { LedgerEntry } from '../../../../../ports/ledger.ts';
import { findInstance, labelsOf, listInstances, listVolumes, nameTag, tagFilters } from '../../../client/compute.ts';
import {
  attachVolume,
  deleteSecurityGroup,
  deleteVolume,
  detachVolume,
  listSecurityGroups,
  terminateInstance,
} from '../../../client/worker-calls.ts';
import { removeKnown, untilKnown, type SourceContext } from '../../source-context.ts';

/** Names that volumes may be attached by. Nitro instances take them and call the devices otherwise. */
export const deviceNames = 'fghijklmnopqrstuvwxyz'.split('').map((letter) => `/dev/sd${letter}`);

/** The region as the shared steps of workers see it. */
export function cloudApi(context: SourceContext): WorkerCloud {
  const { cloud, recent, timing, clock, random } = context;
  return {
    timing,
    clock,
    random,
    entryDetails: {},
    volumes: {
      list: async (labels, signal) => (await listVolumes(cloud, tagFilters(labels), signal)).map(asVolume),
      get: async (id, signal) =>
        (await findVolume(context, id, signal)) ?? (recent.has(id) ? unlistedVolume(id) : undefined),
    },
    servers: {
      async get(id, signal) {
        const instance = await findServer(context, id, signal);
        return instance === undefined ? (recent.has(id) ? unlistedServer(id) : undefined) : asServer(instance);
      },
      async attach(id, volumeId, signal) {
        const taken =
          (await findInstance(cloud, id, signal))?.BlockDeviceMappings?.map(({ DeviceName: name }) => name) ?? [];
        const device = deviceNames.find((name) => !taken.includes(name));
        if (device === undefined)
          throw new CausewayError(
            'cloud.quota-exceeded',
            `worker ${id} has ${taken.length} volumes and takes no more`,
            { details: { serverId: id, volumeId } },
          );
        await untilKnown(context, () => attachVolume(cloud, id, volumeId, device, signal), signal);
      },
      detach: (id, volumeId, signal) => detachVolume(cloud, id, volumeId, signal),
    },
    deleterFor: (entry) => deleterFor(context, entry),
  };
}

/** The place, from 1, of an attached volume among those of an instance. */
export async function deviceOrder(
  { cloud }: SourceContext,
  instanceId: string,
  volumeId: string,
  signal: AbortSignal,
): Promise<number> {
  const [volume] = await listVolumes(cloud, [{ Name: 'volume-id', Values: [volumeId] }], signal);
  const device = volume?.Attachments?.find(({ InstanceId: id }) => id === instanceId)?.Device ?? '';
  const place = deviceNames.indexOf(device);
  if (place < 0)
    throw new CausewayError(
      'cloud.unexpected-answer',
      `volume ${volumeId} is attached to ${instanceId} as "${device}", which was not asked for`,
      { details: { volumeId, serverId: instanceId } },
    );
  return place + 1;
}

/** How each kind of resource of a worker is found and removed. */
function deleterFor(context: SourceContext, entry: LedgerEntry): ResourceDeleter {
  const { cloud } = context;
  const simple = simpleDeleters(context, entry);
  const tagged = tagFilters(entryLabel(entry));
  switch (entry.kind) {
    case 'server': {
      const get = async (id: string, signal: AbortSignal): Promise<Instance | undefined> => {
        const instance = await findServer(context, id, signal);
        return instance?.State?.Name === 'terminated' ? undefined : instance;
      };
      return simple(
        get,
        async (signal) => (await listInstances(cloud, tagged, signal))[0]?.InstanceId,
        (id, signal) =>
          removeKnown(
            context,
            id,
            () => terminateInstance(cloud, id, signal),
            () => get(id, signal),
          ),
      );
    }
    case 'volume': {
      const get = async (id: string, signal: AbortSignal): Promise<CloudVolume | undefined> => {
        const volume = await findVolume(context, id, signal);
        return volume?.state === 'going' ? undefined : volume;
      };
      return simple(
        get,
        async (signal) => (await listVolumes(cloud, tagged, signal))[0]?.VolumeId,
        async (id, signal) => {
          const volume = await findVolume(context, id, signal);
          if (volume?.serverId !== undefined) {
            await detachVolume(cloud, volume.serverId, id, signal);
            throw new CausewayError('cloud.conflict', `volume ${id} is still attached to ${volume.serverId}`);
          }
          await removeKnown(
            context,
            id,
            () => deleteVolume(cloud, id, signal),
            () => get(id, signal),
          );
        },
      );
    }
    case 'security-group': {
      const get = async (id: string, signal: AbortSignal) =>
        (await listSecurityGroups(cloud, [{ Name: 'group-id', Values: [id] }], signal))[0];
      return simple(
        get,
        async (signal) =>
          (await listSecurityGroups(cloud, [{ Name: 'group-name', Values: [nameOf(entry)] }], signal))[0]?.GroupId,
        (id, signal) =>
          removeKnown(
            context,
            id,
            () => deleteSecurityGroup(cloud, id, signal),
            () => get(id, signal),
          ),
      );
    }
    case 'attachment':
      return attachmentDeleter(cloudApi(context), entry);
    default:
      throw new CausewayError(
        'general.invalid-input',
        `the large public cloud has no resources of kind ${entry.kind}`,
        { details: { kind: entry.kind, name: entry.name } },
      );
  }
}

async function findVolume(
  { cloud, recent }: SourceContext,
  id: string,
  signal: AbortSignal,
): Promise<CloudVolume | undefined> {
  const volume = (await listVolumes(cloud, [{ Name: 'volume-id', Values: [id] }], signal))[0];
  if (volume === undefined) return undefined;
  recent.saw(id);
  return asVolume(volume);
}

async function findServer(
  { cloud, recent }: SourceContext,
  id: string,
  signal: AbortSignal,
): Promise<Instance | undefined> {
  const instance = await findInstance(cloud, id, signal);
  if (instance !== undefined) recent.saw(id);
  return instance;
}

const notListed = 'not listed yet';
const unlistedVolume = (id: string): CloudVolume => ({
  id,
  name: id,
  state: 'changing',
  status: notListed,
  sizeGib: 0,
  type: undefined,
  zone: undefined,
  serverId: undefined,
  labels: {},
});
const unlistedServer = (id: string): CloudServer => ({
  id,
  name: id,
  state: 'changing',
  status: notListed,
  problem: undefined,
  labels: {},
});

export function asVolume({
  VolumeId: id = '',
  State: said,
  Size: sizeGib = 0,
  VolumeType: type,
  AvailabilityZone: zone,
  Attachments: attachments,
  Tags: tags,
}: Volume): CloudVolume {
  const status: string = said ?? 'unknown';
  const attachment = attachments?.find(({ State: state }) => state !== 'detached');
  return {
    id,
    name: nameTag(tags) ?? id,
    state: volumeState(status, attachment?.State),
    status: attachment?.State ?? status,
    sizeGib,
    type,
    zone,
    serverId: attachment?.InstanceId,
    labels: labelsOf(tags),
  };
}

function volumeState(status: string, attachment: string | undefined): VolumeState {
  if (status === 'error') return 'failed';
  if (status === 'deleting' || status === 'deleted') return 'going';
  if (status === 'available') return 'available';
  return status === 'in-use' && (attachment === 'attached' || attachment === 'busy') ? 'attached' : 'changing';
}

export function asServer({
  InstanceId: id = '',
  State: state,
  StateReason: reason,
  Tags: tags,
}: Instance): CloudServer {
  const status = state?.Name ?? 'unknown';
  // The service ends an instance that it could not start, and says why.
  const isFailed = status === 'terminated' && reason?.Code?.startsWith('Server.') === true;
  const states: Readonly<Record<string, ServerState>> = {
    pending: 'changing',
    running: 'running',
    stopping: 'off',
    stopped: 'off',
    'shutting-down': 'gone',
    terminated: 'gone',
  };
  return {
    id,
    name: nameTag(tags) ?? id,
    state: isFailed ? 'failed' : (states[status] ?? 'changing'),
    status,
    problem: isFailed ? reason.Message : undefined,
    labels: labelsOf(tags),
  };
}
