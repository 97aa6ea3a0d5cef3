import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  startScriptedCloud,
  type ScriptedAnswer,
  type ScriptedCloud,
  type SeenRequest,
} from '../testing/scripted-cloud.ts';
import { openCloud, type OpenStackCloud } from './open-cloud.ts';

const signal = new AbortController().signal;
const id = '3f2a4c1e-0d6b-4f7e-9a51-6b1d2c3e4f50';
const other = '9c1b7a52-8e4d-4b0a-b2f3-1a2b3c4d5e6f';
const labels = { 'managed-by': 'causeway' };

let script: ScriptedCloud;
let cloud: OpenStackCloud;
beforeAll(async () => {
  script = await startScriptedCloud(answerOf);
  cloud = openCloud(script.connection);
});
afterAll(() => {
  cloud.close();
  // Where the environment names the descriptions of the services, every request below was held against them.
  script.close();
});

const resources: Readonly<Record<string, object>> = {
  volume: { id, status: 'available', size: 1 },
  snapshot: { id, volume_id: other, status: 'available', size: 1 },
  backup: { id, volume_id: other, status: 'available', size: 1 },
  server: { id, name: 'a', status: 'ACTIVE' },
  network: { id, name: 'n' },
  port: { id, network_id: other, mac_address: '52:54:00:aa:00:01' },
  limits: { absolute: {} },
  floatingip: { id, floating_ip_address: '198.51.100.7', floating_network_id: other },
  security_group: { id, name: 'g' },
  security_group_rule: { id, security_group_id: other, direction: 'ingress' },
  quota_set: {},
  quota: {},
  version: { id: 'v2.1', version: '2.96' },
};
const lists = [
  'servers',
  'flavors',
  'keypairs',
  'server_groups',
  'availabilityZoneInfo',
  'volumeAttachments',
  'interfaceAttachments',
  'volumes',
  'snapshots',
  'backups',
  'attachments',
  'volume_types',
  'images',
  'networks',
  'subnets',
  'ports',
  'floatingips',
  'security_groups',
  'security_group_rules',
];

/** Everything under every key: what a client looks for is there. */
function answerOf({ target, method }: SeenRequest): ScriptedAnswer {
  if (target.startsWith('objectstore')) return { body: target.includes('format=json') ? [] : Buffer.from('content') };
  if (target === `image/images/${id}`) return { body: { id, status: 'active' } };
  if (method === 'DELETE') return { status: 204 };
  return { body: { ...resources, ...Object.fromEntries(lists.map((key) => [key, []])), image_id: id, output: 'text' } };
}

type Call = readonly [sent: string, call: (cloud: OpenStackCloud) => Promise<unknown>, body?: object];

