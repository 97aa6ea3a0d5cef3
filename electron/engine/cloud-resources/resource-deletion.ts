import { CausewayError, toErrorRecord } from '../../../shared/model/causeway-error.ts';
import type { LedgerEntry, LedgerScope } from '../ports/ledger.ts';
import type { CloudApi, ResourceDeleter } from './cloud-api.ts';
import { deleteAndWait } from './ledgered-resource.ts';
import type { RetryContext } from './retry-context.ts';

type Removing = Pick<CloudApi, 'deleterFor'>;

/** Marks one created resource, deletes it and closes its entry. A missing resource counts as deleted. */
export function deleteResource(
  cloud: Removing,
  ledger: LedgerScope,
  entry: LedgerEntry,
  signal: AbortSignal,
): Promise<void> {
  const remover = cloud.deleterFor(entry);
  return ledger.release(
    entry,
    { findId: (_entry, s) => remover.findId(s), remove: (id, _entry, s) => remover.remove(id, s) },
    signal,
  );
}

/** Whether the resource of an entry is there, by its recorded id or by what its creation carried. */
export async function findResourceOf(
  cloud: Removing,
  entry: LedgerEntry,
  signal: AbortSignal,
): Promise<{ readonly id: string } | undefined> {
  const remover = cloud.deleterFor(entry);
  if (entry.resourceId !== undefined)
    return (await remover.isThere(entry.resourceId, signal)) ? { id: entry.resourceId } : undefined;
  const id = await remover.findId(signal);
  return id === undefined ? undefined : { id };
}

/**
 * Waits for something that was just made. What fails at its creation holds nothing: it is removed, so that a repetition
 * makes a new one instead of meeting the failed one again.
 */
export async function orRemoveFailed<T>(
  cloud: Removing,
  ledger: LedgerScope,
  entry: LedgerEntry,
  made: () => Promise<T>,
  signal: AbortSignal,
): Promise<T> {
  try {
    return await made();
  } catch (error) {
    if (error instanceof CausewayError && error.code === 'cloud.operation-failed')
      await deleteResource(cloud, ledger, entry, signal);
    throw error;
  }
}

/** Makes the usual remover of an entry: found and read by these, deleted, and waited for until it is gone. */
export function simpleDeleters(around: RetryContext, entry: LedgerEntry) {
  return (
    get: (id: string, signal: AbortSignal) => Promise<unknown>,
    findId: (signal: AbortSignal) => Promise<string | undefined>,
    remove: (id: string, signal: AbortSignal) => Promise<void>,
  ): ResourceDeleter => ({
    findId,
    isThere: async (id, signal) => (await get(id, signal)) !== undefined,
    remove: (id, signal) =>
      deleteAndWait(around, `${entry.kind} ${id}`, { remove: (s) => remove(id, s), get: (s) => get(id, s) }, signal),
  });
}

/**
 * Removes the resources of entries in their order. Continues after failures and reports them all.
 *
 * @param waitsForServer whether an entry can't go while a server that could not be removed is still there, so that it is not tried
 * @throws `cloud.clean-up-incomplete`
 */
export async function deleteAll(
  cloud: Removing,
  ledger: LedgerScope,
  entries: readonly LedgerEntry[],
  waitsForServer: (entry: LedgerEntry, server: LedgerEntry) => boolean,
  signal: AbortSignal,
  released: (entry: LedgerEntry) => void = () => undefined,
): Promise<void> {
  const failures: { readonly entry: LedgerEntry; readonly reason: string }[] = [];
  for (const entry of entries) {
    signal.throwIfAborted();
    if (failures.some((failure) => failure.entry.kind === 'server' && waitsForServer(entry, failure.entry))) {
      failures.push({ entry, reason: 'its server still exists' });
      continue;
    }
    try {
      await deleteResource(cloud, ledger, entry, signal);
      released(entry);
    } catch (error) {
      signal.throwIfAborted();
      failures.push({ entry, reason: toErrorRecord(error).message });
    }
  }
  if (failures.length === 0) return;
  throw new CausewayError(
    'cloud.clean-up-incomplete',
    failures.map(({ entry, reason }) => `${entry.kind} ${entry.resourceId ?? entry.name}: ${reason}`).join('; '),
    {
      details: {
        left: failures.map(({ entry, reason }) => ({
          kind: entry.kind,
          name: entry.name,
          resourceId: entry.resourceId ?? null,
          reason,
        })),
      },
    },
  );
}
