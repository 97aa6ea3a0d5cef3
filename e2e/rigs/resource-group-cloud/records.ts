/** The simulator's resources in the API's own form: what a GET answers is the record. */
export type Tags = Readonly<Record<string, string>>;

export interface SubResource {
  readonly id: string;
}

/** What every resource of the Resource Manager has. */
export interface ArmRecord<Properties extends object = object> {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  location: string;
  tags?: Tags;
  zones?: readonly string[];
  sku?: { readonly name: string; readonly tier?: string };
  properties: Properties & { provisioningState: string };
}

export interface CreationData {
  readonly createOption: string;
  readonly sourceResourceId?: string;
  readonly sourceUri?: string;
  readonly storageAccountId?: string;
  readonly uploadSizeBytes?: number;
  readonly imageReference?: SubResource;
}

export interface DiskProperties {
  readonly uniqueId: string;
  readonly timeCreated: string;
  readonly creationData: CreationData;
  osType?: string;
  hyperVGeneration?: string;
  diskSizeGB: number;
  diskSizeBytes: number;
  diskState: string;
  securityProfile?: { readonly securityType?: string };
  supportedCapabilities?: { readonly architecture?: string; readonly diskControllerTypes?: string };
  networkAccessPolicy?: string;
  encryption?: { readonly type: string };
}

export interface DiskRecord extends ArmRecord<DiskProperties> {
  /** The VM that has it. */
  managedBy?: string;
}

export interface SnapshotProperties extends DiskProperties {
  readonly incremental: boolean;
  readonly incrementalSnapshotFamilyId?: string;
  completionPercent: number;
}

export type SnapshotRecord = ArmRecord<SnapshotProperties>;

export interface DataDisk {
  readonly lun: number;
  readonly name: string;
  readonly createOption: string;
  readonly caching?: string;
  readonly deleteOption?: string;
  readonly diskSizeGB?: number;
  readonly managedDisk: SubResource & { readonly storageAccountType?: string };
}

export interface OsDisk {
  readonly osType?: string;
  readonly name: string;
  readonly createOption: string;
  readonly caching?: string;
  readonly deleteOption?: string;
  readonly diskSizeGB?: number;
  readonly managedDisk: SubResource & { readonly storageAccountType?: string };
}

export interface ImageReference {
  readonly publisher?: string;
  readonly offer?: string;
  readonly sku?: string;
  readonly version?: string;
  readonly id?: string;
}

export interface VirtualMachineProperties {
  readonly vmId: string;
  readonly timeCreated: string;
  readonly hardwareProfile: { readonly vmSize: string };
  storageProfile: { readonly imageReference?: ImageReference; osDisk: OsDisk; dataDisks: readonly DataDisk[] };
  readonly osProfile?: {
    readonly computerName?: string;
    readonly adminUsername?: string;
    readonly linuxConfiguration?: object;
    readonly windowsConfiguration?: object;
  };
  networkProfile: {
    readonly networkInterfaces: readonly (SubResource & {
      readonly properties?: { readonly primary?: boolean; readonly deleteOption?: string };
    })[];
  };
  securityProfile?: {
    readonly securityType?: string;
    readonly uefiSettings?: { readonly secureBootEnabled?: boolean; readonly vTpmEnabled?: boolean };
  };
  diagnosticsProfile?: { readonly bootDiagnostics?: { readonly enabled?: boolean; readonly storageUri?: string } };
  availabilitySet?: SubResource;
  licenseType?: string;
}

/** What the API does not show stands beside the record. */
export interface VirtualMachineInner {
  power: 'running' | 'starting' | 'stopping' | 'stopped' | 'deallocating' | 'deallocated' | 'creating';
  /** Why it failed, by code and text. */
  failure?: { readonly code: string; readonly message: string };
  readonly customData: string;
  readonly publicKeys: readonly string[];
  readonly extensions: Map<string, ExtensionRecord>;
}

export type VirtualMachineRecord = ArmRecord<VirtualMachineProperties>;

export interface ExtensionProperties {
  readonly publisher: string;
  readonly type: string;
  readonly typeHandlerVersion?: string;
}

