import type { FeaturePolicy } from '../../../ports/platform-common.ts';
import { isDataAction, readPermissions } from '../client/permissions.ts';
import type { AzureSession } from './session.ts';

const compute = (kind: string, ...actions: readonly string[]): readonly string[] =>
  actions.map((action) => `Microsoft.Compute/${kind}/${action}`);
const network = (kind: string, ...actions: readonly string[]): readonly string[] =>
  actions.map((action) => `Microsoft.Network/${kind}/${action}`);
const life = ['read', 'write', 'delete'] as const;

/** What a role has to allow, by feature; the actions of the vendor's custom roles. */
export const destinationPrivileges: readonly FeaturePolicy[] = [
  {
    feature: 'Lists and checks',
    isEssential: true,
    privileges: [
      'Microsoft.Resources/subscriptions/resourceGroups/read',
      'Microsoft.Resources/subscriptions/locations/read',
      'Microsoft.Authorization/permissions/read',
      'Microsoft.Compute/skus/read',
      'Microsoft.Compute/locations/usages/read',
      'Microsoft.Network/locations/usages/read',
      'Microsoft.Compute/locations/publishers/artifacttypes/offers/skus/versions/read',
      ...network('virtualNetworks', 'read', 'checkIpAddressAvailability/read'),
      ...network('virtualNetworks/subnets', 'read'),
      'Microsoft.Compute/locations/operations/read',
      'Microsoft.Network/locations/operations/read',
    ],
  },
  { feature: 'Replica disks', isEssential: true, privileges: compute('disks', ...life) },
  {
    feature: 'Direct upload',
    isEssential: false,
    privileges: compute('disks', 'beginGetAccess/action', 'endGetAccess/action'),
  },
  {
    feature: 'Workers',
    isEssential: true,
    privileges: [
      ...compute('virtualMachines', ...life, 'attachDetachDataDisks/action', 'instanceView/read'),
      ...network('networkInterfaces', ...life, 'join/action'),
      ...network('networkSecurityGroups', ...life, 'join/action'),
      ...network('virtualNetworks/subnets', 'join/action'),
    ],
  },
  {
    feature: 'Workers with public addresses',
    isEssential: false,
    privileges: network('publicIPAddresses', ...life, 'join/action'),
  },
  {
    feature: 'Networks made for workers',
    isEssential: false,
    privileges: [...network('virtualNetworks', 'write', 'delete'), ...network('virtualNetworks/subnets', 'write')],
  },
  {
    feature: 'Windows workers',
    isEssential: false,
    privileges: compute('virtualMachines/extensions', 'read', 'write'),
  },
  {
    feature: 'Deployment',
    isEssential: true,
    privileges: [...compute('snapshots', ...life), ...compute('virtualMachines', 'retrieveBootDiagnosticsData/action')],
  },
  {
    feature: 'Trusted launch',
    isEssential: false,
    privileges: compute('virtualMachines', 'deallocate/action', 'start/action'),
  },
  { feature: 'Availability sets', isEssential: false, privileges: compute('availabilitySets', 'read', 'vmSizes/read') },
  {
    feature: 'Page blobs',
    isEssential: false,
    privileges: [
      'Microsoft.Storage/storageAccounts/read',
      'Microsoft.Storage/storageAccounts/blobServices/containers/write',
      ...['read', 'write', 'delete', 'add/action'].map(
        (action) => `Microsoft.Storage/storageAccounts/blobServices/containers/blobs/${action}`,
      ),
    ],
  },
];

/** What the signed-in identity lacks of each feature, in a resource group or the subscription. What concerns the data of one storage account shows when that is used. */
export async function missingPrivileges(
  session: AzureSession,
  group: string | undefined,
  signal: AbortSignal,
): Promise<readonly FeaturePolicy[]> {
  const isAllowed = await readPermissions(session, signal, group);
  return destinationPrivileges
    .map((feature) => ({
      ...feature,
      privileges: feature.privileges.filter((action) => !isDataAction(action) && !isAllowed(action)),
    }))
    .filter(({ privileges }) => privileges.length > 0);
}
