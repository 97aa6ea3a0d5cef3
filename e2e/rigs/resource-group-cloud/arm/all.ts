import type { Operation } from './call.ts';
import * as creation from './create-vm.ts';
import * as disks from './disks.ts';
import * as groups from './groups.ts';
import * as networks from './networks.ts';
import * as skus from './skus.ts';
import * as vms from './virtual-machines.ts';

const compute = 'G/providers/Microsoft.Compute';
const network = 'G/providers/Microsoft.Network';
const images = 'S/providers/Microsoft.Compute/locations/{location}/publishers';

/** `METHOD path` → the operation's id in the vendor's description and what it does; `S` is the subscription's prefix, `G` a resource group's. */
export const table: Readonly<Record<string, readonly [id: string, operation: Operation]>> = {
  'GET S': ['Subscriptions_Get', skus.getSubscription],
  'GET S/locations': ['Subscriptions_ListLocations', skus.listLocations],
  'GET S/resourcegroups': ['ResourceGroups_List', groups.listGroups],
  'GET S/resourcegroups/{resourceGroupName}': ['ResourceGroups_Get', groups.getGroup],
  'GET S/providers/Microsoft.Authorization/permissions': ['Permissions_List', skus.listPermissions],
  'GET G/providers/Microsoft.Authorization/permissions': ['Permissions_ListForResourceGroup', skus.listPermissions],
  'GET S/providers/{namespace}/locations/{location}/operations/{operationId}': ['Operations_Get', skus.getOperation],
  'GET S/providers/{namespace}/locations/{location}/operationResults/{operationId}': [
    'OperationResults_Get',
    skus.getOperationResult,
  ],

  'GET S/providers/Microsoft.Compute/skus': ['ResourceSkus_List', skus.listSkus],
  'GET S/providers/Microsoft.Compute/locations/{location}/usages': ['Usage_List', skus.listUsage],
  'GET S/providers/Microsoft.Network/locations/{location}/usages': ['Usages_List', skus.listNetworkUsage],
  [`GET ${images}`]: ['VirtualMachineImages_ListPublishers', skus.listPublishers],
  [`GET ${images}/{publisher}/artifacttypes/vmimage/offers`]: ['VirtualMachineImages_ListOffers', skus.listOffers],
  [`GET ${images}/{publisher}/artifacttypes/vmimage/offers/{offer}/skus`]: [
    'VirtualMachineImages_ListSkus',
    skus.listImageSkus,
  ],
  [`GET ${images}/{publisher}/artifacttypes/vmimage/offers/{offer}/skus/{sku}/versions`]: [
    'VirtualMachineImages_List',
    skus.listVersions,
  ],
  [`GET ${images}/{publisher}/artifacttypes/vmimage/offers/{offer}/skus/{sku}/versions/{version}`]: [
    'VirtualMachineImages_Get',
    skus.getImage,
  ],

  'GET S/providers/Microsoft.Compute/disks': ['Disks_List', disks.disks.listAll],
  [`GET ${compute}/disks`]: ['Disks_ListByResourceGroup', disks.disks.list],
  [`GET ${compute}/disks/{name}`]: ['Disks_Get', disks.disks.get],
  [`PUT ${compute}/disks/{name}`]: ['Disks_CreateOrUpdate', disks.putDisk],
  [`PATCH ${compute}/disks/{name}`]: ['Disks_Update', disks.patchDisk],
  [`DELETE ${compute}/disks/{name}`]: ['Disks_Delete', disks.deleteDisk],
  [`POST ${compute}/disks/{name}/beginGetAccess`]: ['Disks_GrantAccess', disks.beginAccess(disks.diskType)],
  [`POST ${compute}/disks/{name}/endGetAccess`]: ['Disks_RevokeAccess', disks.endAccess(disks.diskType)],
  'GET S/providers/Microsoft.Compute/snapshots': ['Snapshots_List', disks.snapshots.listAll],
  [`GET ${compute}/snapshots`]: ['Snapshots_ListByResourceGroup', disks.snapshots.list],
  [`GET ${compute}/snapshots/{name}`]: ['Snapshots_Get', disks.snapshots.get],
  [`PUT ${compute}/snapshots/{name}`]: ['Snapshots_CreateOrUpdate', disks.putSnapshot],
  [`PATCH ${compute}/snapshots/{name}`]: ['Snapshots_Update', disks.snapshots.updateTags],
  [`DELETE ${compute}/snapshots/{name}`]: ['Snapshots_Delete', disks.deleteSnapshot],
  [`POST ${compute}/snapshots/{name}/beginGetAccess`]: ['Snapshots_GrantAccess', disks.beginAccess(disks.snapshotType)],
  [`POST ${compute}/snapshots/{name}/endGetAccess`]: ['Snapshots_RevokeAccess', disks.endAccess(disks.snapshotType)],

  'GET S/providers/Microsoft.Compute/virtualMachines': ['VirtualMachines_ListAll', vms.vms.listAll],
  [`GET ${compute}/virtualMachines`]: ['VirtualMachines_List', vms.vms.list],
  [`GET ${compute}/virtualMachines/{name}`]: ['VirtualMachines_Get', vms.vms.get],
  [`PUT ${compute}/virtualMachines/{name}`]: ['VirtualMachines_CreateOrUpdate', creation.putVm],
  [`PATCH ${compute}/virtualMachines/{name}`]: ['VirtualMachines_Update', vms.updateVm],
  [`DELETE ${compute}/virtualMachines/{name}`]: ['VirtualMachines_Delete', vms.deleteVm],
  [`GET ${compute}/virtualMachines/{name}/instanceView`]: ['VirtualMachines_InstanceView', vms.getInstanceView],
  [`POST ${compute}/virtualMachines/{name}/attachDetachDataDisks`]: [
    'VirtualMachines_AttachDetachDataDisks',
    vms.attachDetach,
  ],
  [`POST ${compute}/virtualMachines/{name}/start`]: [
    'VirtualMachines_Start',
    vms.powerOperation('starting', 'running'),
  ],
  [`POST ${compute}/virtualMachines/{name}/restart`]: [
    'VirtualMachines_Restart',
    vms.powerOperation('starting', 'running'),
  ],
  [`POST ${compute}/virtualMachines/{name}/powerOff`]: [
    'VirtualMachines_PowerOff',
    vms.powerOperation('stopping', 'stopped'),
  ],
  [`POST ${compute}/virtualMachines/{name}/deallocate`]: [
    'VirtualMachines_Deallocate',
    vms.powerOperation('deallocating', 'deallocated'),
  ],
  [`POST ${compute}/virtualMachines/{name}/retrieveBootDiagnosticsData`]: [
    'VirtualMachines_RetrieveBootDiagnosticsData',
    vms.retrieveBootDiagnostics,
  ],
  [`GET ${compute}/virtualMachines/{name}/extensions/{extension}`]: ['VirtualMachineExtensions_Get', vms.getExtension],
  [`PUT ${compute}/virtualMachines/{name}/extensions/{extension}`]: [
    'VirtualMachineExtensions_CreateOrUpdate',
    vms.putExtension,
  ],
  'GET /bootdiagnostics/{server}/serialconsole.log': ['BootDiagnostics_Read', vms.readSerialLog],
  [`GET ${compute}/availabilitySets`]: ['AvailabilitySets_List', groups.availabilitySets.list],
  [`GET ${compute}/availabilitySets/{name}`]: ['AvailabilitySets_Get', groups.availabilitySets.get],

  'GET S/providers/Microsoft.Network/networkInterfaces': ['NetworkInterfaces_ListAll', networks.nics.listAll],
  [`GET ${network}/networkInterfaces`]: ['NetworkInterfaces_List', networks.nics.list],
  [`GET ${network}/networkInterfaces/{name}`]: ['NetworkInterfaces_Get', networks.nics.get],
  [`PUT ${network}/networkInterfaces/{name}`]: ['NetworkInterfaces_CreateOrUpdate', networks.putNic],
  [`DELETE ${network}/networkInterfaces/{name}`]: ['NetworkInterfaces_Delete', networks.deleteNic],
  'GET S/providers/Microsoft.Network/publicIPAddresses': ['PublicIPAddresses_ListAll', networks.publicIps.listAll],
  [`GET ${network}/publicIPAddresses`]: ['PublicIPAddresses_List', networks.publicIps.list],
  [`GET ${network}/publicIPAddresses/{name}`]: ['PublicIPAddresses_Get', networks.publicIps.get],
  [`PUT ${network}/publicIPAddresses/{name}`]: ['PublicIPAddresses_CreateOrUpdate', networks.putPublicIp],
  [`DELETE ${network}/publicIPAddresses/{name}`]: ['PublicIPAddresses_Delete', networks.deletePublicIp],
  [`GET ${network}/networkSecurityGroups`]: ['NetworkSecurityGroups_List', networks.securityGroups.list],
  [`GET ${network}/networkSecurityGroups/{name}`]: ['NetworkSecurityGroups_Get', networks.securityGroups.get],
  [`PUT ${network}/networkSecurityGroups/{name}`]: ['NetworkSecurityGroups_CreateOrUpdate', networks.putSecurityGroup],
  [`DELETE ${network}/networkSecurityGroups/{name}`]: ['NetworkSecurityGroups_Delete', networks.deleteSecurityGroup],
  'GET S/providers/Microsoft.Network/virtualNetworks': ['VirtualNetworks_ListAll', networks.virtualNetworks.listAll],
  [`GET ${network}/virtualNetworks`]: ['VirtualNetworks_List', networks.virtualNetworks.list],
  [`GET ${network}/virtualNetworks/{name}`]: ['VirtualNetworks_Get', networks.virtualNetworks.get],
  [`PUT ${network}/virtualNetworks/{name}`]: ['VirtualNetworks_CreateOrUpdate', networks.putVirtualNetwork],
  [`DELETE ${network}/virtualNetworks/{name}`]: ['VirtualNetworks_Delete', networks.deleteVirtualNetwork],
  [`GET ${network}/virtualNetworks/{name}/CheckIPAddressAvailability`]: [
    'VirtualNetworks_CheckIPAddressAvailability',
    networks.checkAddress,
  ],
  [`GET ${network}/virtualNetworks/{name}/subnets/{subnet}`]: ['Subnets_Get', networks.getSubnet],

  'GET S/providers/Microsoft.Storage/storageAccounts': ['StorageAccounts_List', groups.storageAccounts.listAll],
  'GET G/providers/Microsoft.Storage/storageAccounts': [
    'StorageAccounts_ListByResourceGroup',
    groups.storageAccounts.list,
  ],
  'GET G/providers/Microsoft.Storage/storageAccounts/{name}': [
    'StorageAccounts_GetProperties',
    groups.storageAccounts.get,
  ],
  'POST G/providers/Microsoft.Storage/storageAccounts/{name}/listKeys': ['StorageAccounts_ListKeys', groups.listKeys],
};

/** Operations that anybody may ask for who has the address. */
export const openOperations: readonly string[] = ['BootDiagnostics_Read', 'OpenIdConfiguration', 'Token', 'DeviceCode'];
