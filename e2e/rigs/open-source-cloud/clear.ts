import { setTimeout as sleep } from 'node:timers/promises';
import type { RigApi } from './admin-api.ts';

interface Found {
  readonly id: string;
  readonly name?: string | null;
  readonly device_owner?: string;
  readonly owner?: string;
}

/** In the order in which they let go of each other. Ports of networks and routers, and what the rig furnished, stay. */
const kinds: readonly {
  readonly service: string;
  readonly path: string;
  readonly list: string;
  goes(one: Found, projectId: string): boolean;
}[] = [
  { service: 'compute', path: '/servers', list: 'servers', goes: () => true },
  { service: 'block-storage', path: '/backups', list: 'backups', goes: () => true },
  { service: 'block-storage', path: '/snapshots', list: 'snapshots', goes: () => true },
  { service: 'block-storage', path: '/volumes', list: 'volumes', goes: () => true },
  { service: 'network', path: '/v2.0/floatingips', list: 'floatingips', goes: () => true },
  {
    service: 'network',
    path: '/v2.0/ports',
    list: 'ports',
    goes: ({ device_owner: owner = '' }) => !owner.startsWith('network:'),
  },
  {
    service: 'network',
    path: '/v2.0/security-groups',
    list: 'security_groups',
    goes: ({ name }) => name !== 'open' && name !== 'default',
  },
  { service: 'image', path: '/v2/images', list: 'images', goes: ({ owner }, projectId) => owner === projectId },
];

/**
 * Removes from a project whatever a run that was killed left in it, so that specs which look for leftovers see their own
 * alone. Some things can go only once others have gone: everything is asked for again until nothing is left, at most three
 * minutes long.
 */
export async function clearProject(project: RigApi): Promise<void> {
  for (const deadline = Date.now() + 180_000; ; await sleep(1000)) {
    const left: string[] = [];
    let refusal: unknown;
    for (const { service, path, list, goes } of kinds) {
      const found = (await project.call<Record<string, Found[]>>(service, 'GET', path))[list] ?? [];
      for (const one of found.filter((each) => goes(each, project.projectId))) {
        left.push(`${list}: ${one.name ?? ''} ${one.id}`);
        await project.call(service, 'DELETE', `${path}/${one.id}`).catch((error: unknown) => (refusal = error));
      }
    }
    if (left.length === 0) return;
    if (Date.now() > deadline)
      throw new Error(`what an earlier run left does not go: ${left.join(', ')}`, { cause: refusal });
  }
}