export type ExtensionRecord = ArmRecord<ExtensionProperties> & { readonly inner?: { readonly command: string } };

export interface IpConfiguration {
  readonly id: string;
  readonly name: string;
  readonly properties: {
    readonly primary: boolean;
    readonly privateIPAddress: string;
    readonly privateIPAllocationMethod: string;
    readonly privateIPAddressVersion: string;
    readonly subnet: SubResource;
    readonly publicIPAddress?: SubResource;
    readonly provisioningState: string;
  };
}

export interface NetworkInterfaceProperties {
  readonly ipConfigurations: readonly IpConfiguration[];
  networkSecurityGroup?: SubResource;
  virtualMachine?: SubResource;
  /** Assigned when a VM with the interface starts for the first time. */
  macAddress?: string;
  primary?: boolean;
  enableAcceleratedNetworking: boolean;
  enableIPForwarding: boolean;
}

export type NetworkInterfaceRecord = ArmRecord<NetworkInterfaceProperties>;

export interface PublicIpProperties {
  readonly ipAddress?: string;
  readonly publicIPAllocationMethod: string;
  readonly publicIPAddressVersion: string;
  ipConfiguration?: SubResource;
}

export type PublicIpRecord = ArmRecord<PublicIpProperties>;

export interface SecurityRule {
  readonly id: string;
  readonly name: string;
  readonly properties: {
    readonly protocol: string;
    readonly sourceAddressPrefix?: string;
    readonly sourceAddressPrefixes?: readonly string[];
    readonly sourcePortRange?: string;
    readonly destinationAddressPrefix?: string;
    readonly destinationPortRange?: string;
    readonly destinationPortRanges?: readonly string[];
    readonly access: string;
    readonly direction: string;
    readonly priority: number;
    readonly provisioningState: string;
  };
}

export type SecurityGroupRecord = ArmRecord<{
  readonly securityRules: readonly SecurityRule[];
  readonly defaultSecurityRules: readonly SecurityRule[];
}>;

export interface SubnetRecord {
  readonly id: string;
  readonly name: string;
  readonly properties: {
    readonly addressPrefix: string;
    networkSecurityGroup?: SubResource;
    readonly provisioningState: string;
  };
}

export type VirtualNetworkRecord = ArmRecord<{
  readonly addressSpace: { readonly addressPrefixes: readonly string[] };
  readonly subnets: readonly SubnetRecord[];
}>;

export type ResourceGroupRecord = ArmRecord;
export type AvailabilitySetRecord = ArmRecord<{
  readonly platformFaultDomainCount: number;
  readonly platformUpdateDomainCount: number;
  virtualMachines: readonly SubResource[];
}>;
export interface StorageAccountRecord extends ArmRecord<{ readonly primaryEndpoints: { readonly blob: string } }> {
  readonly kind: string;
}

/** A size of virtual machines. */
export interface VmSize {
  readonly name: string;
  readonly family: string;
  readonly vcpus: number;
  readonly memoryGib: number;
  readonly dataDisks: number;
  readonly nics: number;
  readonly generations: 'V1' | 'V2' | 'V1,V2';
  readonly architecture: 'x64' | 'Arm64';
  readonly premium: boolean;
  readonly zones: readonly string[];
  /** How the guest sees its disks. */
  readonly controllers: string;
  readonly ultraZones?: readonly string[];
  /** Why it is not available, as `restrictions` says it. */
  readonly restricted?: 'NotAvailableForSubscription' | 'QuotaId';
}

/** A storage account type of managed disks. */
export interface DiskType {
  readonly name: string;
  readonly largestGib: number;
  readonly zones: readonly string[];
}

export interface MarketplaceImage extends Required<Omit<ImageReference, 'id'>> {
  readonly os: 'Linux' | 'Windows';
  readonly generation: 'V1' | 'V2';
  readonly architecture: 'x64' | 'Arm64';
  readonly diskGib: number;
}

/** What an operation under way does, and to what. */
export interface AboutOperation {
  /** What `Location` answers at its end; undefined: nothing. */
  readonly result?: () => unknown;
  /** The code of its error when it fails. */
  readonly failureCode: string;
}
