/** The simulator's resources. Field names are the API's; what the API does not show is under `inner`. */
export type Labels = Readonly<Record<string, string>>;

export interface ImageConfig {
  readonly [key: string]: string | boolean | null;
}

export interface VolumeRecord {
  readonly id: string;
  readonly createdAt: string;
  updatedAt: string;
  name: string;
  description?: string;
  labels: Labels;
  readonly availabilityZone: string;
  readonly performanceClass: string;
  size: number;
  status: string;
  bootable: boolean;
  imageConfig?: ImageConfig;
  serverId?: string;
  readonly source?: { readonly type: string; readonly id: string };
  readonly encrypted: boolean;
}

export interface SnapshotRecord {
  readonly id: string;
  readonly createdAt: string;
  updatedAt: string;
  name: string;
  description?: string;
  labels: Labels;
  readonly volumeId: string;
  readonly availabilityZone: string;
  readonly size: number;
  status: string;
}

export interface NetworkRecord {
  readonly id: string;
  readonly createdAt: string;
  readonly name: string;
  readonly status: string;
  readonly labels: Labels;
  readonly dhcp: boolean;
  readonly routed: boolean;
  readonly ipv4: {
    readonly prefixes: readonly string[];
    readonly gateway: string;
    readonly nameservers: readonly string[];
  };
}

export interface NicRecord {
  readonly id: string;
  name: string;
  description?: string;
  labels: Labels;
  readonly networkId: string;
  readonly ipv4: string;
  readonly mac: string;
  allowedAddresses: readonly string[];
  nicSecurity: boolean;
  securityGroups: readonly string[];
  status: string;
  readonly type: string;
  /** The server that it is plugged into. */
  device?: string;
  /** Made along with its server, and so goes with it. */
  readonly ownedByServer: boolean;
}

export interface PublicIpRecord {
  readonly id: string;
  readonly ip: string;
  labels: Labels;
  networkInterface?: string;
}

export interface SecurityGroupRuleRecord {
  readonly id: string;
  readonly createdAt: string;
  readonly securityGroupId: string;
  readonly direction: 'ingress' | 'egress';
  readonly ethertype: string;
  readonly description?: string;
  readonly ipRange?: string;
  readonly remoteSecurityGroupId?: string;
  readonly portRange?: { readonly min: number; readonly max: number };
  readonly protocol?: { readonly name: string; readonly number: number };
}

export interface SecurityGroupRecord {
  readonly id: string;
  readonly createdAt: string;
  readonly name: string;
  readonly description?: string;
  readonly labels: Labels;
  readonly stateful: boolean;
  rules: SecurityGroupRuleRecord[];
}

export interface ServerRecord {
  readonly id: string;
  readonly createdAt: string;
  updatedAt: string;
  launchedAt?: string;
  name: string;
  labels: Labels;
  metadata: Labels;
  readonly machineType: string;
  readonly availabilityZone: string;
  readonly bootVolume: {
    readonly id: string;
    readonly deleteOnTermination: boolean;
    readonly source: { type: string; id: string };
  };
  /** Volume id → whether it goes with the server. Boot volume included. */
  readonly attachments: Map<string, boolean>;
  readonly imageId?: string;
  readonly keypairName?: string;
  readonly affinityGroup?: string;
  readonly configDrive: boolean;
  readonly userData?: string;
  readonly serviceAccountMails: readonly string[];
  status: string;
  powerStatus: string;
  errorMessage?: string;
}

export interface ImageRecord {
  readonly id: string;
  readonly createdAt: string;
  updatedAt: string;
  name: string;
  readonly scope: 'public' | 'local' | 'projects' | 'organization';
  status: string;
  minDiskSize: number;
  minRam: number;
  readonly diskFormat: string;
  config: ImageConfig;
  labels: Labels;
}

export interface KeyPairRecord {
  readonly name: string;
  readonly publicKey: string;
  readonly fingerprint: string;
  readonly createdAt: string;
  readonly labels: Labels;
}

export interface AffinityGroupRecord {
  readonly id: string;
  readonly name: string;
  readonly policy: string;
  readonly members: string[];
}

export type RequestAction = 'CREATE' | 'UPDATE' | 'DELETE';

/** What a request does, and to which resources. */
export interface AboutRequest {
  readonly action: RequestAction;
  readonly type: string;
  readonly resourceIds: readonly string[];
}

export interface MachineType {
  readonly name: string;
  readonly vcpus: number;
  /** MB. */
  readonly ram: number;
  /** GB. */
  readonly disk: number;
  readonly description: string;
  readonly extraSpecs: Readonly<Record<string, string>>;
}

export interface PerformanceClass {
  readonly name: string;
  readonly description: string;
  readonly iops: number;
  readonly throughput: number;
}

export interface Quotas {
  readonly vcpu: number;
  readonly ram: number;
  readonly volumes: number;
  readonly snapshots: number;
  readonly backups: number;
  readonly gigabytes: number;
  readonly backupGigabytes: number;
  readonly publicIps: number;
  readonly networks: number;
  readonly nics: number;
  readonly securityGroups: number;
  readonly securityGroupRules: number;
}
