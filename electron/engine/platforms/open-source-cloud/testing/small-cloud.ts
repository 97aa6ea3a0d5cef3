import { startScriptedCloud, type ScriptedAnswer, type ScriptedCloud, type SeenRequest } from './scripted-cloud.ts';

/** An id in the services' form, by number. */
export const idOf = (number: number): string => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;

type Item = Readonly<Record<string, unknown>> & { readonly id: string };

/** What there is from the beginning, by the key of its list. */
export type Furniture = Readonly<Record<string, readonly Item[]>>;

/** The ids of what every small cloud has. */
export const there = {
  network: idOf(1),
  subnet: idOf(2),
  workers: idOf(3),
  workersSubnet: idOf(4),
  outside: idOf(5),
  outsideLow: idOf(6),
  outsideHigh: idOf(7),
  shared: idOf(8),
  linuxImage: idOf(11),
  windowsImage: idOf(12),
  small: idOf(13),
  large: idOf(14),
  web: idOf(15),
  ssh: idOf(16),
  group: idOf(17),
} as const;

const usual: Furniture = {
  networks: [
    { id: there.network, name: 'private', project_id: 'p1', subnets: [there.subnet] },
    { id: there.workers, name: 'workers', project_id: 'p1', subnets: [there.workersSubnet] },
    {
      id: there.outside,
      name: 'public',
      project_id: 'admin',
      'router:external': true,
      subnets: [there.outsideLow, there.outsideHigh],
    },
    { id: there.shared, name: 'everybody', project_id: 'admin', shared: true, subnets: [] },
  ],
  subnets: [
    {
      id: there.subnet,
      name: 'private',
      network_id: there.network,
      cidr: '10.1.0.0/24',
      ip_version: 4,
      gateway_ip: '10.1.0.1',
    },
    {
      id: there.workersSubnet,
      name: 'workers',
      network_id: there.workers,
      cidr: '10.2.0.0/24',
      ip_version: 4,
      gateway_ip: '10.2.0.1',
    },
    {
      id: there.outsideLow,
      name: 'low',
      network_id: there.outside,
      cidr: '198.51.100.0/25',
      ip_version: 4,
      gateway_ip: '198.51.100.1',
    },
    {
      id: there.outsideHigh,
      name: 'high',
      network_id: there.outside,
      cidr: '198.51.100.128/25',
      ip_version: 4,
      gateway_ip: '198.51.100.129',
    },
  ],
  images: [
    { id: there.linuxImage, name: 'linux-worker', status: 'active', min_disk: 3, os_type: 'linux' },
    { id: there.windowsImage, name: 'windows-worker', status: 'active', min_disk: 30, os_type: 'windows' },
  ],
  flavors: [
    { id: there.small, name: 'small', vcpus: 1, ram: 1024, disk: 8 },
    { id: there.large, name: 'large', vcpus: 4, ram: 8192, disk: 0 },
  ],
  volume_types: [
    { id: idOf(21), name: 'standard' },
    { id: idOf(22), name: 'fast' },
    { id: idOf(23), name: 'archive' },
  ],
  keypairs: [{ id: 'ops', keypair: { name: 'ops' } }],
  server_groups: [{ id: there.group, name: 'apart', policy: 'anti-affinity' }],
  security_groups: [
    { id: there.web, name: 'web', project_id: 'p1' },
    { id: there.ssh, name: 'ssh', project_id: 'p1' },
  ],
};

export interface SmallCloud {
  readonly script: ScriptedCloud;
  /** What was asked for with a body, in order: method, what it was for, and the body. */
  sent(of: string): readonly unknown[];
  /** What there is now, by the key of its list. */
  all(list: string): readonly Item[];
}

const singular: Readonly<Record<string, string>> = {
  servers: 'server',
  volumes: 'volume',
  snapshots: 'snapshot',
  backups: 'backup',
  ports: 'port',
  floatingips: 'floatingip',
  security_groups: 'security_group',
  security_group_rules: 'security_group_rule',
  networks: 'network',
  subnets: 'subnet',
  images: 'image',
  flavors: 'flavor',
};
const listKeys: Readonly<Record<string, string>> = {
  'os-keypairs': 'keypairs',
  'os-server-groups': 'server_groups',
  types: 'volume_types',
  'os-availability-zone': 'availabilityZoneInfo',
};

