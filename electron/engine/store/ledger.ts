import { sideOf, sourceKeys, type LedgerSide } from '../../../shared/model/ledger.ts';
import type { LedgerEntry, LedgerScope } from '../ports/ledger.ts';
import { systemFailure } from '../../../shared/model/system-failure.ts';
import { turnsByKey } from '../concurrency/in-turn.ts';
import { createdNothing } from '../http/create-once.ts';
import { newId } from './ids.ts';
import type { LedgerEntryStore } from './ledger-entries.ts';
import { lookThroughLag, mayStillLag } from './listing-lag.ts';

export interface LedgerBinding {
  readonly endpointId: string;
  readonly replicaId?: string;
  readonly executionId?: string;
  /** The side of the replica that queries; both sides may be one endpoint. Default: destination. */
  readonly side?: LedgerSide;
}

/**
 * The ledger as one run sees it. Calls for the same key wait for each other, so that two parts of a run that need the
 * same resource get the same one.
 */
export function ledgerScope(entries: LedgerEntryStore, binding: LedgerBinding): LedgerScope {
  const inTurn = turnsByKey();
  const side = binding.side ?? 'destination';
  const keyOf = (key: string): string => (side === 'source' ? sourceKeys + key : key);
  /** The adapter sees the key that it gave. */
  const shown = (entry: LedgerEntry): LedgerEntry =>
    sideOf(entry) === 'source' ? { ...entry, key: entry.key.slice(sourceKeys.length) } : entry;

  const visible = (entry: LedgerEntry): boolean =>
    entry.endpointId === binding.endpointId &&
    sideOf(entry) === side &&
    entry.replicaId === binding.replicaId &&
    (entry.lifetime !== 'temporary' || entry.executionId === binding.executionId);

  const live = (kind: string, key: string): LedgerEntry | undefined =>
    entries
      .list()
      .find((entry) => visible(entry) && entry.kind === kind && entry.key === keyOf(key) && entry.state !== 'removing');

  /** Asks the platform, and keeps in mind until when the resource may turn up there. */
  async function create<T>(entry: LedgerEntry, ask: (entry: LedgerEntry) => Promise<T>, before: number): Promise<T> {
    entries.setAsked(entry.entryId);
    try {
      return await ask(entry);
    } catch (error) {
      entries.setAsked(entry.entryId, createdNothing(error) ? before : undefined);
      throw error;
    }
  }

  /** A resource goes although the store can't be written: the entry then stays as it is, and a later removal meets nothing. */
  function markRemoving(entry: LedgerEntry): LedgerEntry {
    try {
      return entries.setState(entry, 'removing');
    } catch (error) {
      if (systemFailure(error) === undefined) throw error;
      return entry;
    }
  }

  const scope: LedgerScope = {
    ensure(intent, how, signal) {
      return inTurn(`${intent.kind}/${intent.key}`, async () => {
        signal.throwIfAborted();
        let entry = live(intent.kind, intent.key);
        let before = -Infinity;
        if (entry?.state === 'existing' && entry.resourceId !== undefined) {
          const { resourceId } = entry;
          const known = shown(entry);
          const get = (within: AbortSignal) => how.get(resourceId, known, within);
          const resource = mayStillLag(entries, entry)
            ? await lookThroughLag(entries, entry, get, signal)
            : await get(signal);
          if (resource !== undefined) return { resource, entry: shown(entry), created: false };
          entries.setState(entry, 'removed');
          entry = undefined;
        }
        if (entry !== undefined) {
          // The request may have been carried out and its answer lost. Its ID was unknown, so it is unused and counts as new.
          const intended = shown(entry);
          const found = await lookThroughLag(entries, entry, (within) => how.find(intended, within), signal);
          before = entries.lastAsked(entry.entryId);
          if (found !== undefined)
            return { resource: found, entry: shown(entries.setState(entry, 'existing', found.id)), created: true };
        } else {
          const entryId = newId('res');
          entry = {
            entryId,
            endpointId: binding.endpointId,
            ...(binding.replicaId === undefined ? {} : { replicaId: binding.replicaId }),
            ...(binding.executionId === undefined ? {} : { executionId: binding.executionId }),
            kind: intent.kind,
            key: keyOf(intent.key),
            name: `causeway-${entryId}`,
            lifetime: intent.lifetime,
            state: 'intended',
            details: intent.details ?? {},
            createdAt: new Date().toISOString(),
            owner: entries.ownership(),
          };
          entries.add(entry);
        }
        await entries.settled(binding.replicaId, signal);
        const resource = await create(entry, (asked) => how.create(shown(asked), signal), before);
        return { resource, entry: shown(entries.setState(entry, 'existing', resource.id)), created: true };
      });
    },

    owner: entries.ownership(),

    find(kind, key) {
      const entry = live(kind, key);
      return entry === undefined ? undefined : shown(entry);
    },

    list(filter = {}) {
      return entries
        .list()
        .filter(
          (entry) =>
            visible(entry) &&
            (filter.kind === undefined || entry.kind === filter.kind) &&
            (filter.lifetime === undefined || entry.lifetime === filter.lifetime),
        )
        .map(shown);
    },

    setAside(given) {
      const entry = entries.find(given.entryId);
      if (entry !== undefined && entry.state !== 'removed') markRemoving(entry);
    },

    release(given, how, signal) {
      return inTurn(`${given.kind}/${given.key}`, async () => {
        const entry = entries.find(given.entryId);
        if (entry === undefined || entry.state === 'removed') return;
        const removing = markRemoving(entry);
        const id =
          removing.resourceId ??
          (await lookThroughLag(entries, entry, (within) => how.findId(shown(removing), within), signal));
        await entries.settled(binding.replicaId, signal);
        if (id !== undefined) await how.remove(id, shown(removing), signal);
        entries.setRemoved(removing);
      });
    },
  };
  return scope;
}
