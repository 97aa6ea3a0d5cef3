import type { RigApi } from './admin-api.ts';

interface Named {
  readonly id: string;
  readonly name: string;
}

/** Users of the services with their roles. */
const serviceUsers = ['swift', 'cinder', 'glance', 'placement', 'neutron', 'nova'];

const services: readonly (readonly [name: string, type: string, url: string])[] = [
  ['swift', 'object-store', 'http://127.0.0.1:18080/v1/AUTH_%(project_id)s'],
  ['cinderv3', 'volumev3', 'http://127.0.0.1:18776/v3/%(project_id)s'],
  ['cinder', 'block-storage', 'http://127.0.0.1:18776/v3/%(project_id)s'],
  ['glance', 'image', 'http://127.0.0.1:19292'],
  ['placement', 'placement', 'http://127.0.0.1:18778'],
  ['neutron', 'network', 'http://127.0.0.1:19696'],
  ['nova', 'compute', 'http://127.0.0.1:18774/v2.1'],
];

/** A project with one user who has a member's rights in it and none elsewhere. */
export interface ProjectLogin {
  readonly projectName: string;
  readonly username: string;
}

/** Puts services, their users and the tests' projects into the identity service. Safe to repeat. */
export async function registerServices(
  admin: RigApi,
  password: string,
  projects: readonly ProjectLogin[],
): Promise<void> {
  const identity = <T>(method: string, path: string, body?: unknown) => admin.call<T>('identity', method, path, body);
  const one = async (kind: string, name: string, body: object): Promise<string> => {
    const found = await identity<Record<string, Named[]>>('GET', `/${kind}s?name=${name}`);
    const existing = found[`${kind}s`]?.[0]?.id;
    if (existing !== undefined) return existing;
    const made = await identity<Record<string, Named>>('POST', `/${kind}s`, { [kind]: { name, ...body } });
    return made[kind]?.id ?? '';
  };
  const grant = (project: string, user: string, role: string) =>
    identity('PUT', `/projects/${project}/users/${user}/roles/${role}`);
  const [serviceProject, adminRole, serviceRole, memberRole] = [
    await one('project', 'service', { domain_id: 'default' }),
    await one('role', 'admin', {}),
    await one('role', 'service', {}),
    await one('role', 'member', {}),
  ];
  for (const name of serviceUsers) {
    const user = await one('user', name, { domain_id: 'default', password });
    await grant(serviceProject, user, adminRole);
    await grant(serviceProject, user, serviceRole);
  }
  const known = (await identity<{ services: { type: string }[] }>('GET', '/services')).services.map(
    (service) => service.type,
  );
  for (const [name, type, url] of services.filter(([, type]) => !known.includes(type))) {
    const { service } = await identity<{ service: Named }>('POST', '/services', { service: { name, type } });
    for (const kind of ['public', 'internal', 'admin']) {
      await identity('POST', '/endpoints', {
        endpoint: { service_id: service.id, interface: kind, url, region_id: 'RegionOne' },
      });
    }
  }
  for (const { projectName, username } of projects) {
    const project = await one('project', projectName, { domain_id: 'default' });
    const user = await one('user', username, { domain_id: 'default', password });
    await grant(project, user, memberRole);
  }
}
