import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import { detachVolume, freeVolume } from '../../../cloud-resources/volume-attachments.ts';
import type { CloudCalls, ResourceDeleter } from '../../../cloud-resources/cloud-api.ts';
import { hasLabels, labelKeys, labelValue, managedBy } from '../../../cloud-resources/labels.ts';
import { entryLabel, nameOf, deleteAndWait } from '../../../cloud-resources/ledgered-resource.ts';
import { attachmentDeleter } from '../../../cloud-resources/own-vm.ts';
import { simpleDeleters } from '../../../cloud-resources/resource-deletion.ts';
import { findVolume } from '../../../cloud-resources/volume-state.ts';
import type { LedgerEntry } from '../../../ports/ledger.ts';
import type { Server } from '../client/servers.ts';
import type { OpenStackSession } from './context.ts';
import { isTaggedFor } from './description-tags.ts';
import { cloudCalls } from './cloud-calls.ts';

/** A guest that does not answer must not keep its worker alive for long. */
const longestDetachMs = 60_000;

/** How each kind of resource is found and removed. An entry's details say in which group a rule is. */
export function deleterFor(session: OpenStackSession, entry: LedgerEntry): ResourceDeleter {
  const { network } = session.cloud;
  const cloud = cloudCalls(session);
  const label = entryLabel(entry);
  const name = nameOf(entry);
  const described = <T extends { readonly id: string; readonly description?: string | null | undefined }>(
    list: readonly T[],
  ): string | undefined => list.find((each) => isTaggedFor(each.description, label))?.id;
  const simple = simpleDeleters(session, entry);
  switch (entry.kind) {
    case 'volume':
      return {
        ...simple(
          (id, s) => cloud.volumes.get(id, s),
          async (s) => (await findVolume(cloud, entry, s))?.id,
          (id, s) => cloud.volumes.delete(id, s),
        ),
        remove: (id, signal) => removeVolume(session, cloud, entry, id, signal),
      };
    case 'volume-snapshot':
      return {
        ...simple(
          (id, s) => cloud.snapshots.get(id, s),
          async (s) => (await cloud.snapshots.list(label, s)).find((each) => hasLabels(each, label))?.id,
          (id, s) => cloud.snapshots.delete(id, s),
        ),
        remove: (id, signal) => removeSnapshot(cloud, id, signal),
      };
    case 'server':
      return {
        findId: async (s) => (await findServer(session, entry, s))?.id,
        isThere: async (id, s) => (await cloud.servers.get(id, s)) !== undefined,
        remove: (id, signal) => removeServer(session, cloud, id, signal),
      };
    case 'nic':
      return simple(
        (id, s) => network.port(id, s),
        async (s) => described(await network.ports({ name }, s)),
        (id, s) => network.deletePort(id, s),
      );
    case 'public-ip':
      return simple(
        (id, s) => network.floatingIp(id, s),
        async (s) => described(await network.floatingIps({}, s)),
        (id, s) => network.deleteFloatingIp(id, s),
      );
    case 'security-group':
      return simple(
        (id, s) => network.securityGroup(id, s),
        async (s) => described(await network.securityGroups({ name }, s)),
        (id, s) => network.deleteSecurityGroup(id, s),
      );
    case 'security-group-rule': {
      const groupId = typeof entry.details['groupId'] === 'string' ? entry.details['groupId'] : '';
      return simple(
        async (id, s) => (await network.rules(groupId, s)).find((rule) => rule.id === id),
        async (s) => described(await network.rules(groupId, s)),
        (id, s) => network.deleteRule(id, s),
      );
    }
    case 'attachment':
      return attachmentDeleter(cloud, entry);
    default:
      throw new CausewayError('general.invalid-input', `the open-source cloud has no resources of kind ${entry.kind}`, {
        details: { kind: entry.kind, name: entry.name },
      });
  }
}

