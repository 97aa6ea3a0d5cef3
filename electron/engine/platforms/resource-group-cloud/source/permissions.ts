import { z } from 'zod';
import type { FeaturePolicy } from '../../../ports/platform-common.ts';
import type { AzureCloud } from '../client/open-azure.ts';

/** What an identity has to be allowed to read VMs, by feature. Actions as roles name them. */
export const sourcePermissions: readonly FeaturePolicy[] = [
  {
    feature: 'List and describe VMs',
    privileges: [
      'Microsoft.Compute/virtualMachines/read', 'Microsoft.Compute/virtualMachines/instanceView/read', 'Microsoft.Compute/disks/read', 'Microsoft.Compute/skus/read',
      'Microsoft.Network/networkInterfaces/read', 'Microsoft.Resources/subscriptions/resourceGroups/read', 'Microsoft.Resources/subscriptions/locations/read',
    ],
    isEssential: true,
  },
  {
    feature: 'Take and remove snapshots',
    privileges: ['Microsoft.Compute/snapshots/read', 'Microsoft.Compute/snapshots/write', 'Microsoft.Compute/snapshots/delete', 'Microsoft.Compute/disks/beginGetAccess/action'],
    isEssential: true,
  },
  {
    feature: 'Read disks and what changed on them',
    privileges: ['Microsoft.Compute/snapshots/beginGetAccess/action', 'Microsoft.Compute/snapshots/endGetAccess/action'],
    isEssential: true,
  },
  { feature: 'Snapshots of disks with a disk encryption set', privileges: ['Microsoft.Compute/diskEncryptionSets/read'], isEssential: false },
  { feature: 'Shut down the guest before the last execution', privileges: ['Microsoft.Compute/virtualMachines/deallocate/action'], isEssential: false },
];

const permissionsSchema = z.looseObject({
  value: z.array(z.looseObject({ actions: z.array(z.string()).default([]), notActions: z.array(z.string()).default([]) })),
  nextLink: z.string().nullish(),
});

/** What the signed-in identity may do in the subscription, as its roles say. */
export async function readPermissions(cloud: AzureCloud, signal: AbortSignal): Promise<(action: string) => boolean> {
  const { subscriptionId } = cloud.connection;
  const path = `/subscriptions/${encodeURIComponent(subscriptionId)}/providers/Microsoft.Authorization/permissions`;
  const { value } = await cloud.armGet('read permissions', permissionsSchema, path, '2022-04-01', signal);
  const grants = value.map(({ actions, notActions }) => ({ actions: actions.map(pattern), notActions: notActions.map(pattern) }));
  return (action) => grants.some(({ actions, notActions }) => actions.some((one) => one.test(action)) && !notActions.some((one) => one.test(action)));
}

/** `Microsoft.Compute/*` of a role: a star stands for any text. */
function pattern(action: string): RegExp {
  return new RegExp(`^${action.split('*').map((part) => part.replaceAll(/[$()+.?[\\\]^{|}]/g, String.raw`\$&`)).join('.*')}$`, 'i');
}

/** A role with least privilege, as `az role definition create` takes it. */
export function customRole(name: string, subscriptionId: string, features: readonly FeaturePolicy[]): string {
  const actions = [...new Set(features.flatMap(({ privileges }) => privileges))].sort();
  const role = { Name: name, IsCustom: true, Description: 'What Causeway needs of VMs that it reads.', Actions: actions, NotActions: [], DataActions: [], NotDataActions: [], AssignableScopes: [`/subscriptions/${subscriptionId}`] };
  return JSON.stringify(role, undefined, 2);
}
