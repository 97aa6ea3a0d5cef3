import type { AvailabilitySetRecord, ResourceGroupRecord, StorageAccountRecord } from '../records.ts';
import { commonOperations, groupKey, pageOf, refuse, type Operation } from './call.ts';

/** Resource groups, and what is only read of them: availability sets and storage accounts. */
export const listGroups: Operation = (call) => ({
  status: 200,
  body: pageOf(call, call.world.resourceGroups.listed()),
});

export const getGroup: Operation = ({ world, params }) => {
  const wanted = params['resourceGroupName'] ?? '';
  const found: ResourceGroupRecord | undefined = world.resourceGroups.get(groupKey(world, wanted));
  if (found === undefined) throw refuse(404, 'ResourceGroupNotFound', `Resource group '${wanted}' could not be found.`);
  return { status: 200, body: found };
};

/** They have no state of their own. */
const withoutState = ({
  properties: { provisioningState: _, ...properties },
  ...record
}: AvailabilitySetRecord): object => ({ ...record, properties });

export const availabilitySets = commonOperations<AvailabilitySetRecord>({
  type: 'Microsoft.Compute/availabilitySets',
  collection: (world) => world.availabilitySets,
  show: (_call, record) => withoutState(record),
});
export const storageAccounts = commonOperations<StorageAccountRecord>({
  type: 'Microsoft.Storage/storageAccounts',
  collection: (world) => world.storageAccounts,
});

export const listKeys: Operation = () => ({
  status: 200,
  body: {
    keys: ['key1', 'key2'].map((keyName) => ({
      keyName,
      value: Buffer.from(`lab ${keyName}`).toString('base64'),
      permissions: 'FULL',
      creationTime: '2030-01-01T00:00:00Z',
    })),
  },
});
