import type { InventoryMachine } from '../../../shared/inventory/inventory.ts';
import { toErrorRecord, type ErrorRecord } from '../../../shared/model/causeway-error.ts';
import type { SourcePlatform } from '../ports/source-platform.ts';

/** How many machines are asked for at the same time: enough to hide the distance, few enough for any API's limits. */
const atOnce = 6;

export interface MachinesRead {
  readonly machines: InventoryMachine[];
  readonly failed: { readonly vm: string; readonly name: string; readonly error: ErrorRecord }[];
}

/**
 * Describes machines of a source, all of them or those with the given ids. One that can't be described is reported and does
 * not stop the others.
 */
export async function readMachines(
  source: SourcePlatform,
  ids: readonly string[] | undefined,
  signal: AbortSignal,
): Promise<MachinesRead> {
  const listed = await source.listVms(signal);
  const wanted = ids === undefined ? listed : listed.filter(({ id }) => ids.includes(id));
  // A host that is down has machines as well: it is named among what could not be read.
  const unlisted = (source.unlisted?.() ?? []).map(({ name, error }) => ({
    vm: name,
    name,
    error: toErrorRecord(error),
  }));
  const result: MachinesRead = { machines: [], failed: ids === undefined ? unlisted : [] };
  const waiting = wanted.values();
  const describe = async (): Promise<void> => {
    for (const { id, name, power, folder, cluster, tags } of waiting) {
      signal.throwIfAborted();
      try {
        const labels = labelsOf({ folder, cluster, tags: tags?.join(', ') });
        result.machines.push({
          vm: await source.describeVm(id, signal),
          power,
          ...(labels === undefined ? {} : { labels }),
        });
      } catch (error) {
        signal.throwIfAborted();
        result.failed.push({ vm: id, name, error: toErrorRecord(error) });
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, describe));
  return result;
}

/** As far as the platform says something. */
function labelsOf(
  said: Readonly<Record<'folder' | 'cluster' | 'tags', string | undefined>>,
): InventoryMachine['labels'] {
  const known = Object.entries(said).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && entry[1] !== '',
  );
  return known.length === 0
    ? undefined
    : Object.fromEntries(known.map(([label, value]) => [label, value.slice(0, 500)]));
}
