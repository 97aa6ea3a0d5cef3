import type { RigApi } from './admin-api.ts';

interface Listed {
  readonly id: string;
  readonly name?: string | null;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly description?: string | null;
  readonly device_owner?: string;
}

const kinds: readonly (readonly [kind: string, service: string, path: string, key: string])[] = [
  ['server', 'compute', '/servers/detail', 'servers'],
  ['volume', 'block-storage', '/volumes/detail', 'volumes'],
  ['volume-snapshot', 'block-storage', '/snapshots/detail', 'snapshots'],
  ['nic', 'network', '/v2.0/ports', 'ports'],
  ['public-ip', 'network', '/v2.0/floatingips', 'floatingips'],
  ['security-group', 'network', '/v2.0/security-groups', 'security_groups'],
];

/** Ports that the cloud makes for its own use, e.g. those of routers. */
const isTheClouds = ({ device_owner: owner = '' }: Listed): boolean => owner.startsWith('network:');

/**
 * Everything that a project has, as `<kind> <id> <name>`.
 *
 * @param replicas leaves out what is marked as of replicas with other ids; what has no mark is never left out
 */
export async function inventoryOf(api: RigApi, replicas = /./): Promise<string[]> {
  const lists = await Promise.all(
    kinds.map(async ([kind, service, path, key]) => {
      const own = service === 'network' ? `?project_id=${api.projectId}` : '';
      const listed = (await api.call<Record<string, Listed[]>>(service, 'GET', path + own))[key] ?? [];
      return listed
        .filter((one) => !isTheClouds(one) && (replicas.test(replicaOf(one) ?? 'none') || replicaOf(one) === undefined))
        .map(({ id, name }) => `${kind} ${id} ${name ?? ''}`.trimEnd());
    }),
  );
  return lists.flat();
}

function replicaOf({ metadata, description }: Listed): string | undefined {
  return metadata?.['causeway-replica'] ?? /causeway-replica=(\S+)/.exec(description ?? '')?.[1];
}
