import { toErrorRecord } from '../../../shared/model/causeway-error.ts';
import type { Endpoint } from '../../../shared/model/endpoint.ts';
import type { JsonObject } from '../../../shared/model/json.ts';
import {
  sideOf,
  sourceKeys,
  type EndpointCheck,
  type LedgerItem,
  type LedgerSide,
} from '../../../shared/model/ledger.ts';
import type { DestinationPlatform, ManagedResource } from '../ports/destination-platform.ts';
import type { LedgerEntry } from '../ports/ledger.ts';
import type { SourcePlatform } from '../ports/source-platform.ts';
import { computerOf } from '../store/store-identity.ts';
import { openDestination, openSource, using, type CoreContext } from './core-context.ts';
import { replicaEnvironments } from './replica-environments.ts';

/** A resource that carries Causeway's marks and that no open entry of the ledger stands for. */
export interface Unrecorded {
  readonly item: LedgerItem;
  readonly endpoint: Endpoint;
  readonly resource: ManagedResource;
}

export interface PlatformCheck {
  /** IDs of entries of resources that no longer exist. */
  readonly gone: ReadonlySet<string>;
  readonly found: readonly Unrecorded[];
  readonly endpoints: EndpointCheck[];
}

type Asked = Pick<DestinationPlatform, 'findResource' | 'close'> | Pick<SourcePlatform, 'findResource' | 'close'>;

/**
 * Compares what platforms have with the ledger. Resources with the mark of this project's data are orphans; those of
 * other computers or projects are listed with their owner. An endpoint that can't be asked says nothing about its
 * resources, and keeps no other from being asked.
 */
export async function checkPlatforms(core: CoreContext, signal: AbortSignal): Promise<PlatformCheck> {
  const gone = new Set<string>();
  const found: Unrecorded[] = [];
  const endpoints: EndpointCheck[] = [];
  const check = async <P extends Asked>(
    endpoint: Endpoint,
    side: LedgerSide,
    open: () => Promise<P>,
    list: (platform: P) => Promise<readonly ManagedResource[]> | undefined,
  ): Promise<void> => {
    const about = { endpointId: endpoint.id, endpointName: endpoint.name, side };
    try {
      const managed = await using(open(), async (platform) => {
        for (const entry of core.store.ledger
          .list()
          .filter((one) => one.endpointId === endpoint.id && sideOf(one) === side)) {
          if (platform.findResource !== undefined && (await platform.findResource(entry, signal)) === undefined)
            gone.add(entry.entryId);
        }
        return list(platform);
      });
      found.push(
        ...unrecorded(core, endpoint, side, managed ?? []).filter(
          ({ resource }) => !found.some((one) => one.endpoint.id === endpoint.id && one.resource.id === resource.id),
        ),
      );
      endpoints.push({ ...about, outcome: managed === undefined ? 'exists-only' : 'checked' });
    } catch (error) {
      signal.throwIfAborted();
      const { cause: _cause, ...record } = toErrorRecord(error);
      endpoints.push({
        ...about,
        outcome: 'not-checked',
        error: { ...record, details: {}, message: core.redactor.text(record.message) },
      });
    }
  };
  for (const endpoint of core.store.endpoints.list()) {
    if (core.gate.hasPlatform(endpoint.plugin, 'destination')) {
      await check(
        endpoint,
        'destination',
        () => openDestination(core, endpoint),
        (platform) => platform.listManaged?.(placesOf(core, endpoint), signal),
      );
    }
    if (isSource(core, endpoint))
      await check(
        endpoint,
        'source',
        () => openSource(core, endpoint),
        (platform) => platform.listManaged?.(signal),
      );
  }
  return { gone, found, endpoints };
}

/** Whether something of this project's may be there: a destination alone is asked as a destination alone. */
function isSource(core: CoreContext, { id, plugin }: Endpoint): boolean {
  return (
    core.gate.hasPlatform(plugin, 'source') &&
    (core.store.replicas.list().some((replica) => replica.sourceEndpointId === id) ||
      core.store.ledger.list({ removed: true }).some((entry) => entry.endpointId === id && sideOf(entry) === 'source'))
  );
}

function unrecorded(
  core: CoreContext,
  endpoint: Endpoint,
  side: LedgerSide,
  managed: readonly ManagedResource[],
): readonly Unrecorded[] {
  // Read after the platform was asked: an intent is recorded before its resource exists.
  const entries = core.store.ledger.list({ removed: true }).filter((entry) => entry.endpointId === endpoint.id);
  const { mark, former } = core.store.ledger.ownership();
  return (
    managed
      // Snapshots of a source have records of their own, for as long as they may be there.
      .filter(
        ({ kind, entryId }) =>
          kind !== 'source-snapshot' || (core.store.snapshots.find(entryId)?.role ?? 'dropped') === 'dropped',
      )
      .filter((resource) => !entries.some((entry) => entry.state !== 'removed' && isOf(entry, resource)))
      .map((resource) => {
        const isOwn =
          resource.owner === undefined
            ? entries.some(({ entryId }) => entryId === resource.entryId)
            : [mark, ...former].includes(resource.owner);
        return { endpoint, resource, item: itemOf(endpoint, side, resource, isOwn) };
      })
  );
}

/** Whether a resource is an entry's, or a part of it: a server's boot volume carries the server's labels. */
function isOf(entry: LedgerEntry, { id, kind, entryId }: ManagedResource): boolean {
  if (entry.resourceId === id) return true;
  return entry.entryId === entryId && (entry.kind !== kind || entry.resourceId === undefined);
}

function placesOf(core: CoreContext, endpoint: Endpoint): readonly JsonObject[] {
  const replicas = core.store.replicas.list().filter((replica) => replica.destinationEndpointId === endpoint.id);
  const entries = core.store.ledger.list({ removed: true }).filter((entry) => entry.endpointId === endpoint.id);
  return [
    ...replicas.map((replica) => replicaEnvironments(core, replica).values('destination')),
    ...entries.map(({ details }) => details),
  ];
}

function itemOf(endpoint: Endpoint, side: LedgerSide, resource: ManagedResource, isOwn: boolean): LedgerItem {
  const { kind, id, name, replicaId, owner, details } = resource;
  return {
    entryId: id,
    endpointId: endpoint.id,
    endpointName: endpoint.name,
    ...(replicaId === undefined ? {} : { replicaId }),
    kind,
    key: `${side === 'source' ? sourceKeys : ''}found/${id}`,
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
