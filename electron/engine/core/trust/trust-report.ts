import type { Defaults } from '../../../../shared/environment/layers.ts';
import type { Endpoint } from '../../../../shared/model/endpoint.ts';
import type { JsonObject } from '../../../../shared/model/json.ts';
import { sides, type Side } from '../../../../shared/model/plugin-id.ts';
import type { Replica } from '../../../../shared/model/replica.ts';
import type { EndpointTrust, TrustReport } from '../../../../shared/model/trust.ts';
import { inSlices } from '../../concurrency/in-slices.ts';
import { defaultsFiles } from '../../project-files/defaults-files.ts';
import { connectionProblems } from '../../trust/connection-bounds.ts';
import { connectionChanges, connectionReach } from '../../trust/connection-reach.ts';
import { environmentUses, type EnvironmentUse } from '../../trust/environment-uses.ts';
import { fingerprint } from '../../trust/fingerprint.ts';
import type { CoreParts } from '../core-context.ts';
import { keptBySettings, settingsKey } from '../kept-by-settings.ts';
import { projectFolderOf, replicaEnvironments } from '../replica-environments.ts';
import { checkLoginUses } from './check-logins.ts';
import { connectionFingerprint, forOnePass } from './accepted-endpoints.ts';

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
export async function trustState(core: Parts, signal?: AbortSignal): Promise<TrustState> {
  const endpoints = core.store.endpoints.list();
  await core.accepted.load(endpoints);
  const judged = await Promise.all(endpoints.map((endpoint) => judge(core, endpoint)));
  const record = core.trust.read();
  const environments = (await usesOf(core, signal)).map(({ use, replicas }) => {
    const { key, ...reached } = use;
    return { key, shown: { ...reached, replicas: [...replicas], isAccepted: record?.uses.includes(use.key) ?? false } };
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
  const pending =
    content.endpoints.filter(({ state }) => state === 'new' || state === 'changed').length + waiting.length;
  const token = fingerprint({
    content: JSON.parse(JSON.stringify(content)) as JsonObject,
    proposals: proposals.map(({ endpoint, connection }) => [
      endpoint.id,
      connectionFingerprint(endpoint.plugin, connection),
    ]),
    uses: waiting.map(({ key }) => key),
  });
  return { report: { ...content, pending, token }, proposals, uses: waiting.map(({ key }) => key) };
}

async function judge(
  core: Parts,
  endpoint: Endpoint,
): Promise<{ readonly trust: EndpointTrust; readonly proposal?: Proposal }> {
  const { id, name, plugin } = endpoint;
  const record = core.trust.read();
  const entry =
    record !== undefined && Object.hasOwn(record.endpoints, id) && record.endpoints[id]!.plugin === plugin
      ? record.endpoints[id]
      : undefined;
  const accepted = entry === undefined ? undefined : core.accepted.shown(endpoint);
  const inFile = Object.keys(endpoint.connection).length === 0 ? undefined : endpoint.connection;
  const isInFileAccepted = inFile === undefined || connectionFingerprint(plugin, inFile) === entry?.fingerprint;
  const base = { id, name, plugin, changes: [], problems: [] };
  if (entry !== undefined && isInFileAccepted) {
    if (accepted !== undefined)
      return { trust: { ...base, state: 'accepted', reaches: connectionReach(plugin, accepted) } };
    // The vault has it, and is closed; or has it no more.
    if (await core.sealed.has(id)) return { trust: { ...base, state: 'locked', reaches: [] } };
  }
  // Where the files have no addresses, the vault may bring them along from where the project was before.
  const proposed = inFile ?? (await core.sealed.connection(id, plugin));
  if (proposed === undefined) return { trust: { ...base, state: 'missing', reaches: [] } };
  const problems = connectionProblems(plugin, proposed, projectFolderOf(core));
  const changes = accepted === undefined ? [] : connectionChanges(plugin, accepted, proposed);
  const trust: EndpointTrust = {
    ...base,
    state: entry === undefined || accepted === undefined ? 'new' : 'changed',
    reaches: connectionReach(plugin, proposed),
    changes,
    problems,
  };
  return problems.length > 0 ? { trust } : { trust, proposal: { endpoint, connection: proposed } };
}

const keptUses = keptBySettings<readonly EnvironmentUse[]>();

/** What the environments of all replicas use, each once, with the replicas' names. */
async function usesOf(
  core: Parts,
  signal: AbortSignal | undefined,
): Promise<readonly { readonly use: EnvironmentUse; readonly replicas: readonly string[] }[]> {
  const defaults = defaultsOf(core);
  const uses = new Map<string, { readonly use: EnvironmentUse; readonly replicas: Set<string> }>();
  const add = (use: EnvironmentUse, name: string): void => {
    const known = uses.get(use.key) ?? { use, replicas: new Set() };
    known.replicas.add(name);
    uses.set(use.key, known);
  };
  const look = () => {
    const pass = forOnePass(core);
    return (replica: Replica): void => {
      for (const use of (replica.checks ?? []).flatMap(checkLoginUses)) add(use, replica.name);
      for (const use of ownUses(pass, replica, defaults)) add(use, replica.name);
    };
  };
  await inSlices(core.store.replicas.list(), look, signal);
  return [...uses.values()].map(({ use, replicas }) => ({ use, replicas: [...replicas] }));
}

/** What the environments of both sides use. What can't be read (defaults, an endpoint that is gone) is no part of a key: nothing is kept then. */
function ownUses(core: Parts, replica: Replica, defaults: Defaults | undefined): readonly EnvironmentUse[] {
  const [source, destination] = [replica.sourceEndpointId, replica.destinationEndpointId].map(
    (id) => core.store.endpoints.find(id)?.plugin,
  );
  const find = (): readonly EnvironmentUse[] => {
    const values = valuesOf(core, replica, defaults);
    return sides.flatMap((side) => {
      const plugin = side === 'source' ? source : destination;
      return plugin === undefined ? [] : environmentUses(plugin, side, values(side));
    });
  };
  const isWhole = defaults !== undefined && source !== undefined && destination !== undefined;
  return isWhole ? keptUses(core.store, settingsKey(core, replica, defaults), find) : find();
}

/** Read once for all replicas; undefined where the files can't be read. */
function defaultsOf(core: Parts): Defaults | undefined {
  try {
    return defaultsFiles(projectFolderOf(core)).all();
  } catch {
    return undefined;
  }
}

/** Of a replica that can't be put together (its wave is gone) nothing can be used either. */
function valuesOf(core: Parts, replica: Replica, defaults: Defaults | undefined): (side: Side) => JsonObject {
  return (side) => {
    try {
      return replicaEnvironments(core, replica, defaults).values(side);
    } catch {
      return {};
    }
  };
}
