import { readFile } from 'node:fs/promises';
import { resolveAddress } from '../machines/reachable-port.ts';
import { makeKeyPair, RigSsh } from '../rig-ssh.ts';
import type { RigClient } from './rig-client.ts';

export interface RigWorker {
  readonly serverId: string;
  readonly address: string;
  readonly securityGroupId: string;
  readonly ssh: RigSsh;
  /** The host key that the user data set, `<type> <base64>`. */
  readonly hostKey: string;
  attach(volumeId: string): Promise<void>;
  detach(volumeId: string): Promise<void>;
}

const zone = 'eu01-1';

/** A worker as the product makes one: security group, NIC, public IP, server with user data. Resolves when SSH answers. */
export async function startRigWorker(client: RigClient, folder: string): Promise<RigWorker> {
  const account = await makeKeyPair(folder, `account-${Date.now()}`);
  const host = await makeKeyPair(folder, `host-${Date.now()}`);
  const { body: group } = await client.call('POST', 'security-groups', { name: 'worker-access' });
  await client.call('POST', `security-groups/${String(group['id'])}/rules`, {
    direction: 'ingress',
    protocol: 'tcp',
    portRange: { min: 22, max: 22 },
    ipRange: '127.0.0.0/8',
  });
  const network = await client.idOf('networks', 'migration');
  const { body: nic } = await client.call('POST', `networks/${network}/nics`, { securityGroups: [group['id']] });
  const { body: publicIp } = await client.call('POST', 'public-ips', { networkInterface: nic['id'] });
  const userData = {
    users: [
      { name: 'causeway', sudo: 'ALL=(ALL) NOPASSWD:ALL', shell: '/bin/sh', ssh_authorized_keys: [account.publicKey] },
    ],
    ssh_keys: { ed25519_private: await readFile(host.path, 'utf8'), ed25519_public: host.publicKey },
  };
  const { body: server } = await client.call('POST', 'servers', {
    name: 'worker-1',
    machineType: 'g1.1',
    availabilityZone: zone,
    networking: { nicIds: [nic['id']] },
    bootVolume: {
      source: { type: 'image', id: await client.idOf('images', 'Debian 12') },
      size: 4,
      deleteOnTermination: true,
    },
    userData: Buffer.from(`#cloud-config\n${JSON.stringify(userData)}`).toString('base64'),
  });
  const serverId = String(server['id']);
  const state = await client.waitFor(`servers/${serverId}`, 'ACTIVE', 'ERROR');
  if (state.body['status'] === 'ERROR') throw new Error(String(state.body['errorMessage']));
  const address = String(publicIp['ip']);
  const ssh = new RigSsh({ ...resolveAddress(address, 22), user: 'causeway', keyPath: account.path });
  // Emulated ones on busy processors take their time.
  await ssh.waitUntilUp();
  const follow = async (requestId: string): Promise<void> => {
    const { body } = await client.waitFor(`requests/${requestId}`, 'CREATED', 'DELETED', 'FAILED');
    if (body['status'] === 'FAILED') throw new Error(String(body['details']));
  };
  return {
    serverId,
    address,
    ssh,
    securityGroupId: String(group['id']),
    hostKey: host.publicKey.split(' ').slice(0, 2).join(' '),
    attach: async (volumeId) =>
      follow((await client.call('PUT', `servers/${serverId}/volume-attachments/${volumeId}`, {})).requestId),
    detach: async (volumeId) =>
      follow((await client.call('DELETE', `servers/${serverId}/volume-attachments/${volumeId}`)).requestId),
  };
}
