import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import type { CloudApi, ResourceDeleter } from '../../../cloud-resources/cloud-api.ts';
import { hasLabels, labelKeys } from '../../../cloud-resources/labels.ts';
import { deleteAndWait, entryLabel, nameOf } from '../../../cloud-resources/ledgered-resource.ts';
import { managedOf } from '../../../cloud-resources/managed-resources.ts';
import { attachmentDeleter } from '../../../cloud-resources/own-vm.ts';
import { simpleDeleters } from '../../../cloud-resources/resource-deletion.ts';
import { freeVolume } from '../../../cloud-resources/volume-attachments.ts';
import type { ManagedResource } from '../../../ports/destination-platform.ts';
import type { LedgerEntry, ResourceKind } from '../../../ports/ledger.ts';
import { securityKinds, type SecurityKind } from '../client/network.ts';
import { isTagged, labelsIn, labelsOf, lastPart } from '../client/object-names.ts';
import type { Classic } from '../client/open-classic.ts';
import { asServer, asSnapshot, asVolume, cloudCalls, type VolumeWork } from './cloud-calls.ts';

/** An account with everything that the shared steps need. */
export function cloudApi(classic: Classic, work: VolumeWork = {}): CloudApi {
  return { ...cloudCalls(classic, work), deleterFor: (entry) => deleterFor(classic, entry) };
}

/** What the ledger calls the objects that let somebody in. */
export const securityEntries: Readonly<Record<SecurityKind, ResourceKind>> = {
  secrule: 'security-group-rule',
  seclist: 'security-group',
  seciplist: 'other',
  secapplication: 'other',
};

/** How each kind of resource is found and removed. */
export function deleterFor(classic: Classic, entry: LedgerEntry): ResourceDeleter {
  const { storage, compute, network } = classic;
  const simple = simpleDeleters(classic, entry);
  const label = entryLabel(entry);
  const ours = (each: { readonly tags?: readonly string[] | null | undefined }): boolean => isTagged(each, label);
  switch (entry.kind) {
    case 'volume':
      return {
        findId: async (s) => (await storage.volumes(s)).find(ours)?.name,
        isThere: async (id, s) => (await storage.volume(id, s)) !== undefined,
        remove: (id, s) => removeVolume(classic, entry, id, s),
      };
    case 'volume-snapshot':
      return {
        findId: async (s) => (await storage.snapshots(s)).find(ours)?.name,
        isThere: async (id, s) => (await storage.snapshot(id, s)) !== undefined,
        remove: (id, s) =>
          deleteAndWait(
            classic,
            `snapshot ${id}`,
            {
              remove: (within) => storage.deleteSnapshot(id, within),
              get: (within) => storage.snapshot(id, within),
              cameBack: (snapshot) => asSnapshot(snapshot).state !== 'changing',
            },
            s,
          ),
      };
    case 'server':
      return {
        findId: async (s) => (await compute.instances(s)).find(ours)?.name,
        isThere: async (id, s) => (await compute.instance(id, s)) !== undefined,
        remove: (id, s) =>
          deleteAndWait(
            classic,
            `instance ${id}`,
            {
              remove: (within) => compute.deleteInstance(id, within),
              get: (within) => compute.instance(id, within),
              cameBack: (instance) => ['running', 'failed'].includes(asServer(instance).state),
            },
            s,
          ),
      };
    case 'attachment':
      return attachmentDeleter(cloudCalls(classic), entry);
    case 'public-ip':
      return simple(
        (id, s) => network.reservation(id, s),
        async (s) => (await network.reservations(s)).find(ours)?.name,
        (id, s) => network.releaseReservation(id, s),
      );
    case 'security-group':
    case 'security-group-rule':
    case 'other': {
      const kind = securityKindOf(entry);
      return simple(
        (id, s) => network.findSecurity(kind, id, s),
        async (s) => {
          const found = await network.findSecurity(kind, nameOf(entry), s);
          return found !== undefined && hasLabels({ labels: labelsIn(found.description) }, label)
            ? found.name
            : undefined;
        },
        (id, s) => network.deleteSecurity(kind, id, s),
      );
    }
    default:
      throw new CausewayError(
        'general.invalid-input',
        `the classic infrastructure cloud has no resources of kind ${entry.kind}`,
        { details: { kind: entry.kind, name: entry.name } },
      );
  }
}

function securityKindOf({ kind, details, name }: LedgerEntry): SecurityKind {
  const found = securityKinds.find((each) =>
    kind === 'other' ? details['collection'] === each : securityEntries[each] === kind,
  );
  if (found !== undefined) return found;
  throw new CausewayError('general.invalid-input', `the entry ${name} does not say what it is of`, {
    details: { kind, name },
  });
}

async function removeVolume(classic: Classic, entry: LedgerEntry, id: string, signal: AbortSignal): Promise<void> {
  const holder = {
    replicaId: entry.replicaId ?? '',
    note: () => undefined,
    ledger: entry.owner === undefined ? {} : { owner: entry.owner },
  };
  await freeVolume(cloudCalls(classic), holder, id, undefined, signal);
  await deleteAndWait(
    classic,
    `volume ${id}`,
    {
      async remove(s) {
        const now = await classic.storage.volume(id, s);
        if (now !== undefined && asVolume(now, []).state !== 'going') await classic.storage.deleteVolume(id, s);
      },
      get: (s) => classic.storage.volume(id, s),
      cameBack: (volume) => ['available', 'failed'].includes(asVolume(volume, []).state),
    },
    signal,
  );
}

/** Everything in the account that carries our tags; what has no tags carries them in its description. */
export async function listManaged(
  { storage, compute, network }: Classic,
  signal: AbortSignal,
): Promise<readonly ManagedResource[]> {
  const tagged = (all: readonly { readonly name: string; readonly tags?: readonly string[] | null | undefined }[]) =>
    all.map(({ name, tags }) => ({ id: name, name: lastPart(name), labels: labelsOf(tags) }));
  const lists = [
    [
      'server',
      tagged(await compute.instances(signal)).map((each) => ({ ...each, name: each.id.split('/')[3] ?? each.name })),
    ],
    ['volume', tagged(await storage.volumes(signal))],
    ['volume-snapshot', tagged(await storage.snapshots(signal))],
    ['public-ip', tagged(await network.reservations(signal))],
  ] as const;
  const found = [...managedOf(lists)];
  for (const kind of securityKinds) {
    const all = (await network.security(kind, signal)).map(({ name, description }) => ({
      id: name,
      name: lastPart(name),
      labels: labelsIn(description),
    }));
    found.push(
      ...managedOf([[securityEntries[kind], all]], () =>
        securityEntries[kind] === 'other' ? { collection: kind } : {},
      ),
    );
  }
  return found;
}

/** What a worker carries and a migrated VM does not. */
export const isWorker = ({ tags }: { readonly tags?: readonly string[] | null | undefined }): boolean =>
  labelsOf(tags)[labelKeys.role] !== undefined;

/** The pool of storage that a volume is in. */
export const poolOfVolume = ({
  properties,
}: {
  readonly properties?: readonly string[] | null | undefined;
}): string | undefined => properties?.find((each) => each.startsWith('/oracle/public/storage/'));