/** What is sent for a call: method, path and query, and the body. */
const calls: readonly Call[] = [
  ['GET compute/flavors/detail', ({ compute }) => compute.flavors(signal)],
  ['GET compute/os-keypairs', ({ compute }) => compute.keyPairs(signal)],
  ['GET compute/os-server-groups', ({ compute }) => compute.serverGroups(signal)],
  ['GET compute/os-availability-zone', ({ compute }) => compute.availabilityZones(signal)],
  ['GET compute/limits', ({ compute }) => compute.limits(signal)],
  ['GET compute/', ({ compute }) => compute.newestVersion(signal)],
  ['GET compute/servers/detail', ({ compute }) => compute.servers.list({}, signal)],
  ['GET compute/servers/detail?name=%5Ea%24', ({ compute }) => compute.servers.list({ name: 'a' }, signal)],
  [`GET compute/servers/${id}`, ({ compute }) => compute.servers.get(id, signal)],
  [`DELETE compute/servers/${id}`, ({ compute }) => compute.servers.delete(id, signal)],
  [`POST compute/servers/${id}/action`, ({ compute }) => compute.servers.stop(id, signal), { 'os-stop': null }],
  [`POST compute/servers/${id}/action`, ({ compute }) => compute.servers.start(id, signal), { 'os-start': null }],
  [
    `POST compute/servers/${id}/action`,
    ({ compute }) => compute.servers.createImage(id, 'root', labels, signal),
    { createImage: { name: 'root', metadata: labels } },
  ],
  [
    `POST compute/servers/${id}/action`,
    ({ compute }) => compute.servers.consoleText(id, 200, signal),
    { 'os-getConsoleOutput': { length: 200 } },
  ],
  [`GET compute/servers/${id}/os-volume_attachments`, ({ compute }) => compute.servers.attachments(id, signal)],
  [
    `POST compute/servers/${id}/os-volume_attachments`,
    ({ compute }) => compute.servers.attach(id, other, signal),
    { volumeAttachment: { volumeId: other } },
  ],
  [
    `DELETE compute/servers/${id}/os-volume_attachments/${other}`,
    ({ compute }) => compute.servers.detach(id, other, signal),
  ],
  [`GET compute/servers/${id}/os-interface`, ({ compute }) => compute.servers.interfaces(id, signal)],

  ['GET volume/types', ({ volume }) => volume.types(signal)],
  ['GET volume/os-quota-sets/p1?usage=True', ({ volume }) => volume.quotas('p1', signal)],
  [
    'GET volume/volumes/detail?name=a&metadata=%7B%22managed-by%22%3A%22causeway%22%7D',
    ({ volume }) => volume.volumes.list({ name: 'a', metadata: labels }, signal),
  ],
  [`GET volume/volumes/${id}`, ({ volume }) => volume.volumes.get(id, signal)],
  [
    'POST volume/volumes',
    ({ volume }) => volume.volumes.create({ name: 'a', size: 2 }, signal),
    { volume: { name: 'a', size: 2 } },
  ],
  [
    'POST volume/volumes',
    ({ volume }) =>
      volume.volumes.create(
        { name: 'a', size: 2, volume_type: 'ssd', availability_zone: 'nova', metadata: labels, snapshot_id: id },
        signal,
      ),
    {
      volume: { name: 'a', size: 2, volume_type: 'ssd', availability_zone: 'nova', metadata: labels, snapshot_id: id },
    },
  ],
  [
    'POST volume/volumes',
    ({ volume }) => volume.volumes.create({ name: 'a', size: 2, source_volid: id }, signal),
    { volume: { name: 'a', size: 2, source_volid: id } },
  ],
  [
    'POST volume/volumes',
    ({ volume }) => volume.volumes.create({ name: 'a', size: 2, imageRef: id }, signal),
    { volume: { name: 'a', size: 2, imageRef: id } },
  ],
  [
    `POST volume/volumes/${id}/metadata`,
    ({ volume }) => volume.volumes.setMetadata(id, labels, signal),
    { metadata: labels },
  ],
  [
    `POST volume/volumes/${id}/action`,
    ({ volume }) => volume.volumes.setBootable(id, true, signal),
    { 'os-set_bootable': { bootable: true } },
  ],
  [
    `POST volume/volumes/${id}/action`,
    ({ volume }) => volume.volumes.setImageMetadata(id, { hw_disk_bus: 'virtio' }, signal),
    { 'os-set_image_metadata': { metadata: { hw_disk_bus: 'virtio' } } },
  ],
  [
    `POST volume/volumes/${id}/action`,
    ({ volume }) => volume.volumes.unsetImageMetadata(id, 'hw_disk_bus', signal),
    { 'os-unset_image_metadata': { key: 'hw_disk_bus' } },
  ],
  [
    `POST volume/volumes/${id}/action`,
    ({ volume }) => volume.volumes.extend(id, 5, signal),
    { 'os-extend': { new_size: 5 } },
  ],
  [
    `POST volume/volumes/${id}/action`,
    ({ volume }) => volume.volumes.revert(id, other, signal),
    { revert: { snapshot_id: other } },
  ],
  [`DELETE volume/volumes/${id}`, ({ volume }) => volume.volumes.delete(id, signal)],
  [
    `GET volume/snapshots/detail?name=a&volume_id=${other}&metadata=%7B%22managed-by%22%3A%22causeway%22%7D`,
    ({ volume }) => volume.snapshots.list({ name: 'a', volumeId: other, metadata: labels }, signal),
  ],
  [`GET volume/snapshots/${id}`, ({ volume }) => volume.snapshots.get(id, signal)],
  [
    'POST volume/snapshots',
    ({ volume }) => volume.snapshots.create({ volume_id: other, name: 'a', force: true, metadata: labels }, signal),
    { snapshot: { volume_id: other, name: 'a', force: true, metadata: labels } },
  ],
  [`DELETE volume/snapshots/${id}`, ({ volume }) => volume.snapshots.delete(id, signal)],
  [
    `GET volume/backups/detail?name=a&volume_id=${other}`,
    ({ volume }) => volume.backups.list({ name: 'a', volumeId: other }, signal),
  ],
  [`GET volume/backups/${id}`, ({ volume }) => volume.backups.get(id, signal)],
  [
    'POST volume/backups',
    ({ volume }) =>
      volume.backups.create(
        {
          volume_id: other,
          name: 'a',
          container: 'c',
          incremental: true,
          force: true,
          snapshot_id: id,
          metadata: labels,
        },
        signal,
      ),
    {
      backup: {
        volume_id: other,
        name: 'a',
        container: 'c',
        incremental: true,
        force: true,
        snapshot_id: id,
        metadata: labels,
      },
    },
  ],
  [`DELETE volume/backups/${id}`, ({ volume }) => volume.backups.delete(id, signal)],
  [`GET volume/attachments?volume_id=${other}`, ({ volume }) => volume.attachments.list(other, signal)],
  [`DELETE volume/attachments/${id}`, ({ volume }) => volume.attachments.delete(id, signal)],

  ['GET image/images?name=a&limit=200', ({ image }) => image.list({ name: 'a' }, signal)],
  [`GET image/images/${id}`, ({ image }) => image.get(id, signal)],
  [`DELETE image/images/${id}`, ({ image }) => image.delete(id, signal)],

  [
    'GET network/networks?name=a&project_id=p1&router%3Aexternal=true',
    ({ network }) => network.networks({ name: 'a', projectId: 'p1', external: true }, signal),
  ],
  [`GET network/networks/${id}`, ({ network }) => network.network(id, signal)],
  [`GET network/subnets?network_id=${id}`, ({ network }) => network.subnets({ networkId: id }, signal)],
  [
    `GET network/ports?name=a&project_id=p1&description=d&mac_address=52%3A54%3A00%3Aaa%3A00%3A01&network_id=${id}&fixed_ips=ip_address%3D10.0.0.5`,
    ({ network }) =>
      network.ports(
        {
          name: 'a',
          projectId: 'p1',
          description: 'd',
          macAddress: '52:54:00:aa:00:01',
          networkId: id,
          address: '10.0.0.5',
        },
        signal,
      ),
  ],
  [`GET network/ports/${id}`, ({ network }) => network.port(id, signal)],
  [
    'POST network/ports',
    ({ network }) =>
      network.createPort(
        {
          network_id: other,
          name: 'a',
          description: 'd',
          mac_address: '52:54:00:aa:00:01',
          fixed_ips: [{ subnet_id: id, ip_address: '10.0.0.5' }],
          security_groups: [id],
        },
        signal,
      ),
    {
      port: {
        network_id: other,
        name: 'a',
        description: 'd',
        mac_address: '52:54:00:aa:00:01',
        fixed_ips: [{ subnet_id: id, ip_address: '10.0.0.5' }],
        security_groups: [id],
      },
    },
  ],
  [
    `PUT network/ports/${id}`,
    ({ network }) => network.changePort(id, { security_groups: [other] }, signal),
    { port: { security_groups: [other] } },
  ],
  [`DELETE network/ports/${id}`, ({ network }) => network.deletePort(id, signal)],
  [
    `GET network/floatingips?port_id=${other}&description=d`,
    ({ network }) => network.floatingIps({ portId: other, description: 'd' }, signal),
  ],
  [`GET network/floatingips/${id}`, ({ network }) => network.floatingIp(id, signal)],
  [
    'POST network/floatingips',
    ({ network }) =>
      network.createFloatingIp({ floating_network_id: other, subnet_id: id, port_id: id, description: 'd' }, signal),
    { floatingip: { floating_network_id: other, subnet_id: id, port_id: id, description: 'd' } },
  ],
  [
    `PUT network/floatingips/${id}`,
    ({ network }) => network.assignFloatingIp(id, null, signal),
    { floatingip: { port_id: null } },
  ],
  [`DELETE network/floatingips/${id}`, ({ network }) => network.deleteFloatingIp(id, signal)],
  [
    'GET network/security-groups?name=a&project_id=p1&description=d',
    ({ network }) => network.securityGroups({ name: 'a', projectId: 'p1', description: 'd' }, signal),
  ],
  [`GET network/security-groups/${id}`, ({ network }) => network.securityGroup(id, signal)],
  [
    'POST network/security-groups',
    ({ network }) => network.createSecurityGroup({ name: 'a', description: 'd' }, signal),
    { security_group: { name: 'a', description: 'd' } },
  ],
  [`DELETE network/security-groups/${id}`, ({ network }) => network.deleteSecurityGroup(id, signal)],
  [`GET network/security-group-rules?security_group_id=${id}`, ({ network }) => network.rules(id, signal)],
  [
    'POST network/security-group-rules',
    ({ network }) =>
      network.createRule(
        {
          security_group_id: other,
          direction: 'ingress',
          ethertype: 'IPv4',
          protocol: 'tcp',
          port_range_min: 22,
          port_range_max: 22,
          remote_ip_prefix: '198.51.100.7/32',
          description: 'd',
        },
        signal,
      ),
    {
      security_group_rule: {
        security_group_id: other,
        direction: 'ingress',
        ethertype: 'IPv4',
        protocol: 'tcp',
        port_range_min: 22,
        port_range_max: 22,
        remote_ip_prefix: '198.51.100.7/32',
        description: 'd',
      },
    },
  ],
  [`DELETE network/security-group-rules/${id}`, ({ network }) => network.deleteRule(id, signal)],
  ['GET network/quotas/p1/details', ({ network }) => network.quotas('p1', signal)],

  ['GET objectstore?format=json&limit=10000', ({ objectStore }) => objectStore.containers(signal)],
  [
    'GET objectstore/backups?format=json&limit=10000&prefix=volume_1',
    ({ objectStore }) => objectStore.objects('backups', 'volume_1', signal),
  ],
  ['GET objectstore/backups/volume_1/part', ({ objectStore }) => objectStore.read('backups', 'volume_1/part', signal)],
  [
    'GET objectstore/backups/volume_1/part',
    ({ objectStore }) => objectStore.readRange('backups', 'volume_1/part', 0, 7, signal),
  ],
];

