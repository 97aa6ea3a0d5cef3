/** The simulator's resources. Field names are the API's. */
export type Tags = Readonly<Record<string, string>>;

interface Resource {
  readonly id: string;
  readonly compartmentId: string;
  readonly timeCreated: string;
  displayName: string;
  lifecycleState: string;
  freeformTags: Tags;
}

export interface VolumeRecord extends Resource {
  readonly availabilityDomain: string;
  sizeInGBs: number;
  sizeInMBs: number;
  vpusPerGB: number;
  isHydrated: boolean;
  readonly imageId?: string;
  readonly sourceDetails?: { readonly type: string; readonly id: string };
}

export interface BackupRecord extends Resource {
  readonly type: string;
  readonly sizeInGBs: number;
  readonly volumeId?: string;
  readonly bootVolumeId?: string;
  readonly imageId?: string;
}

export interface InstanceRecord extends Resource {
  readonly availabilityDomain: string;
  readonly region: string;
  readonly shape: string;
  readonly shapeConfig: { readonly ocpus: number; readonly memoryInGBs: number };
  readonly imageId?: string;
  readonly launchMode: string;
  readonly launchOptions: Readonly<Record<string, unknown>>;
  readonly sourceDetails: { readonly sourceType: string; readonly bootVolumeId?: string; readonly imageId?: string };
  readonly metadata: Tags;
}

interface AttachmentRecord {
  readonly id: string;
  readonly availabilityDomain: string;
  readonly compartmentId: string;
  readonly instanceId: string;
  readonly displayName: string;
  readonly timeCreated: string;
  lifecycleState: string;
}

export interface VolumeAttachmentRecord extends AttachmentRecord {
  readonly volumeId: string;
  readonly attachmentType: 'paravirtualized' | 'iscsi' | 'emulated';
  readonly device?: string;
  readonly isReadOnly: boolean;
  readonly iqn?: string;
  readonly ipv4?: string;
  readonly port?: number;
  readonly chapUsername?: string;
  readonly chapSecret?: string;
}

export interface BootVolumeAttachmentRecord extends AttachmentRecord {
  readonly bootVolumeId: string;
}

export interface VnicAttachmentRecord extends AttachmentRecord {
  readonly subnetId: string;
  readonly vnicId: string;
}

export interface VnicRecord extends Resource {
  readonly availabilityDomain: string;
  readonly subnetId: string;
  readonly isPrimary: boolean;
  readonly macAddress: string;
  readonly privateIp: string;
  readonly publicIp?: string;
  readonly nsgIds: readonly string[];
}

export interface SubnetRecord extends Omit<Resource, 'freeformTags'> {
  readonly vcnId: string;
  readonly cidrBlock: string;
  readonly virtualRouterIp: string;
  readonly virtualRouterMac: string;
  readonly routeTableId: string;
  readonly prohibitPublicIpOnVnic: boolean;
}

export interface VcnRecord extends Omit<Resource, 'freeformTags'> {
  readonly cidrBlock: string;
  readonly cidrBlocks: readonly string[];
}

export interface SecurityRuleRecord {
  readonly id: string;
  readonly direction: string;
  readonly protocol: string;
  readonly source?: string;
  readonly sourceType?: string;
  readonly description?: string;
  readonly isStateless: boolean;
  readonly isValid: boolean;
  readonly timeCreated: string;
  readonly tcpOptions?: { readonly destinationPortRange?: { readonly min: number; readonly max: number } };
}

export interface SecurityGroupRecord extends Resource {
  readonly vcnId: string;
}

export interface ImageRecord extends Resource {
  readonly operatingSystem: string;
  readonly operatingSystemVersion: string;
  readonly createImageAllowed: boolean;
  readonly launchMode: string;
  launchOptions: Readonly<Record<string, unknown>>;
  sizeInMBs?: number;
}

export interface CapabilitySchemaRecord {
  readonly id: string;
  readonly compartmentId: string;
  readonly imageId: string;
  readonly displayName: string;
  readonly computeGlobalImageCapabilitySchemaVersionName: string;
  readonly schemaData: Readonly<
    Record<string, { readonly values?: readonly string[]; readonly defaultValue?: string }>
  >;
}

export interface BucketRecord {
  readonly name: string;
  readonly namespace: string;
  readonly compartmentId: string;
  readonly freeformTags: Tags;
  readonly objects: Map<string, Buffer>;
}

export interface ConsoleHistoryRecord {
  readonly id: string;
  readonly instanceId: string;
  readonly compartmentId: string;
  readonly availabilityDomain: string;
  readonly timeCreated: string;
  lifecycleState: string;
  text: string;
}

export interface CompartmentRecord {
  readonly id: string;
  /** The one that it is in. */
  readonly compartmentId?: string;
  readonly name: string;
  readonly lifecycleState: string;
}

export interface ShapeRecord {
  readonly shape: string;
  readonly processorDescription: string;
  readonly ocpus: number;
  readonly memoryInGBs: number;
  readonly gpus: number;
  readonly maxVnicAttachments: number;
  readonly isFlexible: boolean;
  readonly ocpuOptions?: { readonly min: number; readonly max: number };
  readonly memoryOptions?: {
    readonly minInGBs: number;
    readonly maxInGBs: number;
    readonly defaultPerOcpuInGBs: number;
    readonly minPerOcpuInGBs: number;
    readonly maxPerOcpuInGBs: number;
  };
  readonly quotaNames: readonly string[];
}

/** What was accepted and is done later, as a work request shows it. */
export interface AboutWork {
  readonly operationType: string;
  readonly compartmentId: string;
  readonly resourceId: string;
}
