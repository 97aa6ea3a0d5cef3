import { CausewayError } from '../../../../../../shared/model/causeway-error.ts';
import { cloneTypes } from '../../../../../../shared/plugins/server-virtualization-manager/clone-type.ts';
import { labelKeys, labelValue, managedBy } from '../../../../cloud-resources/labels.ts';
import { ensureResource, entryLabel, nameOf, ownerLabel } from '../../../../cloud-resources/ledgered-resource.ts';
import type { LedgerEntry } from '../../../../ports/ledger.ts';
import { renameDisk } from '../../client/changes.ts';
import { cloneByFirstType, instant, isRefused } from '../../client/clone-types.ts';
import { cloneWindow, lostClone } from '../../client/lost-clones.ts';
import type { Manager } from '../../client/open-manager.ts';
import { nameOfObject, type OvmDisk } from '../../client/shapes.ts';
import { ledgerName, tagText } from '../../client/created.ts';
import type { VmDisk, VmParts } from '../inventory.ts';
import { ledgerOf, type SourceContext } from '../source-context.ts';

const cloneKey = (tag: string, diskId: string): string => `${tag}/${diskId}/clone`;

/**
 * The ways of cloning to try, in this order.
 *
 * @throws `source.unsupported` for a running VM that is not to be cloned at once
 */
export function cloneTypesFor(wanted: string | undefined, vm: VmParts['vm']): readonly string[] {
  const first = wanted === undefined || wanted === '' ? instant : wanted;
  const isOff = vm.vmRunState === 'STOPPED';
  if (isOff) return [first, ...cloneTypes.filter((each) => each !== first)];
  if (first === instant) return [first];
  throw new CausewayError(
    'source.unsupported',
    `VM ${nameOfObject(vm)} is ${vm.vmRunState.toLowerCase()}, and ${first} copies a disk while the guest writes to it: stop the VM, or choose ${instant}`,
    {
      details: { parameter: 'virtual_disk_clone_type', vmId: vm.id.value },
    },
  );
}

/** The id of a copy of a disk, under the name of its entry in the ledger. */
export async function ensureClone(
  context: SourceContext,
  tag: string,
  { disk }: VmDisk,
  repositoryId: string,
  types: readonly string[],
  signal: AbortSignal,
): Promise<string> {
  const { manager, use } = context;
  const ledger = ledgerOf(context);
  const key = cloneKey(tag, disk.id.value);
  const window = ledger.find('volume', key) === undefined ? await cloneWindow(manager, signal) : {};
  const { resource } = await ensureResource<{ readonly id: string }>(
    manager,
    ledger,
    {
      kind: 'volume',
      key,
      lifetime: 'replica',
      details: {
        originId: disk.id.value,
        originName: nameOfObject(disk),
        sizeBytes: disk.size,
        repositoryId,
        ...window,
      },
    },
    {
      find: (entry, within) => findClone(manager, entry, within),
      get: async (id, _entry, within) => ((await manager.disks.get(id, within)) === undefined ? undefined : { id }),
      async create(entry, within) {
        const made = await cloneByFirstType(
          manager,
          disk,
          repositoryId,
          types,
          (message) => use?.note?.(message, { diskId: disk.id.value }),
          within,
        ).catch((error: unknown) => {
          throw isRefused(error) ? notCloned(error, types) : error;
        });
        return named(manager, made, entry, within);
      },
    },
    signal,
  );
  return resource.id;
}

function notCloned(error: CausewayError, types: readonly string[]): CausewayError {
  const advice =
    types.at(-1) === instant
      ? '. Stop the VM, so that its disks can be copied in another way, or choose a repository on which thin clones work'
      : '';
  return new CausewayError('source.snapshot-failed', `${error.message}${advice}`, {
    details: { ...error.details, parameter: 'virtual_disk_clone_type' },
    cause: error,
  });
}

/** The copy of an entry: by its name, or, if it has none yet, by the job that made it. */
export async function findClone(
  manager: Manager,
  entry: LedgerEntry,
  signal: AbortSignal,
): Promise<{ readonly id: string } | undefined> {
  const byName = (await manager.disks.list(signal)).find(({ name }) => name === nameOf(entry));
  if (byName !== undefined) return { id: byName.id.value };
  const { originId, originName, sizeBytes, repositoryId } = entry.details;
  if (entry.resourceId !== undefined) return undefined;
  const lost = await lostClone(
    manager,
    entry.details,
    [{ id: String(originId), name: String(originName) }],
    async (id, within) => {
      const disk = await manager.disks.get(id, within);
      const isIt =
        disk !== undefined &&
        disk.id.value !== originId &&
        !ledgerName.test(disk.name ?? '') &&
        disk.size === sizeBytes &&
        disk.repositoryId?.value === repositoryId &&
        disk.vmDiskMappingIds.length === 0;
      return isIt ? disk : undefined;
    },
    signal,
  );
  return lost === undefined ? undefined : named(manager, lost, entry, signal);
}

async function named(
  manager: Manager,
  disk: OvmDisk,
  entry: LedgerEntry,
  signal: AbortSignal,
): Promise<{ readonly id: string }> {
  const tags = {
    [labelKeys.managedBy]: managedBy,
    ...entryLabel(entry),
    ...(entry.replicaId === undefined ? {} : { [labelKeys.replica]: labelValue(entry.replicaId) }),
    ...ownerLabel(entry),
  };
  await renameDisk(manager, disk.id.value, nameOf(entry), tagText(tags), signal);
  return { id: disk.id.value };
}