/** The server of an entry: of its name, or of the migrated VM's, and with its metadata. */
export async function findServer(
  session: OpenStackSession,
  entry: LedgerEntry,
  signal: AbortSignal,
): Promise<Server | undefined> {
  const { serverName } = entry.details;
  const servers = await session.cloud.compute.servers.list(
    { name: typeof serverName === 'string' ? serverName : nameOf(entry) },
    signal,
  );
  return servers.find((server) => hasLabels({ labels: server.metadata }, entryLabel(entry)));
}

async function removeVolume(
  session: OpenStackSession,
  cloud: CloudCalls,
  entry: LedgerEntry,
  id: string,
  signal: AbortSignal,
): Promise<void> {
  if (entry.lifetime === 'temporary') await removeWorkerOf(session, cloud, entry, id, signal);
  await freeVolume(
    cloud,
    {
      replicaId: entry.replicaId ?? '',
      note: () => undefined,
      ledger: entry.owner === undefined ? {} : { owner: entry.owner },
    },
    id,
    undefined,
    signal,
  );
  await deleteAndWait(
    cloud,
    `volume ${id}`,
    {
      remove: (s) => cloud.volumes.delete(id, s),
      get: (s) => cloud.volumes.get(id, s),
      // What a storage back end still holds on to comes back, although its removal was accepted.
      cameBack: ({ state }) => state === 'available',
      failed: ({ state, status }) => (state === 'failed' ? status : undefined),
    },
    signal,
  );
}

/** A volume that a worker boots from can't be detached: the worker goes before it. */
async function removeWorkerOf(
  session: OpenStackSession,
  cloud: CloudCalls,
  entry: LedgerEntry,
  volumeId: string,
  signal: AbortSignal,
): Promise<void> {
  const serverId = (await cloud.volumes.get(volumeId, signal))?.serverId;
  const server = serverId === undefined ? undefined : await cloud.servers.get(serverId, signal);
  const ours = { [labelKeys.managedBy]: managedBy, [labelKeys.replica]: labelValue(entry.replicaId ?? '') };
  if (server !== undefined && server.labels[labelKeys.role] !== undefined && hasLabels(server, ours))
    await removeServer(session, cloud, server.id, signal);
}

async function removeSnapshot(cloud: CloudCalls, id: string, signal: AbortSignal): Promise<void> {
  await deleteAndWait(
    cloud,
    `snapshot ${id}`,
    {
      async remove(s) {
        // A killed process requested its creation: the service refuses to delete it until it exists.
        if ((await cloud.snapshots.get(id, s))?.status === 'creating')
          throw new CausewayError('cloud.conflict', `snapshot ${id} is still being created`);
        await cloud.snapshots.delete(id, s);
      },
      get: (s) => cloud.snapshots.get(id, s),
      cameBack: ({ state }) => state === 'available',
      failed: ({ state, status }) => (state === 'failed' ? status : undefined),
    },
    signal,
  );
}

/** Detaches what a worker has from it, deletes the server and waits. Volumes that are to go with a server go with it. */
async function removeServer(
  session: OpenStackSession,
  cloud: CloudCalls,
  id: string,
  signal: AbortSignal,
): Promise<void> {
  const server = await session.cloud.compute.servers.get(id, signal);
  if (server === undefined) return;
  const isWorker = server.metadata[labelKeys.role] !== undefined;
  if (isWorker && server.status === 'ACTIVE') {
    const patient: CloudCalls = {
      ...cloud,
      timing: { ...cloud.timing, attachMs: Math.min(cloud.timing.attachMs, longestDetachMs) },
    };
    // Not the boot volume, which can't be detached while the server runs.
    for (const { volumeId, device } of await session.cloud.compute.servers.attachments(id, signal)) {
      if (typeof device === 'string' && /^\/dev\/[a-z]*a$/.test(device)) continue;
      try {
        await detachVolume(patient, id, volumeId, signal);
      } catch {
        // The server's removal frees its volumes as well.
        signal.throwIfAborted();
      }
    }
  }
  await deleteAndWait(
    cloud,
    `server ${id}`,
    { remove: (s) => session.cloud.compute.servers.delete(id, s), get: (s) => cloud.servers.get(id, s) },
    signal,
  );
}
