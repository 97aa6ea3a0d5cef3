import { CausewayError, toErrorRecord } from '../../../../shared/model/causeway-error.ts';
import { sideOf, type LedgerItem, type LedgerSide } from '../../../../shared/model/ledger.ts';
import type { DestinationPlatform } from '../../ports/destination-platform.ts';
import type { LedgerEntry } from '../../ports/ledger.ts';
import type { SourcePlatform } from '../../ports/source-platform.ts';
import { isDeploymentOrphan } from '../../deployments/entries-left.ts';
import { ledgerScope } from '../../store/ledger.ts';
import { openDestination, openSource, using, type CoreContext } from '../core-context.ts';
import { recordFound, unrecordedResources, type Unrecorded } from '../unrecorded-resources.ts';
import { snapshotItems, dropSnapshotItem } from '../source-snapshots.ts';
import type { CallsOf, Handlers } from './handler.ts';

export const ledgerCalls: Handlers<CallsOf<'ledger'>> = {
  async 'ledger.list'(core, { orphansOnly, check, removed }, signal) {
    const found = check ? await unrecordedResources(core, signal) : [];
    const items = [...(await listItems(core, { check, removed }, signal)), ...found.map(({ item }) => item)];
    return orphansOnly ? items.filter((item) => item.orphan !== undefined) : items;
  },

  async 'ledger.remove'(core, { entries, dryRun, check, madeElsewhere }, signal) {
    const recorded = await listItems(core, { check: false, removed: false }, signal);
    const isUnknown = entries?.some((id) => !recorded.some(({ entryId }) => entryId === id)) === true;
    const found = check || isUnknown ? await unrecordedResources(core, signal) : [];
    const items = [...recorded, ...found.map(({ item }) => item)];
    const missing = entries?.find((id) => !items.some(({ entryId }) => entryId === id));
    if (missing !== undefined) throw new CausewayError('engine.not-found', `entry ${missing} of the ledger`);
    const chosen = entries === undefined ? items.filter((item) => item.orphan !== undefined) : items.filter((item) => entries.includes(item.entryId));
    const results = [];
    // The last ones made first: an attachment before its server, a server before its network interface.
    for (const item of chosen.toReversed()) {
      const isFree = item.orphan !== undefined || (item.madeBy !== undefined && madeElsewhere);
      if (!isFree) results.push({ item, outcome: 'failed' as const, error: notFree(item) });
      else if (dryRun) results.push({ item, outcome: 'would-remove' as const });
      else results.push(await removeItem(core, item, found.find((each) => each.item === item), signal));
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
  if (endpoint === undefined) throw new CausewayError('engine.not-found', `endpoint ${entry.endpointId} of entry ${entry.entryId}`);
  if (sideOf(entry) === 'source') {
    const scope = ledgerScope(core.store.ledger, { ...binding, side: 'source' });
    await using(openSource(core, endpoint), async (source) => source.removeResource?.(entry, scope, signal));
    return;
  }
  await using(openDestination(core, endpoint), (destination) => destination.removeResource(entry, ledgerScope(core.store.ledger, binding), signal));
}

async function listItems(core: CoreContext, options: { check: boolean; removed: boolean }, signal: AbortSignal): Promise<LedgerItem[]> {
  const names = new Map(core.store.endpoints.list().map((endpoint) => [endpoint.id, endpoint.name]));
  const gone = options.check ? await goneEntries(core, signal) : new Set<string>();
  const items: LedgerItem[] = core.store.ledger.list({ removed: options.removed }).map((entry) => {
    const { owner: _owner, ...shown } = entry;
    const endpointName = names.get(entry.endpointId);
    const orphan = gone.has(entry.entryId) ? 'resource-gone' : orphanReason(core, entry);
    return { ...shown, ...(endpointName === undefined ? {} : { endpointName }), ...(orphan === undefined ? {} : { orphan }) };
  });
  return [...items, ...snapshotItems(core)];
}

/** A temporary thing outlived its execution, or a lasting one its replica. */
function orphanReason(core: CoreContext, entry: LedgerEntry): LedgerItem['orphan'] {
  if (entry.state === 'removed') return undefined;
  const deployment = entry.executionId === undefined ? undefined : core.store.deployments.find(entry.executionId);
  if (deployment !== undefined && entry.lifetime !== 'replica') return isDeploymentOrphan(deployment, entry) ? 'execution-over' : undefined;
  if (entry.replicaId !== undefined && core.store.replicas.find(entry.replicaId) === undefined) return 'replica-deleted';
  if (entry.lifetime !== 'temporary') return undefined;
  const open = core.store.executions.listOpen().some((execution) => execution.id === entry.executionId);
  return open ? undefined : 'execution-over';
}

/** Asks each endpoint once for all of its entries. An endpoint out of reach says nothing about them. */
async function goneEntries(core: CoreContext, signal: AbortSignal): Promise<Set<string>> {
  const gone = new Set<string>();
  const entries = core.store.ledger.list();
  for (const endpoint of core.store.endpoints.list()) {
    const here = entries.filter((entry) => entry.endpointId === endpoint.id);
    if (here.length === 0) continue;
    const look = async (platform: Pick<DestinationPlatform | SourcePlatform, 'findResource'>, side: LedgerSide): Promise<void> => {
      for (const entry of here.filter((one) => sideOf(one) === side)) {
        if (platform.findResource !== undefined && (await platform.findResource(entry, signal)) === undefined) gone.add(entry.entryId);
      }
    };
    if (here.some((entry) => sideOf(entry) === 'destination')) await using(openDestination(core, endpoint), (platform) => look(platform, 'destination'));
    if (here.some((entry) => sideOf(entry) === 'source')) await using(openSource(core, endpoint), (platform) => look(platform, 'source'));
  }
  return gone;
}

function notFree(item: LedgerItem): string {
  if (item.madeBy !== undefined) return `it was created by ${item.madeBy}, with other project data (--made-elsewhere removes it)`;
  if (item.lifetime === 'deployment') return 'it belongs to a virtual machine; delete the deployment instead';
  return item.lifetime === 'temporary' ? 'its execution is not over' : 'it belongs to a replica that exists';
}
