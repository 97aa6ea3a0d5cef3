import type { RigApi } from './admin-api.ts';

interface Listed {
  readonly id: string;
  readonly name?: string;
}

const kinds: readonly (readonly [kind: string, service: string, path: string, key: string])[] = [
  ['server', 'compute', '/servers', 'servers'],
  ['volume', 'block-storage', '/volumes', 'volumes'],
  ['volume-snapshot', 'block-storage', '/snapshots', 'snapshots'],
  ['nic', 'network', '/v2.0/ports', 'ports'],
  ['public-ip', 'network', '/v2.0/floatingips', 'floatingips'],
  ['security-group', 'network', '/v2.0/security-groups', 'security_groups'],
  ['key-pair', 'compute', '/os-keypairs', 'keypairs'],
];

/** Everything that a project has, as `<kind> <id> <name>`. */
export async function inventoryOf(api: RigApi): Promise<string[]> {
  const lists = await Promise.all(kinds.map(async ([kind, service, path, key]) => {
    const own = service === 'network' ? `?project_id=${api.projectId}` : '';
    return ((await api.call<Record<string, Listed[]>>(service, 'GET', path + own))[key] ?? []).map(({ id, name }) => `${kind} ${id ?? ''} ${name ?? ''}`.trimEnd());
  }));
  return lists.flat();
}
