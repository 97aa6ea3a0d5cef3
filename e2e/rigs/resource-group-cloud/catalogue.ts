import type { DiskType, MarketplaceImage, VmSize } from './records.ts';

/** What the lab's region offers unless a test says otherwise. */
export const defaultZones: readonly string[] = ['1', '2', '3'];

const size = (name: string, family: string, vcpus: number, memoryGib: number, more: Partial<VmSize> = {}): VmSize => ({
  name,
  family,
  vcpus,
  memoryGib,
  dataDisks: vcpus * 2,
  nics: Math.max(2, vcpus),
  generations: 'V1,V2',
  architecture: 'x64',
  premium: true,
  zones: defaultZones,
  controllers: 'SCSI',
  ...more,
});

export const defaultSizes: readonly VmSize[] = [
  size('Standard_B1s', 'standardBSFamily', 1, 1),
  size('Standard_D2s_v5', 'standardDSv5Family', 2, 8, { ultraZones: ['1', '3'] }),
  size('Standard_D4s_v5', 'standardDSv5Family', 4, 16, { ultraZones: ['1', '3'] }),
  size('Standard_D8s_v5', 'standardDSv5Family', 8, 32, { ultraZones: ['1', '3'] }),
  size('Standard_D2_v3', 'standardDv3Family', 2, 8, { generations: 'V1', premium: false }),
  size('Standard_D2ps_v5', 'standardDPSv5Family', 2, 8, { generations: 'V2', architecture: 'Arm64' }),
  size('Standard_D2s_v6', 'standardDSv6Family', 2, 8, { generations: 'V2', controllers: 'NVMe' }),
  size('Standard_E2s_v5', 'standardESv5Family', 2, 16, { controllers: 'SCSI, NVMe' }),
  size('Standard_M8ms', 'standardMSFamily', 8, 218, { restricted: 'NotAvailableForSubscription' }),
];

const type = (name: string, largestGib: number, zones: readonly string[] = []): DiskType => ({
  name,
  largestGib,
  zones,
});

export const defaultDiskTypes: readonly DiskType[] = [
  type('Standard_LRS', 32_767, defaultZones),
  type('StandardSSD_LRS', 32_767, defaultZones),
  type('Premium_LRS', 32_767, defaultZones),
  type('StandardSSD_ZRS', 32_767),
  type('Premium_ZRS', 32_767),
  type('PremiumV2_LRS', 65_536, ['1', '2']),
  type('UltraSSD_LRS', 65_536, ['1', '3']),
];

const image = (
  publisher: string,
  offer: string,
  sku: string,
  more: Partial<MarketplaceImage> = {},
): MarketplaceImage => ({
  publisher,
  offer,
  sku,
  version: '1.0.20300101',
  os: 'Linux',
  generation: 'V2',
  architecture: 'x64',
  diskGib: 30,
  ...more,
});

export const defaultImages: readonly MarketplaceImage[] = [
  image('Canonical', 'ubuntu-24_04-lts', 'server'),
  image('Canonical', 'ubuntu-24_04-lts', 'server-gen1', { generation: 'V1' }),
  image('Canonical', 'ubuntu-24_04-lts', 'server-arm64', { architecture: 'Arm64' }),
  image('Debian', 'debian-12', '12-gen2'),
  image('MicrosoftWindowsServer', 'WindowsServer', '2022-datacenter-g2', { os: 'Windows', diskGib: 127 }),
];

/** By the names of the API's usages. */
export const defaultLimits: Readonly<Record<string, number>> = {
  cores: 100,
  virtualMachines: 25_000,
  availabilitySets: 2_500,
  StandardDiskCount: 50_000,
  PremiumDiskCount: 50_000,
  StandardSSDDiskCount: 50_000,
  UltraSSDDiskCount: 1_000,
  standardBSFamily: 10,
  standardDSv5Family: 50,
  standardDv3Family: 10,
  standardDPSv5Family: 10,
  standardDSv6Family: 10,
  standardESv5Family: 10,
};

/** By the names of the network's usages. */
export const defaultNetworkLimits: Readonly<Record<string, number>> = {
  VirtualNetworks: 1_000,
  NetworkInterfaces: 65_536,
  NetworkSecurityGroups: 5_000,
  PublicIPAddresses: 1_000,
  StandardSkuPublicIpAddresses: 20,
};
