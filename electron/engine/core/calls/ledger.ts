import { CausewayError, toErrorRecord } from '../../../../shared/model/causeway-error.ts';
import { sideOf, type LedgerItem } from '../../../../shared/model/ledger.ts';
import type { LedgerEntry } from '../../ports/ledger.ts';
import { isDeploymentOrphan } from '../../deployments/leftover-resources.ts';
import { ledgerScope } from '../../store/ledger.ts';
import { openDestination, openSource, using, type CallsOf, type CoreContext, type Handlers } from '../core-context.ts';
import { checkPlatforms, recordFound, type Unrecorded } from '../unrecorded-resources.ts';
import { snapshotItems, dropSnapshotItem } from '../source-snapshots.ts';

export const ledgerCalls: Handlers<CallsOf<'ledger'>> = {
  async 'ledger.list'(core, { orphansOnly, removed }) {
    const items = listItems(core, { removed });
    return orphansOnly ? items.filter((item) => item.orphan !== undefined) : items;
  },

  async 'ledger.check'(core, { orphansOnly, removed }, signal) {
    const { gone, found, endpoints } = await checkPlatforms(core, signal);
    const items = [...listItems(core, { removed, gone }), ...found.map(({ item }) => item)];
    return { items: orphansOnly ? items.filter((item) => item.orphan !== undefined) : items, endpoints };
  },

  async 'ledger.remove'(core, { entries, dryRun, check, madeElsewhere }, signal) {
    const recorded = listItems(core, { removed: false });
    const isUnknown = entries?.some((id) => !recorded.some(({ entryId }) => entryId === id)) === true;
    const found = check || isUnknown ? (await checkPlatforms(core, signal)).found : [];
    const items = [...recorded, ...found.map(({ item }) => item)];
    const missing = entries?.find((id) => !items.some(({ entryId }) => entryId === id));
    if (missing !== undefined) throw new CausewayError('engine.not-found', `ledger entry ${missing}`);
    const chosen =
      entries === undefined
        ? items.filter((item) => item.orphan !== undefined)
        : items.filter((item) => entries.includes(item.entryId));
    const results = [];
    // The last ones made first: an attachment before its server, a server before its network interface.
    for (const item of chosen.toReversed()) {
      const isFree = item.orphan !== undefined || (item.madeBy !== undefined && madeElsewhere);
      if (!isFree) results.push({ item, outcome: 'failed' as const, error: notFree(item) });
      else if (dryRun) results.push({ item, outcome: 'would-remove' as const });
      else
        results.push(
          await removeItem(
            core,
            item,
            found.find((each) => each.item === item),
            signal,
          ),
        );
    }
    return results;
  },
};

async function removeItem(core: CoreContext, item: LedgerItem, found: Unrecorded | undefined, signal: AbortSignal) {
  try {
    const entry = found === undefined ? core.store.ledger.find(item.entryId) : recordFound(core, found);
    if (entry !== undefined) await removeEntry(core, entry, signal);
    else await dropSnapshotItem(core, item, (endpoint, use) => openSource(core, endpoint, use), signal);
    return { item, outcome: 'removed' as const };
  } catch (error) {
    return { item, outcome: 'failed' as const, error: core.redactor.text(toErrorRecord(error).message) };
  }
}

async function removeEntry(core: CoreContext, entry: LedgerEntry, signal: AbortSignal): Promise<void> {
  const endpoint = core.store.endpoints.find(entry.endpointId);
  const binding = {
    endpointId: entry.endpointId,
    ...(entry.replicaId === undefined ? {} : { replicaId: entry.replicaId }),
    ...(entry.executionId === undefined ? {} : { executionId: entry.executionId }),
  };
  if (endpoint === undefined)
    throw new CausewayError('engine.not-found', `endpoint ${entry.endpointId} of ledger entry ${entry.entryId}`);
  if (sideOf(entry) === 'source') {
    const scope = ledgerScope(core.store.ledger, { ...binding, side: 'source' });
    await using(openSource(core, endpoint), async (source) => source.removeResource?.(entry, scope, signal));
    return;
  }
  await using(openDestination(core, endpoint), (destination) =>
    destination.removeResource(entry, ledgerScope(core.store.ledger, binding), signal),
  );
}

function listItems(
  core: CoreContext,
  { removed, gone = new Set() }: { readonly removed: boolean; readonly gone?: ReadonlySet<string> },
): LedgerItem[] {
  const names = new Map(core.store.endpoints.list().map((endpoint) => [endpoint.id, endpoint.name]));
  const items: LedgerItem[] = core.store.ledger.list({ removed }).map((entry) => {
    const { owner: _owner, ...shown } = entry;
    const endpointName = names.get(entry.endpointId);
    const orphan = gone.has(entry.entryId) ? 'resource-gone' : orphanReason(core, entry);
    return {
      ...shown,
      ...(endpointName === undefined ? {} : { endpointName }),
      ...(orphan === undefined ? {} : { orphan }),
    };
  });
  return [...items, ...snapshotItems(core)];
}

/** A temporary resource outlived its execution, or a permanent one its replica. */
function orphanReason(core: CoreContext, entry: LedgerEntry): LedgerItem['orphan'] {
  if (entry.state === 'removed') return undefined;
  const deployment = entry.executionId === undefined ? undefined : core.store.deployments.find(entry.executionId);
  if (deployment !== undefined && entry.lifetime !== 'replica')
    return isDeploymentOrphan(deployment, entry) ? 'execution-over' : undefined;
  if (entry.replicaId !== undefined && core.store.replicas.find(entry.replicaId) === undefined)
    return 'replica-deleted';
  if (
    entry.lifetime !== 'temporary' ||
    core.inspections.owns(entry.executionId) ||
    core.workerPool.owns(entry.executionId)
  )
    return undefined;
  const open = core.store.executions.listOpen().some((execution) => execution.id === entry.executionId);
  return open ? undefined : 'execution-over';
}

function notFree(item: LedgerItem): string {
  if (item.madeBy !== undefined)
    return `it was created by ${item.madeBy}, with other project data (--made-elsewhere removes it)`;
  if (item.lifetime === 'deployment') return 'it belongs to a VM; delete the deployment instead';
  return item.lifetime === 'temporary' ? 'its execution has not ended' : 'it belongs to an existing replica';
}
