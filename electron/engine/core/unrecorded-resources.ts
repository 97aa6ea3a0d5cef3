import type { Endpoint } from '../../../shared/model/endpoint.ts';
import type { JsonObject } from '../../../shared/model/json.ts';
import type { LedgerItem } from '../../../shared/model/ledger.ts';
import type { ManagedResource } from '../ports/destination-platform.ts';
import type { LedgerEntry } from '../ports/ledger.ts';
import { computerOf } from '../store/store-identity.ts';
import { openDestination, using, type CoreContext } from './core-context.ts';
import { replicaEnvironments } from './replica-environments.ts';

/** A resource that carries Causeway's marks and that no open entry of the ledger stands for. */
export interface Unrecorded {
  readonly item: LedgerItem;
  readonly endpoint: Endpoint;
  readonly resource: ManagedResource;
}

/**
 * Compares what platforms list with the ledger. Resources with the mark of this project's data are orphans; those of
 * other computers or projects are listed with their owner.
 */
export async function unrecordedResources(core: CoreContext, signal: AbortSignal): Promise<readonly Unrecorded[]> {
  const found: Unrecorded[] = [];
  for (const endpoint of core.store.endpoints.list()) {
    if (!core.gate.hasPlatform(endpoint.plugin, 'destination')) continue;
    const managed = await using(openDestination(core, endpoint), async (platform) => platform.listManaged?.(placesOf(core, endpoint), signal));
    // Read after the platforms were asked: an intent is recorded before its resource exists.
    const entries = core.store.ledger.list({ removed: true }).filter((entry) => entry.endpointId === endpoint.id);
    const { mark, former } = core.store.ledger.ownership();
    for (const resource of managed ?? []) {
      if (entries.some((entry) => entry.state !== 'removed' && isOf(entry, resource))) continue;
      const isOwn = resource.owner === undefined ? entries.some(({ entryId }) => entryId === resource.entryId) : [mark, ...former].includes(resource.owner);
      found.push({ endpoint, resource, item: itemOf(endpoint, resource, isOwn) });
    }
  }
  return found;
}

/** Whether a resource is an entry's, or a part of it: a server's boot volume carries the server's labels. */
function isOf(entry: LedgerEntry, { id, kind, entryId }: ManagedResource): boolean {
  if (entry.resourceId === id) return true;
  return entry.entryId === entryId && (entry.kind !== kind || entry.resourceId === undefined);
}

function placesOf(core: CoreContext, endpoint: Endpoint): readonly JsonObject[] {
  const replicas = core.store.replicas.list().filter((replica) => replica.destinationEndpointId === endpoint.id);
  const entries = core.store.ledger.list({ removed: true }).filter((entry) => entry.endpointId === endpoint.id);
  return [...replicas.map((replica) => replicaEnvironments(core, replica).values('destination')), ...entries.map(({ details }) => details)];
}

function itemOf(endpoint: Endpoint, resource: ManagedResource, isOwn: boolean): LedgerItem {
  const { kind, id, name, replicaId, owner, details } = resource;
  return {
    entryId: id,
    endpointId: endpoint.id,
    endpointName: endpoint.name,
    ...(replicaId === undefined ? {} : { replicaId }),
    kind,
    key: `found/${id}`,
    name,
    lifetime: 'temporary',
    state: 'existing',
    resourceId: id,
    details,
    createdAt: '',
    ...(isOwn ? { orphan: 'not-in-ledger' as const } : { madeBy: computerOf(owner ?? 'unknown') }),
  };
}

/** Takes a resource into the ledger, so that its removal is recorded like any other. */
export function recordFound(core: CoreContext, { item, endpoint, resource }: Unrecorded): LedgerEntry {
  const entry: LedgerEntry = {
    entryId: resource.id,
    endpointId: endpoint.id,
    ...(resource.replicaId === undefined ? {} : { replicaId: resource.replicaId }),
    kind: resource.kind,
    key: item.key,
    name: resource.name,
    lifetime: 'temporary',
    state: 'existing',
    resourceId: resource.id,
    details: resource.details,
    createdAt: new Date().toISOString(),
  };
  const known = core.store.ledger.find(entry.entryId);
  if (known !== undefined) return core.store.ledger.setState(known, 'existing', resource.id);
  core.store.ledger.add(entry);
  return entry;
}
