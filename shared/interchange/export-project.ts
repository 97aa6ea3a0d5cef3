import type { Endpoint } from '../model/endpoint.ts';
import type { JsonObject } from '../model/json.ts';
import type { Replica } from '../model/replica.ts';
import { exportEnvironment, withoutSecrets } from './environments.ts';
import type { NotCarried } from './payloads.ts';
import { providerOf } from './product-names.ts';
import { quoteWord } from './shell-words.ts';

/** What a replica's environments amount to with the layers below them. */
export interface ExportedReplica extends Pick<
  Replica,
  'name' | 'vmName' | 'sourceEndpointId' | 'destinationEndpointId' | 'wave'
> {
  readonly sourceEnvironment: JsonObject;
  readonly destinationEnvironment: JsonObject;
}

export interface ExportedProject {
  /** As `POST /endpoints` takes them; their ids are those of this project until the other system has given its own. */
  readonly endpoints: readonly JsonObject[];
  readonly transfers: readonly JsonObject[];
  readonly notCarried: readonly NotCarried[];
}

/** A project as Coriolis takes it in. No secret is in it, by reference or otherwise. */
export function exportProject(endpoints: readonly Endpoint[], replicas: readonly ExportedReplica[]): ExportedProject {
  const notCarried: NotCarried[] = [];
  const exported = endpoints.flatMap(({ id, name, plugin, connection }): JsonObject[] => {
    const provider = providerOf(plugin);
    if (provider === undefined) {
      notCarried.push({ of: name, what: 'plugin', why: `Coriolis has no provider for ${plugin}` });
      return [];
    }
    const { kept, secrets } = withoutSecrets(plugin, 'connection', connection);
    notCarried.push(
      ...secrets.map((what): NotCarried => ({
        of: name,
        what: `connection.${what}`,
        why: 'secrets are not exported; enter it again',
      })),
    );
    return [{ id, name, type: provider, description: '', connection_info: kept, mapped_regions: [] }];
  });
  const transfers = replicas.flatMap((replica): JsonObject[] => {
    const { name, vmName, sourceEndpointId: source, destinationEndpointId: destination, wave } = replica;
    const [from, to] = [source, destination].map((id) => endpoints.find((endpoint) => endpoint.id === id));
    const missing = [source, destination].find((id) => !exported.some((endpoint) => endpoint['id'] === id));
    if (from === undefined || to === undefined || missing !== undefined) {
      notCarried.push({ of: name, what: 'endpoint', why: 'one of its endpoints is not exported' });
      return [];
    }
    const source_ = exportEnvironment(name, from.plugin, 'source', replica.sourceEnvironment);
    const destination_ = exportEnvironment(name, to.plugin, 'destination', replica.destinationEnvironment);
    notCarried.push(...source_.notCarried, ...destination_.notCarried);
    if (wave !== undefined)
      notCarried.push({
        of: name,
        what: 'wave',
        why: 'Coriolis has no waves; settings of the wave are part of each transfer',
      });
    return [
      {
        scenario: 'replica',
        origin_endpoint_id: source,
        destination_endpoint_id: destination,
        instances: [vmName],
        source_environment: source_.environment,
        destination_environment: destination_.environment,
        network_map: destination_.networkMap,
        storage_mappings: destination_.storageMappings,
        notes: name === vmName ? '' : name,
      },
    ];
  });
  return { endpoints: exported, transfers, notCarried };
}

/** One file with all payloads, wrapped as they are sent. */
export function payloadText({ endpoints, transfers }: ExportedProject): string {
  return `${JSON.stringify({ endpoints: endpoints.map((endpoint) => ({ endpoint })), transfers: transfers.map((transfer) => ({ transfer })) }, undefined, 2)}\n`;
}

/** The same as commands of its command line; endpoints by their names, which it takes in the place of ids. */
export function commandText({ endpoints, transfers }: ExportedProject): string {
  const nameOf = (id: unknown) => String(endpoints.find((endpoint) => endpoint['id'] === id)?.['name'] ?? id);
  const command = (words: readonly string[]) => words.map(quoteWord).join(' ');
  const lines = [
    ...endpoints.map((endpoint) =>
      command([
        'coriolis',
        'endpoint',
        'create',
        '--name',
        String(endpoint['name']),
        '--provider',
        String(endpoint['type']),
        '--connection',
        JSON.stringify(endpoint['connection_info']),
      ]),
    ),
    ...transfers.map((transfer) => {
      const storage = transfer['storage_mappings'] as {
        default?: string;
        backend_mappings?: { source: string; destination: string }[];
        disk_mappings?: { disk_id: string; destination: string }[];
      };
      return command([
        'coriolis',
        'transfer',
        'create',
        '--scenario',
        'replica',
        '--origin-endpoint',
        nameOf(transfer['origin_endpoint_id']),
        '--destination-endpoint',
        nameOf(transfer['destination_endpoint_id']),
        ...(transfer['instances'] as string[]).flatMap((instance) => ['--instance', instance]),
        '--source-environment',
        JSON.stringify(transfer['source_environment']),
        '--destination-environment',
        JSON.stringify(transfer['destination_environment']),
        '--network-map',
        JSON.stringify(transfer['network_map']),
        ...(storage.default === undefined ? [] : ['--default-storage-backend', storage.default]),
        ...(storage.backend_mappings ?? []).flatMap(({ source, destination }) => [
          '--storage-backend-mapping',
          `${source}=${destination}`,
        ]),
        ...(storage.disk_mappings ?? []).flatMap(({ disk_id: id, destination }) => [
          '--disk-storage-mapping',
          `${id}=${destination}`,
        ]),
        ...(transfer['notes'] === '' ? [] : ['--notes', String(transfer['notes'])]),
      ]);
    }),
  ];
  return `#!/bin/sh\nset -e\n${lines.join('\n')}\n`;
}
