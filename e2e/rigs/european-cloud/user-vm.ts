import type { RigClient } from './rig-client.ts';

/** A VM as users of the cloud make one, without anything of Causeway's. Resolves with its id when the cloud says that it runs. */
export async function startUserVm(client: RigClient, name: string, userData?: string): Promise<string> {
  const { body: nic } = await client.call('POST', `networks/${await client.idOf('networks', 'migration')}/nics`, {});
  const { body: server, status } = await client.call('POST', 'servers', {
    name,
    machineType: 'g1.1',
    availabilityZone: 'eu01-1',
    networking: { nicIds: [nic['id']] },
    bootVolume: {
      source: { type: 'image', id: await client.idOf('images', 'Debian 12') },
      size: 4,
      deleteOnTermination: true,
    },
    ...(userData === undefined ? {} : { userData: Buffer.from(userData).toString('base64') }),
  });
  if (status >= 300) throw new Error(`no VM ${name}: ${JSON.stringify(server)}`);
  const id = String(server['id']);
  await client.waitFor(`servers/${id}`, 'ACTIVE');
  return id;
}
