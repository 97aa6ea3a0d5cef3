import { stat } from 'node:fs/promises';
import { generateKeyPairSync } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { closeAll } from '../rigs/closing.ts';
import { RigClient } from '../rigs/european-cloud/rig-client.ts';
import { startEuropeanCloud } from '../rigs/european-cloud/start.ts';
import type { EuropeanCloud } from '../rigs/european-cloud/start.ts';

let cloud: EuropeanCloud;
let client: RigClient;

beforeEach(async () => {
  cloud = await startEuropeanCloud({ transitionMs: 15 });
  client = new RigClient(cloud);
  await client.signIn();
});

afterEach(() =>
  closeAll(
    () => cloud.close(),
    () => expect(cloud.violations).toEqual([]),
  ),
);

const zone = 'eu01-1';

async function newVolume(body: object = {}): Promise<string> {
  const { body: volume } = await client.call('POST', 'volumes', {
    availabilityZone: zone,
    size: 1,
    name: 'disk',
    ...body,
  });
  await client.waitFor(`volumes/${String(volume['id'])}`, 'AVAILABLE');
  return String(volume['id']);
}

async function newServer(body: object = {}): Promise<string> {
  const answer = await client.call('POST', 'servers', {
    name: 'worker',
    machineType: 'g1.1',
    availabilityZone: zone,
    networking: { networkId: await client.idOf('networks', 'migration') },
    bootVolume: {
      source: { type: 'image', id: await client.idOf('images', 'Debian 12') },
      size: 4,
      deleteOnTermination: true,
    },
    ...body,
  });
  expect(answer.status).toBe(201);
  await client.waitFor(`servers/${String(answer.body['id'])}`, 'ACTIVE');
  return String(answer.body['id']);
}

describe('signing in to the simulated European cloud', () => {
  it('refuses calls without a token, and with one that has expired', async () => {
    const stranger = new RigClient(cloud);
    expect((await stranger.call('GET', 'volumes')).status).toBe(401);
    cloud.tokens.lifetimeSeconds = 0;
    await stranger.signIn();
    expect(await stranger.call('GET', 'volumes')).toMatchObject({
      status: 401,
      body: { code: 401, msg: 'Unauthorized' },
    });
  });

  it('verifies the assertion: signature, algorithm, key id, audience, life, and that it is used once', async () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const foreign = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    const seconds = Math.floor(Date.now() / 1000);
    const broken = [
      client.assertion({ privateKey: foreign }),
      client.assertion({ header: { alg: 'RS256' } }),
      client.assertion({ header: { kid: 'another' } }),
      client.assertion({ claims: { aud: 'https://elsewhere.invalid' } }),
      client.assertion({ claims: { iat: seconds - 4000, exp: seconds - 400 } }),
    ];
    for (const assertion of broken) expect((await client.requestToken(assertion)).status).toBe(400);
    const good = client.assertion();
    expect((await client.requestToken(good)).status).toBe(200);
    expect((await client.requestToken(good)).status).toBe(400);
  });
});

