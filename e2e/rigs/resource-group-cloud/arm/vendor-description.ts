import type { ApiDescription } from '../../cloud-kit/descriptions/description.ts';
import { typedDescription } from '../../cloud-kit/descriptions/typed-models.ts';
import type { TypedOperation } from '../../cloud-kit/descriptions/typed-models.ts';
import { libraryModels } from './library-models.ts';

/** A resource that is made, read and listed: its model is what requests give and answers have. */
const resource = (
  group: string,
  model: string,
  lists: readonly string[] = ['List', 'ListAll'],
): Record<string, TypedOperation> => ({
  [`${group}_CreateOrUpdate`]: { request: model, answer: model },
  [`${group}_Get`]: { answer: model },
  [`${group}_Delete`]: {},
  ...Object.fromEntries(lists.map((list) => [`${group}_${list}`, { answer: model, listIn: 'value' }])),
});

/** What the vendor's models say of requests and answers. */
const computeOperations: Readonly<Record<string, TypedOperation>> = {
  ...resource('Disks', 'Disk', ['List', 'ListByResourceGroup']),
  Disks_Update: { request: 'DiskUpdate', answer: 'Disk' },
  Disks_GrantAccess: { request: 'GrantAccessData' },
  Disks_RevokeAccess: {},
  ...resource('Snapshots', 'Snapshot', ['List', 'ListByResourceGroup']),
  Snapshots_Update: { request: 'SnapshotUpdate', answer: 'Snapshot' },
  Snapshots_GrantAccess: { request: 'GrantAccessData' },
  Snapshots_RevokeAccess: {},
  ...resource('VirtualMachines', 'VirtualMachine'),
  VirtualMachines_Update: { request: 'VirtualMachineUpdate', answer: 'VirtualMachine' },
  VirtualMachines_InstanceView: { answer: 'VirtualMachineInstanceView' },
  VirtualMachines_AttachDetachDataDisks: { request: 'AttachDetachDataDisksRequest', answer: 'StorageProfile' },
  VirtualMachines_RetrieveBootDiagnosticsData: { answer: 'RetrieveBootDiagnosticsDataResult' },
  VirtualMachines_Start: {},
  VirtualMachines_Restart: {},
  VirtualMachines_PowerOff: {},
  VirtualMachines_Deallocate: {},
  ...resource('VirtualMachineExtensions', 'VirtualMachineExtension', []),
  ...resource('AvailabilitySets', 'AvailabilitySet', ['List']),
  VirtualMachineImages_List: { answer: 'VirtualMachineImageResource', listIn: 'body' },
  VirtualMachineImages_ListPublishers: { answer: 'VirtualMachineImageResource', listIn: 'body' },
  VirtualMachineImages_ListOffers: { answer: 'VirtualMachineImageResource', listIn: 'body' },
  VirtualMachineImages_ListSkus: { answer: 'VirtualMachineImageResource', listIn: 'body' },
  VirtualMachineImages_Get: { answer: 'VirtualMachineImage' },
  ResourceSkus_List: { answer: 'ResourceSku', listIn: 'value' },
  Usage_List: { answer: 'Usage', listIn: 'value' },
};

const networkOperations: Readonly<Record<string, TypedOperation>> = {
  ...resource('NetworkInterfaces', 'NetworkInterface'),
  ...resource('PublicIPAddresses', 'PublicIPAddress'),
  ...resource('NetworkSecurityGroups', 'NetworkSecurityGroup'),
  ...resource('VirtualNetworks', 'VirtualNetwork'),
  VirtualNetworks_CheckIPAddressAvailability: { answer: 'IPAddressAvailabilityResult' },
  Subnets_Get: { answer: 'Subnet' },
  Usages_List: { answer: 'Usage', listIn: 'value' },
};

export const describedOperations: readonly string[] = [
  ...Object.keys(computeOperations),
  ...Object.keys(networkOperations),
];

/** Read once a process: the declarations have tens of thousands of lines. */
let read: ApiDescription | undefined;

/** Requests for compute and network resources, and their answers, held against the models of the vendor's libraries. */
export function vendorDescription(): ApiDescription {
  if (read !== undefined) return read;
  const { KnownVirtualMachineSizeTypes: _, ...models } = libraryModels('compute').models;
  // The library lists some of the sizes only.
  const compute = typedDescription({ models }, computeOperations);
  const network = typedDescription(libraryModels('network'), networkOperations);
  const of = (operation: string): ApiDescription => (networkOperations[operation] === undefined ? compute : network);
  read = {
    checkRequest: (request) => of(request.operation).checkRequest(request),
    checkAnswer: (answer) => of(answer.operation).checkAnswer(answer),
  };
  return read;
}