/** A cloud in which every requested resource exists immediately. */
export async function startSmallCloud(more: Furniture = {}, now?: () => number): Promise<SmallCloud> {
  const lists = new Map<string, Item[]>(Object.entries({ ...usual, ...more }).map(([key, items]) => [key, [...items]]));
  const listOf = (key: string): Item[] => {
    const list = lists.get(key) ?? [];
    lists.set(key, list);
    return list;
  };
  let made = 100;

  function answer({ method, target, body }: SeenRequest): ScriptedAnswer | undefined {
    const [path = '', query = ''] = target.split('?');
    const [, collection = '', id, ...rest] = path.split('/');
    const key = listKeys[collection] ?? collection.replaceAll('-', '_');
    if (target.startsWith('objectstore')) return undefined;
    if (method === 'GET' && rest[0] === 'os-interface') return { body: { interfaceAttachments: [] } };
    if (key === 'limits') return { body: { limits: { absolute: {} } } };
    if (key === 'os_quota_sets') return { body: { quota_set: {} } };
    if (key === 'quotas') return { body: { quota: {} } };
    if (method === 'GET' && (id === undefined || id === 'detail'))
      return { body: { [key]: listOf(key).filter((item) => matches(item, new URLSearchParams(query))) } };
    if (method === 'POST' && id === undefined) {
      const item = completed(key, { ...(body as Record<string, object>)[singular[key] ?? ''], id: idOf((made += 1)) });
      listOf(key).push(item);
      return { status: 202, body: { [singular[key] ?? '']: item } };
    }
    const item = listOf(key).find((each) => each.id === id);
    if (item === undefined) return undefined;
    if (rest.length > 0) return about(item, method, rest, body);
    if (method === 'DELETE') {
      listOf(key).splice(listOf(key).indexOf(item), 1);
      return { status: 204 };
    }
    if (method === 'PUT') Object.assign(item, (body as Record<string, object>)[singular[key] ?? '']);
    return { body: key === 'images' ? item : { [singular[key] ?? '']: item } };
  }

  /** What is asked of one thing: its attachments, actions, metadata. */
  function about(
    item: Item,
    method: string,
    [what, volumeId]: readonly string[],
    body: unknown,
  ): ScriptedAnswer | undefined {
    if (what === 'action' && typeof body === 'object' && body !== null && 'createImage' in body) {
      const image = { id: idOf((made += 1)), name: (body.createImage as { name: string }).name, status: 'active' };
      listOf('images').push(image);
      return { status: 202, body: { image_id: image.id } };
    }
    if (what !== 'os-volume_attachments') return what === 'action' || what === 'metadata' ? { status: 202 } : undefined;
    const attached = (): Item[] =>
      listOf('volumes').filter((each) => JSON.stringify(each['attachments'] ?? []).includes(item.id));
    if (method === 'GET')
      return {
        body: {
          volumeAttachments: attached().map(({ id }) => ({ volumeId: id, serverId: item.id, device: '/dev/vdb' })),
        },
      };
    const wanted = volumeId ?? (body as { volumeAttachment: { volumeId: string } }).volumeAttachment.volumeId;
    const volume = listOf('volumes').find(({ id }) => id === wanted);
    if (volume === undefined) return undefined;
    Object.assign(
      volume,
      method === 'POST'
        ? { status: 'in-use', attachments: [{ server_id: item.id }] }
        : { status: 'available', attachments: [] },
    );
    return { status: method === 'POST' ? 200 : 202, body: {} };
  }

  const script = await startScriptedCloud(answer, now === undefined ? {} : { now });
  return {
    script,
    all: (list) => listOf(list),
    sent: (of) =>
      script.requests
        .filter(({ method, target, body }) => body !== undefined && `${method} ${target}` === of)
        .map(({ body }) => body),
  };
}

/** What the services add to what was asked for. */
function completed(key: string, item: Item): Item {
  switch (key) {
    case 'servers':
      return { status: 'ACTIVE', metadata: {}, ...item, config_drive: item['config_drive'] === true ? 'True' : '' };
    case 'volumes':
      return { status: 'available', attachments: [], metadata: {}, ...item };
    case 'snapshots':
    case 'backups':
      return { status: 'available', size: 1, metadata: {}, ...item };
    case 'ports':
      return {
        mac_address: 'fa:16:3e:00:00:01',
        fixed_ips: [{ subnet_id: there.workersSubnet, ip_address: '10.2.0.9' }],
        security_groups: [],
        ...item,
      };
    case 'floatingips':
      return { floating_ip_address: '198.51.100.77', ...item };
    default:
      return item;
  }
}

/** Filters as the services take them; names of servers are patterns. */
function matches(item: Item, query: URLSearchParams): boolean {
  for (const [name, wanted] of query) {
    if (['limit', 'usage', 'fixed_ips'].includes(name)) continue;
    if (name === 'metadata') {
      const metadata = (item['metadata'] ?? {}) as Record<string, unknown>;
      if (Object.entries(JSON.parse(wanted) as object).some(([key, value]) => metadata[key] !== value)) return false;
    } else if (
      wanted.startsWith('^') ? !new RegExp(wanted).test(String(item[name])) : String(item[name] ?? '') !== wanted
    )
      return false;
  }
  return true;
}