describe('volumes of the simulated European cloud', () => {
  it('are accepted, then created as sparse files in their real size, then gone', async () => {
    const answer = await client.call('POST', 'volumes', {
      availabilityZone: zone,
      size: 100,
      name: 'disk',
      labels: { run: 'a1' },
    });
    expect(answer).toMatchObject({ status: 201, body: { status: 'CREATING', size: 100 } });
    const id = String(answer.body['id']);
    expect(await client.call('GET', `requests/${answer.requestId}`)).toMatchObject({
      status: 200,
      body: { requestAction: 'CREATE', status: 'CREATING', resources: [{ id }] },
    });
    await client.waitFor(`volumes/${id}`, 'AVAILABLE');
    expect((await client.call('GET', `requests/${answer.requestId}`)).body['status']).toBe('CREATED');
    const file = await stat(cloud.volumePath(id));
    expect({ size: file.size, blocks: file.blocks }).toEqual({ size: 100 * 2 ** 30, blocks: 0 });
    expect((await client.call('GET', 'volumes?label_selector=run%3Da1')).body['items']).toHaveLength(1);
    expect((await client.call('GET', 'volumes?label_selector=run%3Da2')).body['items']).toHaveLength(0);
    expect((await client.call('DELETE', `volumes/${id}`)).status).toBe(204);
    await client.waitFor(`volumes/${id}`, 'GONE');
    await expect(stat(cloud.volumePath(id))).rejects.toThrow('ENOENT');
  });

  it('grow but do not shrink', async () => {
    const id = await newVolume();
    expect((await client.call('POST', `volumes/${id}/resize`, { size: 3 })).status).toBe(202);
    expect((await client.waitFor(`volumes/${id}`, 'AVAILABLE')).body['size']).toBe(3);
    expect((await stat(cloud.volumePath(id))).size).toBe(3 * 2 ** 30);
    expect((await client.call('POST', `volumes/${id}/resize`, { size: 2 })).status).toBe(400);
  });

  it('are made from snapshots with the same bytes', async () => {
    const id = await newVolume();
    const { open } = await import('node:fs/promises');
    const file = await open(cloud.volumePath(id), 'r+');
    await file.write(Buffer.from('bytes of the guest'), 0, 18, 4096);
    await file.close();
    const { body: snapshot } = await client.call('POST', 'snapshots', { volumeId: id, name: 'point' });
    await client.waitFor(`snapshots/${String(snapshot['id'])}`, 'AVAILABLE');
    expect((await client.call('DELETE', `volumes/${id}`)).status).toBe(409);
    const copy = await newVolume({ source: { type: 'snapshot', id: snapshot['id'] }, size: 2 });
    const bytes = Buffer.alloc(18);
    const read = await open(cloud.volumePath(copy));
    await read.read(bytes, 0, 18, 4096);
    await read.close();
    expect({ text: bytes.toString(), size: (await stat(cloud.volumePath(copy))).size }).toEqual({
      text: 'bytes of the guest',
      size: 2 * 2 ** 30,
    });
  });

  it('answer 413 beyond the quota', async () => {
    cloud.world.setup.quotas = { ...cloud.world.setup.quotas, gigabytes: 5 };
    await newVolume({ size: 4 });
    expect((await client.call('POST', 'volumes', { availabilityZone: zone, size: 4 })).status).toBe(413);
    expect((await client.call('GET', 'quotas')).body).toMatchObject({ quotas: { gigabytes: { limit: 5, usage: 4 } } });
  });
});

describe('servers of the simulated European cloud', () => {
  it('attach volumes, whose deletion is refused meanwhile, and let go of them', async () => {
    const [server, volume] = [await newServer(), await newVolume()];
    const path = `servers/${server}/volume-attachments/${volume}`;
    const attach = await client.call('PUT', path, {});
    expect(attach.status).toBe(202);
    expect((await client.call('PUT', path, {})).status).toBe(409);
    await client.waitFor(`requests/${attach.requestId}`, 'CREATED');
    expect((await client.call('GET', path)).status).toBe(200);
    expect((await client.call('DELETE', `volumes/${volume}`)).status).toBe(409);
    const detach = await client.call('DELETE', path);
    expect(detach.status).toBe(204);
    await client.waitFor(`requests/${detach.requestId}`, 'DELETED');
    expect((await client.call('GET', path)).status).toBe(404);
    expect((await client.call('DELETE', `servers/${server}`)).status).toBe(204);
    await client.waitFor(`servers/${server}`, 'GONE');
    expect(cloud.world.leftovers()).toEqual(['volume disk']);
  });

  it('need a boot size that fits the image and a machine type that exists', async () => {
    const image = await client.idOf('images', 'Ubuntu 24.04');
    const wish = {
      name: 'worker',
      machineType: 'g1.1',
      availabilityZone: zone,
      networking: { networkId: await client.idOf('networks', 'migration') },
      bootVolume: { source: { type: 'image', id: image }, size: 1 },
    };
    expect(await client.call('POST', 'servers', wish)).toMatchObject({
      status: 400,
      body: { msg: 'boot device size is not valid or missing' },
    });
    expect(await client.call('POST', 'servers', { ...wish, machineType: 'none' })).toMatchObject({
      status: 400,
      body: { msg: 'machine type is not valid' },
    });
  });

  it('use NICs that were made before, with fixed and public addresses', async () => {
    const network = await client.idOf('networks', 'production');
    const { body: group } = await client.call('POST', 'security-groups', { name: 'worker-access' });
    const rule = await client.call('POST', `security-groups/${String(group['id'])}/rules`, {
      direction: 'ingress',
      ethertype: 'IPv4',
      protocol: 'tcp',
      portRange: { min: 22, max: 22 },
      ipRange: '127.0.0.1/32',
    });
    expect(rule).toMatchObject({ status: 201, body: { protocol: { name: 'tcp', number: 6 } } });
    const { body: nic } = await client.call('POST', `networks/${network}/nics`, {
      name: 'nic0',
      ipv4: '10.20.0.7',
      securityGroups: [group['id']],
    });
    expect((await client.call('POST', `networks/${network}/nics`, { ipv4: '10.20.0.7' })).status).toBe(409);
    expect((await client.call('POST', `networks/${network}/nics`, { ipv4: '10.99.0.7' })).status).toBe(400);
    const { body: address } = await client.call('POST', 'public-ips', { networkInterface: nic['id'] });
    const server = await newServer({ networking: { nicIds: [nic['id']] } });
    expect((await client.call('GET', `servers/${server}?details=true`)).body['nics']).toMatchObject([
      { ipv4: '10.20.0.7', publicIp: address['ip'] },
    ]);
    expect((await client.call('DELETE', `networks/${network}/nics/${String(nic['id'])}`)).status).toBe(400);
    expect((await client.call('DELETE', `security-groups/${String(group['id'])}`)).status).toBe(409);
  });
});

