import type { FeaturePolicy } from '../../../ports/platform-common.ts';
import { destinationPrivileges } from '../destination/permissions.ts';

/** What an export worker needs is what a worker of the destination does. */
const workerFeatures = [
  'Lists and checks',
  'Replica disks',
  'Workers',
  'Workers with public addresses',
  'Networks made for workers',
];

/** What an identity has to be allowed to read VMs, by feature. Actions as roles name them. */
export const sourcePermissions: readonly FeaturePolicy[] = [
  {
    feature: 'List and describe VMs',
    privileges: [
      'Microsoft.Compute/virtualMachines/read',
      'Microsoft.Compute/virtualMachines/instanceView/read',
      'Microsoft.Compute/disks/read',
      'Microsoft.Compute/skus/read',
      'Microsoft.Network/networkInterfaces/read',
      'Microsoft.Resources/subscriptions/resourceGroups/read',
      'Microsoft.Resources/subscriptions/locations/read',
    ],
    isEssential: true,
  },
  {
    feature: 'Take and remove snapshots',
    privileges: [
      'Microsoft.Compute/snapshots/read',
      'Microsoft.Compute/snapshots/write',
      'Microsoft.Compute/snapshots/delete',
      'Microsoft.Compute/disks/beginGetAccess/action',
    ],
    isEssential: true,
  },
  {
    feature: 'Read disks and what changed on them',
    privileges: [
      'Microsoft.Compute/snapshots/beginGetAccess/action',
      'Microsoft.Compute/snapshots/endGetAccess/action',
    ],
    isEssential: true,
  },
  {
    feature: 'Read disks by an export worker',
    privileges: destinationPrivileges
      .filter(({ feature }) => workerFeatures.includes(feature))
      .flatMap(({ privileges }) => privileges),
    isEssential: false,
  },
  {
    feature: 'Read unmanaged disks',
    privileges: [
      'Microsoft.Storage/storageAccounts/read',
      ...['read', 'write', 'delete'].map(
        (action) => `Microsoft.Storage/storageAccounts/blobServices/containers/blobs/${action}`,
      ),
    ],
    isEssential: false,
  },
  {
    feature: 'Read disks from copies in a storage account',
    privileges: [
      'Microsoft.Storage/storageAccounts/read',
      'Microsoft.Storage/storageAccounts/blobServices/containers/write',
      ...['read', 'write', 'delete'].map(
        (action) => `Microsoft.Storage/storageAccounts/blobServices/containers/blobs/${action}`,
      ),
    ],
    isEssential: false,
  },
  {
    feature: 'Snapshots of disks with a disk encryption set',
    privileges: ['Microsoft.Compute/diskEncryptionSets/read'],
    isEssential: false,
  },
  {
    feature: 'Shut down the guest before the last execution',
    privileges: ['Microsoft.Compute/virtualMachines/deallocate/action'],
    isEssential: false,
  },
  {
    feature: 'Start the source again after a roll-back',
    privileges: ['Microsoft.Compute/virtualMachines/start/action'],
    isEssential: false,
  },
];
