import type {
  CloudCalls,
  CloudServer,
  CloudSnapshot,
  CloudVolume,
  ServerState,
  VolumeState,
} from '../../../cloud-resources/cloud-api.ts';
import type { Server } from '../client/servers.ts';
import type { CloudSnapshot as ApiSnapshot, CloudVolume as ApiVolume } from '../client/volume.ts';
import { busyAsConflict } from './busy-error.ts';
import type { OpenStackSession } from './context.ts';

/** The endpoint's project as the shared steps of a destination see it. */
export function cloudCalls(session: OpenStackSession): CloudCalls {
  const { timing, clock, random } = session;
  const { volume, compute } = session.cloud;
  return {
    timing,
    clock,
    random,
    entryDetails: {},
    // Ceph's snapshots can't be deleted while volumes that were made from them live (seen with its usual settings).
    copiesFrom: 'volume',
    largestVolumeGib: undefined,
    volumes: {
      list: async (metadata, signal) => (await volume.volumes.list({ metadata }, signal)).map(asVolume),
      get: async (id, signal) => mapped(await volume.volumes.get(id, signal), asVolume),
      async create({ name, sizeGib, type, zone, contentOf, labels }, signal) {
        const created = await volume.volumes.create(
          {
            name,
            size: sizeGib,
            ...(type === undefined ? {} : { volume_type: type }),
            ...(zone === undefined ? {} : { availability_zone: zone }),
            ...(contentOf === undefined
              ? {}
              : 'snapshotId' in contentOf
                ? { snapshot_id: contentOf.snapshotId }
                : { source_volid: contentOf.volumeId }),
            metadata: labels,
          },
          signal,
        );
        return asVolume(created);
      },
      async label(id, labels, signal) {
        await volume.volumes.setMetadata(id, labels, signal);
        const now = await volume.volumes.get(id, signal);
        return asVolume(now ?? { id, status: 'deleted', size: 0, metadata: labels, attachments: [] });
      },
      grow: (id, sizeGib, signal) => busyAsConflict(volume.volumes.extend(id, sizeGib, signal)),
      revert: (id, snapshotId, signal) => busyAsConflict(volume.volumes.revert(id, snapshotId, signal)),
      // A server that is deleted before a host took it leaves its volumes reserved.
      async forgetGone(id, signal) {
        for (const attachment of await volume.attachments.list(id, signal)) {
          const { instance } = attachment;
          if (typeof instance !== 'string' || (await compute.servers.get(instance, signal)) !== undefined) continue;
          await volume.attachments.delete(attachment.id, signal);
        }
      },
      delete: (id, signal) => busyAsConflict(volume.volumes.delete(id, signal)),
    },
    snapshots: {
      list: async (metadata, signal) => (await volume.snapshots.list({ metadata }, signal)).map(asSnapshot),
      get: async (id, signal) => mapped(await volume.snapshots.get(id, signal), asSnapshot),
      create: async ({ volumeId, name, labels }, signal) =>
        asSnapshot(
          await busyAsConflict(
            volume.snapshots.create({ volume_id: volumeId, name, force: false, metadata: labels }, signal),
          ),
        ),
      delete: (id, signal) => busyAsConflict(volume.snapshots.delete(id, signal)),
    },
    servers: {
      get: async (id, signal) => mapped(await compute.servers.get(id, signal), asServer),
      attach: (id, volumeId, signal) => busyAsConflict(compute.servers.attach(id, volumeId, signal)),
      detach: (id, volumeId, signal) => busyAsConflict(compute.servers.detach(id, volumeId, signal)),
    },
  };
}

function mapped<T, R>(value: T | undefined, map: (value: T) => R): R | undefined {
  return value === undefined ? undefined : map(value);
}

/** Statuses are an open set; every failed one starts like this. */
function volumeState(status: string): VolumeState {
  if (status.startsWith('error')) return 'failed';
  if (status === 'deleted' || status === 'deleting') return 'going';
  if (status === 'available') return 'available';
  return status === 'in-use' ? 'attached' : 'changing';
}

export function asVolume(volume: ApiVolume): CloudVolume {
  const { id, name, status, size, volume_type, availability_zone, attachments, metadata } = volume;
  return {
    id,
    name: name ?? id,
    state: volumeState(status),
    status,
    sizeGib: size,
    type: volume_type ?? undefined,
    zone: availability_zone ?? undefined,
    serverId: attachments.find((each) => typeof each.server_id === 'string')?.server_id ?? undefined,
    labels: metadata,
  };
}

function asSnapshot({ id, status, metadata }: ApiSnapshot): CloudSnapshot {
  return {
    id,
    status,
    labels: metadata,
    state: status.startsWith('error') ? 'failed' : status === 'available' ? 'available' : 'changing',
  };
}

const changingStatuses = ['BUILD', 'REBUILD', 'REBOOT', 'HARD_REBOOT'];

function serverState(server: Server): ServerState {
  const { status } = server;
  if (status === 'ERROR') return 'failed';
  if (status === 'DELETED' || status === 'SOFT_DELETED') return 'gone';
  if (server['OS-EXT-STS:task_state'] === 'deleting') return 'off';
  if (status === 'ACTIVE') return 'running';
  return changingStatuses.includes(status) ? 'changing' : 'off';
}

export function asServer(server: Server): CloudServer {
  const { id, name, status, fault, metadata } = server;
  return { id, name, state: serverState(server), status, problem: fault?.message, labels: metadata };
}