it.each(calls.map(([sent, call, body]) => ({ sent, call, body })))(
  '$sent is what a call sends',
  async ({ sent, call, body }) => {
    await cloud.identity(signal);
    const before = script.requests.length;
    await call(cloud);
    expect(
      script.requests.slice(before).map(({ method, target, body: given }) => [`${method} ${target}`, given]),
    ).toEqual([[sent, body]]);
  },
);

it('a server is asked for with all that it can have', async () => {
  const server = {
    name: 'web',
    flavorRef: 'small',
    imageRef: other,
    key_name: 'ops',
    availability_zone: 'nova',
    networks: [{ port: id }],
    config_drive: true,
    user_data: Buffer.from('#!').toString('base64'),
    block_device_mapping_v2: [
      { source_type: 'volume', destination_type: 'volume', uuid: id, boot_index: 0, delete_on_termination: false },
      {
        source_type: 'image',
        destination_type: 'volume',
        uuid: id,
        boot_index: -1,
        volume_size: 2,
        volume_type: 'ssd',
        disk_bus: 'virtio',
        delete_on_termination: true,
      },
    ],
    metadata: { environment: 'production' },
    tags: ['environment=production'],
  } as const;
  await cloud.compute.servers.create(server, { group: other }, signal);
  expect(script.requests.at(-1)).toMatchObject({
    target: 'compute/servers',
    body: { server, 'os:scheduler_hints': { group: other } },
  });
  await cloud.compute.servers.create({ name: 'alone', flavorRef: 'small', networks: 'none' }, {}, signal);
  expect(script.requests.at(-1)?.body).toEqual({ server: { name: 'alone', flavorRef: 'small', networks: 'none' } });
});
