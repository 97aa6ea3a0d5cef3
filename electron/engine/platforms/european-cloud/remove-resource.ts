import { CausewayError } from '../../../../shared/model/causeway-error.ts';
import { detachVolume, freeVolume } from '../../cloud-resources/volume-attachments.ts';
import type { ResourceDeleter } from '../../cloud-resources/cloud-api.ts';
import { hasLabels, labelKeys } from '../../cloud-resources/labels.ts';
import { entryLabel, nameOf, deleteAndWait } from '../../cloud-resources/ledgered-resource.ts';
import { attachmentDeleter } from '../../cloud-resources/own-vm.ts';
import { simpleDeleters } from '../../cloud-resources/resource-deletion.ts';
import { findVolume } from '../../cloud-resources/volume-state.ts';
import type { LedgerEntry } from '../../ports/ledger.ts';
import type { Iaas } from './iaas/iaas.ts';
import { cloudCalls } from './cloud-calls.ts';
import type { CloudSession } from './session.ts';

/** How each kind of resource is found and removed. An entry's details say in which project, network or group it is. */
export function deleterFor(session: CloudSession, entry: LedgerEntry): ResourceDeleter {
  const iaas = session.iaas(detail(entry, 'project'));
  const label = entryLabel(entry);
  const labelled = <T extends { id: string; labels: Record<string, unknown> }>(
    list: readonly T[],
  ): string | undefined => list.find((each) => hasLabels(each, label))?.id;
  const simple = simpleDeleters(session, entry);
  switch (entry.kind) {
    case 'volume':
      return {
        ...simple(
          (id, s) => iaas.volumes.get(id, s),
          async (s) => (await findVolume(cloudCalls(session, iaas), entry, s))?.id,
          (id, s) => iaas.volumes.delete(id, s),
        ),
        remove: (id, signal) => removeVolume(session, iaas, entry, id, signal),
      };
    case 'server':
      return {
        ...simple(
          (id, s) => iaas.servers.get(id, s),
          async (s) => labelled(await iaas.servers.list(label, s)),
          (id, s) => iaas.servers.delete(id, s),
        ),
        remove: (id, signal) => removeServer(session, iaas, id, signal),
      };
    case 'volume-snapshot':
      return simple(
        (id, s) => iaas.snapshots.get(id, s),
        async (s) => labelled(await iaas.snapshots.list(label, s)),
        async (id, s) => {
          // A killed process requested its creation; a deletion now would be refused permanently.
          const snapshot = await iaas.snapshots.get(id, s);
          if (snapshot?.status === 'CREATING')
            throw new CausewayError('cloud.conflict', `snapshot ${id} is still being created`);
          await iaas.snapshots.delete(id, s);
        },
      );
    case 'nic':
      return simple(
        (id, s) => iaas.nics.get(id, s),
        async (s) => labelled(await iaas.nics.list(label, s)),
        (id, s) => iaas.nics.delete(detail(entry, 'networkId') ?? '', id, s),
      );
    case 'public-ip':
      return simple(
        (id, s) => iaas.publicIps.get(id, s),
        async (s) => labelled(await iaas.publicIps.list(label, s)),
        (id, s) => iaas.publicIps.delete(id, s),
      );
    case 'security-group':
      return simple(
        (id, s) => iaas.securityGroups.get(id, s),
        async (s) => labelled(await iaas.securityGroups.list(label, s)),
        (id, s) => iaas.securityGroups.delete(id, s),
      );
    case 'security-group-rule': {
      const groupId = detail(entry, 'groupId') ?? '';
      const rules = (s: AbortSignal): ReturnType<typeof iaas.securityGroups.rules> =>
        iaas.securityGroups.rules(groupId, s);
      return simple(
        async (id, s) => (await rules(s)).find((rule) => rule.id === id),
        async (s) => (await rules(s)).find((rule) => rule.description === nameOf(entry))?.id,
        (id, s) => iaas.securityGroups.deleteRule(groupId, id, s),
      );
    }
    case 'attachment':
      return attachmentDeleter(cloudCalls(session, iaas), entry);
    default:
      throw new CausewayError('general.invalid-input', `the European cloud has no resources of kind ${entry.kind}`, {
        details: { kind: entry.kind, name: entry.name },
      });
  }
}

async function removeVolume(
  session: CloudSession,
  iaas: Iaas,
  entry: LedgerEntry,
  id: string,
  signal: AbortSignal,
): Promise<void> {
  await freeVolume(
    cloudCalls(session, iaas),
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
    session,
    `volume ${id}`,
    { remove: (s) => iaas.volumes.delete(id, s), get: (s) => iaas.volumes.get(id, s) },
    signal,
  );
}

/** Detaches what is attached, deletes the server, waits, and makes sure that a worker's boot volume went with it. */
async function removeServer(session: CloudSession, iaas: Iaas, id: string, signal: AbortSignal): Promise<void> {
  const server = await iaas.servers.get(id, signal);
  if (server === undefined) return;
  const bootVolumeId = server.bootVolume?.id;
  for (const volumeId of await iaas.servers.attachedVolumes(id, signal)) {
    if (volumeId === bootVolumeId) continue;
    try {
      await detachVolume(cloudCalls(session, iaas), id, volumeId, signal);
    } catch {
      // The server's removal frees its volumes as well; a hanging detachment must not keep the worker alive.
      signal.throwIfAborted();
    }
  }
  await deleteAndWait(
    session,
    `server ${id}`,
    { remove: (s) => iaas.servers.delete(id, s), get: (s) => iaas.servers.get(id, s) },
    signal,
  );
  const isWorker = server.labels[labelKeys.role] !== undefined;
  if (!isWorker || bootVolumeId === undefined) return;
  const left = await iaas.volumes.get(bootVolumeId, signal);
  if (left === undefined || left.status === 'DELETING') return;
  await deleteAndWait(
    session,
    `boot volume ${bootVolumeId}`,
    { remove: (s) => iaas.volumes.delete(bootVolumeId, s), get: (s) => iaas.volumes.get(bootVolumeId, s) },
    signal,
  );
}

function detail(entry: LedgerEntry, key: string): string | undefined {
  const value = entry.details[key];
  return typeof value === 'string' ? value : undefined;
}
