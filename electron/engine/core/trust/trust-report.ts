import type { Endpoint } from '../../../../shared/model/endpoint.ts';
import type { JsonObject } from '../../../../shared/model/json.ts';
import type { EndpointTrust, TrustReport } from '../../../../shared/model/trust.ts';
import { connectionProblems } from '../../trust/connection-bounds.ts';
import { connectionChanges, connectionReach } from '../../trust/connection-reach.ts';
import { environmentUses, type EnvironmentUse } from '../../trust/environment-uses.ts';
import { fingerprint } from '../../trust/fingerprint.ts';
import type { CoreParts } from '../core-context.ts';
import { projectFolderOf, replicaEnvironments } from '../replica-environments.ts';
import { checkLoginUses } from './check-logins.ts';
import { connectionFingerprint } from './accepted-endpoints.ts';

/** A connection that waits to be accepted. */
export interface Proposal {
  readonly endpoint: Endpoint;
  readonly connection: JsonObject;
}

export interface TrustState {
  readonly report: TrustReport;
  /** Those without problems. */
  readonly proposals: readonly Proposal[];
  /** Keys of what environments use without acceptance. */
  readonly uses: readonly string[];
}

type Parts = Pick<CoreParts, 'store' | 'stateFolder' | 'trust' | 'accepted' | 'sealed' | 'gate'>;

/** What the project reaches, what of it was accepted on this computer, and what waits. */
export async function trustState(core: Parts): Promise<TrustState> {
  const endpoints = core.store.endpoints.list();
  await core.accepted.load(endpoints);
  const judged = await Promise.all(endpoints.map((endpoint) => judge(core, endpoint)));
  const record = core.trust.read();
  const environments = usesOf(core).map(({ use, replicas }) => {
    const { kind, label, value } = use;
    return { key: use.key, shown: { kind, label, value, replicas, isAccepted: record?.uses.includes(use.key) ?? false } };
  });
  const waiting = environments.filter(({ shown }) => !shown.isAccepted);
  const folder = projectFolderOf(core);
  const content = {
    isAccepted: record !== undefined,
    folder,
    endpoints: judged.map(({ trust }) => trust),
    environments: environments.map(({ shown }) => shown),
  };
  const proposals = judged.flatMap(({ proposal }) => (proposal === undefined ? [] : [proposal]));
  const pending = content.endpoints.filter(({ state }) => state === 'new' || state === 'changed').length + waiting.length;
  const token = fingerprint({
    content: JSON.parse(JSON.stringify(content)) as JsonObject,
    proposals: proposals.map(({ endpoint, connection }) => [endpoint.id, connectionFingerprint(endpoint.plugin, connection)]),
    uses: waiting.map(({ key }) => key),
  });
  return { report: { ...content, pending, token }, proposals, uses: waiting.map(({ key }) => key) };
}

async function judge(core: Parts, endpoint: Endpoint): Promise<{ readonly trust: EndpointTrust; readonly proposal?: Proposal }> {
  const { id, name, plugin } = endpoint;
  const record = core.trust.read();
  const entry = record !== undefined && Object.hasOwn(record.endpoints, id) && record.endpoints[id]!.plugin === plugin ? record.endpoints[id] : undefined;
  const accepted = entry === undefined ? undefined : core.accepted.shown(endpoint);
  const inFile = Object.keys(endpoint.connection).length === 0 ? undefined : endpoint.connection;
  const isInFileAccepted = inFile === undefined || connectionFingerprint(plugin, inFile) === entry?.fingerprint;
  const base = { id, name, plugin, changes: [], problems: [] };
  if (entry !== undefined && isInFileAccepted) {
    if (accepted !== undefined) return { trust: { ...base, state: 'accepted', reaches: connectionReach(plugin, accepted) } };
    // The vault has it, and is closed; or has it no more.
    if (await core.sealed.has(id)) return { trust: { ...base, state: 'locked', reaches: [] } };
  }
  // Where the files have no addresses, the vault may bring them along from where the project was before.
  const proposed = inFile ?? (await core.sealed.connection(id, plugin));
  if (proposed === undefined) return { trust: { ...base, state: 'missing', reaches: [] } };
  const problems = connectionProblems(plugin, proposed, projectFolderOf(core));
  const changes = accepted === undefined ? [] : connectionChanges(plugin, accepted, proposed);
  const trust: EndpointTrust = { ...base, state: entry === undefined || accepted === undefined ? 'new' : 'changed', reaches: connectionReach(plugin, proposed), changes, problems };
  return problems.length > 0 ? { trust } : { trust, proposal: { endpoint, connection: proposed } };
}

/** What the environments of all replicas use, each once, with the replicas' names. */
function usesOf(core: Parts): { readonly use: EnvironmentUse; readonly replicas: string[] }[] {
  const uses = new Map<string, { use: EnvironmentUse; replicas: string[] }>();
  for (const replica of core.store.replicas.list()) {
    for (const use of (replica.checks ?? []).flatMap(checkLoginUses)) {
      const known = uses.get(use.key) ?? { use, replicas: [] };
      if (!known.replicas.includes(replica.name)) known.replicas.push(replica.name);
      uses.set(use.key, known);
    }
    for (const side of ['source', 'destination'] as const) {
      const endpoint = core.store.endpoints.find(side === 'source' ? replica.sourceEndpointId : replica.destinationEndpointId);
      if (endpoint === undefined) continue;
      for (const use of environmentUses(endpoint.plugin, side, valuesOf(core, replica, side))) {
        const known = uses.get(use.key) ?? { use, replicas: [] };
        if (!known.replicas.includes(replica.name)) known.replicas.push(replica.name);
        uses.set(use.key, known);
      }
    }
  }
  return [...uses.values()];
}

/** Of a replica that can't be put together (its wave is gone) nothing can be used either. */
function valuesOf(core: Parts, replica: Parameters<typeof replicaEnvironments>[1], side: 'source' | 'destination'): JsonObject {
  try {
    return replicaEnvironments(core, replica).values(side);
  } catch {
    return {};
  }
}
