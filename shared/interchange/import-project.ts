import type { JsonObject } from '../model/json.ts';
import type { PluginId } from '../model/plugin-id.ts';
import { plugins } from '../plugins/registry.ts';
import { importEnvironment, withMappings } from './environments.ts';
import {
  unknownMembers,
  type DeploymentPayload,
  type EndpointPayload,
  type NotCarried,
  type Payloads,
  type TransferPayload,
} from './payloads.ts';
import { pluginOfProvider } from './product-names.ts';

export interface ImportedEndpoint {
  readonly name: string;
  /** In the payloads, where they have one. */
  readonly id: string | undefined;
  readonly plugin: PluginId;
  readonly connection: JsonObject;
}

export interface ImportedReplica {
  /** The instance, as the source calls it. */
  readonly vm: string;
  /** Ids or names of endpoints, as the payload has them. */
  readonly source: string;
  readonly destination: string;
  readonly sourcePlugin: PluginId;
  readonly destinationPlugin: PluginId;
  readonly sourceEnvironment: JsonObject;
  readonly destinationEnvironment: JsonObject;
  /** Options of `replica deploy` that correspond to the payload's. */
  readonly deployOptions: readonly string[];
}

export interface ImportedProject {
  readonly endpoints: readonly ImportedEndpoint[];
  readonly replicas: readonly ImportedReplica[];
  readonly notCarried: readonly NotCarried[];
  /** What transfers call endpoints that neither the payloads nor the project have. */
  readonly unknownEndpoints: readonly string[];
}

/** Endpoints that a project has already, for transfers that name them by an id or a name. */
export type KnownEndpoints = ReadonlyMap<string, PluginId>;

/** What payloads mean here: an endpoint each, a replica per instance of a transfer. */
export function importProject({ endpoints, transfers, deployments }: Payloads, known: KnownEndpoints): ImportedProject {
  const notCarried: NotCarried[] = [];
  const unknownEndpoints = new Set<string>();
  const imported = endpoints.flatMap((payload) => endpointOf(payload, notCarried));
  const pluginOf = (reference: string): PluginId | undefined => {
    const plugin =
      imported.find(({ id, name }) => id === reference || name === reference)?.plugin ?? known.get(reference);
    if (plugin === undefined) unknownEndpoints.add(reference);
    return plugin;
  };
  const replicas = transfers.flatMap((transfer) =>
    replicasOf(
      transfer,
      deployments.filter(({ transfer_id: id }) => id === transfer.id),
      pluginOf,
      notCarried,
    ),
  );
  for (const deployment of deployments) {
    const of = `deployment of ${deployment.transfer_id}`;
    notCarried.push(
      ...unknownMembers(of, deployment, ['transfer_id', 'clone_disks', 'skip_os_morphing', 'force', 'user_scripts']),
    );
    if (!transfers.some(({ id }) => id === deployment.transfer_id))
      notCarried.push({ of, what: 'transfer_id', why: 'its transfer is not in the file' });
  }
  return { endpoints: imported, replicas, notCarried, unknownEndpoints: [...unknownEndpoints] };
}

function endpointOf(payload: EndpointPayload, notCarried: NotCarried[]): readonly ImportedEndpoint[] {
  const { id, name, type, description, connection_info: info } = payload;
  const plugin = pluginOfProvider(type);
  if (plugin === undefined) {
    notCarried.push({ of: name, what: 'type', why: `Causeway has no plugin for ${type}` });
    return [];
  }
  notCarried.push(...unknownMembers(name, payload, ['name', 'description', 'connection_info']));
  if (description !== undefined && description !== null && description !== '')
    notCarried.push({ of: name, what: 'description', why: 'endpoints have no description' });
  const known = Object.keys(plugins[plugin].connection.shape);
  const entries = Object.entries(info ?? {}).filter(([, value]) => value !== null);
  for (const [key] of entries) {
    if (key === 'secret_ref')
      notCarried.push({ of: name, what: key, why: 'the connection is in a secret store; enter it here' });
    else if (!known.includes(key))
      notCarried.push({
        of: name,
        what: `connection_info.${key}`,
        why: `connections of ${plugin} have no such setting`,
      });
  }
  return [{ id, name, plugin, connection: Object.fromEntries(entries.filter(([key]) => known.includes(key))) }];
}

function replicasOf(
  transfer: TransferPayload,
  deployments: readonly DeploymentPayload[],
  pluginOf: (reference: string) => PluginId | undefined,
  notCarried: NotCarried[],
): readonly ImportedReplica[] {
  const of = `transfer of ${transfer.instances.join(', ')}`;
  const [source, destination] = [transfer.origin_endpoint_id, transfer.destination_endpoint_id];
  const [sourcePlugin, destinationPlugin] = [pluginOf(source), pluginOf(destination)];
  if (sourcePlugin === undefined || destinationPlugin === undefined) {
    notCarried.push({
      of,
      what: sourcePlugin === undefined ? 'origin_endpoint_id' : 'destination_endpoint_id',
      why: `unknown endpoint ${sourcePlugin === undefined ? source : destination}`,
    });
    return [];
  }
  const from = importEnvironment(of, sourcePlugin, 'source', transfer.source_environment ?? {});
  const to = importEnvironment(of, destinationPlugin, 'destination', transfer.destination_environment ?? {});
  const mapped = withMappings(of, destinationPlugin, to.environment, transfer);
  notCarried.push(
    ...from.notCarried,
    ...to.notCarried,
    ...mapped.notCarried,
    ...unknownMembers(of, transfer, ['scenario', 'clone_disks', 'skip_os_morphing', 'user_scripts']),
  );
  if (transfer.notes !== undefined && transfer.notes !== null && transfer.notes !== '')
    notCarried.push({ of, what: 'notes', why: 'replicas have no notes' });
  if (transfer.scenario === 'live_migration')
    notCarried.push({ of, what: 'scenario', why: 'a replica can be deployed any number of times' });
  for (const { user_scripts: scripts } of [transfer, ...deployments]) {
    if (scripts !== undefined && scripts !== null && Object.keys(scripts).length > 0)
      notCarried.push({ of, what: 'user_scripts', why: 'scripts are given with each deployment' });
  }
  const options = deployOptions([transfer, ...deployments], notCarried, of);
  return transfer.instances.map((vm) => ({
    vm,
    source,
    destination,
    sourcePlugin,
    destinationPlugin,
    sourceEnvironment: from.environment,
    destinationEnvironment: mapped.environment,
    deployOptions: options,
  }));
}

function deployOptions(
  payloads: readonly Pick<DeploymentPayload, 'clone_disks' | 'skip_os_morphing' | 'force'>[],
  notCarried: NotCarried[],
  of: string,
): readonly string[] {
  const last = <K extends 'clone_disks' | 'skip_os_morphing' | 'force'>(key: K) =>
    payloads.findLast((payload) => payload[key] !== undefined && payload[key] !== null)?.[key];
  if (last('force') === true)
    notCarried.push({ of, what: 'force', why: 'whether to deploy half-written volumes is decided at each deployment' });
  return [
    ...(last('clone_disks') === false ? ['--in-place'] : []),
    ...(last('skip_os_morphing') === true ? ['--skip-morphing'] : []),
  ];
}
