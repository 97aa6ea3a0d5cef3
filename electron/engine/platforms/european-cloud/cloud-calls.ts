import { CausewayError } from '../../../../shared/model/causeway-error.ts';
import type { Caller } from '../../workers/caller-address.ts';
import type {
  CloudCalls,
  CloudServer,
  CloudSnapshot,
  CloudVolume,
  NewCloudVolume,
  ServerState,
  VolumeState,
} from '../../cloud-resources/cloud-api.ts';
import { followRequest } from './follow-request.ts';
import type { Iaas } from './iaas/iaas.ts';
import type { CloudServer as ApiServer } from './iaas/servers.ts';
import type { CloudSnapshot as ApiSnapshot } from './iaas/snapshots.ts';
import type { CloudVolume as ApiVolume } from './iaas/volumes.ts';
import type { CloudSession } from './session.ts';

/** The API's limit for one volume. */
export const largestVolumeGib = 16_000;

/** A project of the European cloud as the shared steps of a destination see it. */
export function cloudCalls(session: CloudSession, iaas: Iaas): CloudCalls {
  const { timing, clock, random } = session;
  return {
    timing,
    clock,
    random,
    entryDetails: { project: iaas.projectId },
    copiesFrom: 'snapshot',
    largestVolumeGib,
    volumes: {
      list: async (labels, signal) => (await iaas.volumes.list(labels, signal)).map(asVolume),
      get: async (id, signal) => mapped(await iaas.volumes.get(id, signal), asVolume),
      async create({ name, sizeGib, type, zone, contentOf, labels }, signal) {
        if (zone === undefined) throw new CausewayError('general.bug', `volume ${name}: no zone`);
        const created = await iaas.volumes.create(
          {
            name,
            availabilityZone: zone,
            ...(contentOf === undefined ? { size: sizeGib } : { source: sourceOf(contentOf) }),
            ...(type === undefined ? {} : { performanceClass: type }),
            labels,
          },
          signal,
        );
        return asVolume(created);
      },
      label: async (id, labels, signal) => asVolume(await iaas.volumes.change(id, { labels }, signal)),
      grow: (id, sizeGib, signal) => iaas.volumes.resize(id, sizeGib, signal),
      delete: (id, signal) => iaas.volumes.delete(id, signal),
    },
    snapshots: {
      list: async (labels, signal) => (await iaas.snapshots.list(labels, signal)).map(asSnapshot),
      get: async (id, signal) => mapped(await iaas.snapshots.get(id, signal), asSnapshot),
      create: async (snapshot, signal) => asSnapshot(await iaas.snapshots.create(snapshot, signal)),
      delete: (id, signal) => iaas.snapshots.delete(id, signal),
    },
    servers: {
      get: async (id, signal) => mapped(await iaas.servers.get(id, signal), asServer),
      async attach(id, volumeId, signal) {
        const accepted = await iaas.servers.attach(id, volumeId, signal);
        await followRequest(session, iaas, `attach volume ${volumeId} to server ${id}`, accepted, signal);
      },
      async detach(id, volumeId, signal) {
        const accepted = await iaas.servers.detach(id, volumeId, signal);
        if (accepted !== undefined)
          await followRequest(session, iaas, `detach volume ${volumeId} from server ${id}`, accepted, signal);
      },
    },
  };
}

function sourceOf(content: NonNullable<NewCloudVolume['contentOf']>): {
  readonly type: 'snapshot' | 'volume';
  readonly id: string;
} {
  return 'snapshotId' in content
    ? { type: 'snapshot', id: content.snapshotId }
    : { type: 'volume', id: content.volumeId };
}

/** How this computer will reach workers, as far as the endpoint knows. */
export function callerOf({ connection, context }: CloudSession): Caller {
  return {
    addresses: connection.callerAddresses,
    egressAddress: context.egressAddress,
    publicHost: new URL(connection.iaasUrl).hostname,
  };
}

function mapped<T, R>(value: T | undefined, map: (value: T) => R): R | undefined {
  return value === undefined ? undefined : map(value);
}

/** Statuses are an open set; every failed one starts like this. */
function volumeState(status: string): VolumeState {
  if (status.toUpperCase().startsWith('ERROR')) return 'failed';
  if (status === 'DELETED' || status === 'DELETING') return 'going';
  if (status === 'AVAILABLE') return 'available';
  return status === 'ATTACHED' ? 'attached' : 'changing';
}

function asVolume(volume: ApiVolume): CloudVolume {
  const { id, name, status, size, performanceClass, availabilityZone, serverId, labels } = volume;
  return {
    id,
    name: name ?? id,
    state: volumeState(status),
    status,
    sizeGib: size,
    type: performanceClass,
    zone: availabilityZone,
    serverId: typeof serverId === 'string' && serverId !== '' ? serverId : undefined,
    labels,
  };
}

function asSnapshot({ id, status, labels }: ApiSnapshot): CloudSnapshot {
  return {
    id,
    status,
    labels,
    state: status.startsWith('ERROR') ? 'failed' : status === 'AVAILABLE' ? 'available' : 'changing',
  };
}

const offStatuses = ['DELETING', 'INACTIVE', 'DEALLOCATED', 'DEALLOCATING', 'STOPPING', 'PAUSED', 'RESCUE', 'RESCUING'];

function serverState(server: ApiServer): ServerState {
  const status = server.status ?? '';
  if (status === 'ERROR') return 'failed';
  if (status === 'DELETED') return 'gone';
  if (offStatuses.includes(status)) return 'off';
  if (status !== 'ACTIVE') return 'changing';
  return ['CRASHED', 'STOPPED'].includes(server.powerStatus ?? '') ? 'off' : 'running';
}

export function asServer(server: ApiServer): CloudServer {
  return {
    id: server.id,
    name: server.name,
    state: serverState(server),
    status: server.status ?? 'unknown',
    problem: server.errorMessage ?? undefined,
    labels: server.labels,
  };
}