describe('the region of the simulated European cloud', () => {
  it('filters machine types by an expression', async () => {
    const filter = encodeURIComponent('vcpus >= 2 && ram >= 4096 && !(name startsWith "n1")');
    const { body } = await client.call('GET', `machine-types?filter=${filter}`);
    expect((body['items'] as { name: string }[]).map((item) => item.name)).toEqual(['c2i.2', 'g1.2', 'g1.4', 'g1r.2']);
    expect((await client.call('GET', 'machine-types?filter=vcpus')).status).toBe(400);
  });

  it('has key pairs of the service account, and resources whose names are not unique', async () => {
    const publicKey = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIHUeFjcN3cPk1zrfYz0dtNlZwYbYmqkYk1x5p2ojqWMi';
    expect((await client.call('POST', '/v2/keypairs', { name: 'run-1', publicKey })).status).toBe(201);
    expect((await client.call('POST', '/v2/keypairs', { name: 'run-1', publicKey })).status).toBe(409);
    expect((await client.call('DELETE', '/v2/keypairs/run-1')).status).toBe(204);
    await newVolume({ name: 'twin' });
    await newVolume({ name: 'twin' });
    expect((await client.call('GET', 'volumes')).body['items']).toHaveLength(2);
  });
});

describe('faults on demand', () => {
  it('hit the call that they were put on, and only that', async () => {
    cloud.faults.add({ operation: 'ListVolumes', nth: 2, effect: '429' });
    const statuses = [];
    for (let call = 0; call < 3; call += 1) statuses.push((await client.call('GET', 'volumes')).status);
    expect(statuses).toEqual([200, 429, 200]);
    expect(cloud.calls.filter((call) => call.operation === 'ListVolumes').map((call) => call.status)).toEqual([
      200, 429, 200,
    ]);
  });

  it('lose the answer of what was done, and not of what was not', async () => {
    cloud.faults.add({ operation: 'CreateVolume', effect: '502-before' });
    cloud.faults.add({ operation: 'CreateVolume', nth: 2, effect: '502-after' });
    const wish = { availabilityZone: zone, size: 1, name: 'lost' };
    expect((await client.call('POST', 'volumes', wish)).status).toBe(502);
    expect(cloud.world.volumes.size).toBe(0);
    expect((await client.call('POST', 'volumes', wish)).status).toBe(502);
    expect(cloud.world.volumes.size).toBe(1);
  });

  it('cut connections before and after the deed', async () => {
    cloud.faults.add({ operation: 'CreateVolume', effect: 'connection-reset' });
    cloud.faults.add({ operation: 'CreateVolume', nth: 2, effect: 'connection-reset-after' });
    const wish = { availabilityZone: zone, size: 1, name: 'lost' };
    await expect(client.call('POST', 'volumes', wish)).rejects.toThrow();
    expect(cloud.world.volumes.size).toBe(0);
    await expect(client.call('POST', 'volumes', wish)).rejects.toThrow();
    expect(cloud.world.volumes.size).toBe(1);
    expect(cloud.calls.filter((call) => call.operation === 'CreateVolume').map((call) => call.status)).toEqual([
      'cut',
      'cut',
    ]);
  });

  it('end in an ERROR status, or never end', async () => {
    cloud.faults.add({ operation: 'CreateVolume', effect: 'status-error' });
    const { body: volume } = await client.call('POST', 'volumes', { availabilityZone: zone, size: 1 });
    await client.waitFor(`volumes/${String(volume['id'])}`, 'ERROR');
    const [server, disk] = [await newServer(), await newVolume()];
    cloud.faults.add({ operation: 'AddVolumeToServer', effect: 'hang' });
    const attach = await client.call('PUT', `servers/${server}/volume-attachments/${disk}`, {});
    await newVolume();
    expect((await client.call('GET', `requests/${attach.requestId}`)).body['status']).toBe('CREATING');
    expect((await client.call('GET', `volumes/${disk}`)).body['status']).toBe('ATTACHING');
  });
});
