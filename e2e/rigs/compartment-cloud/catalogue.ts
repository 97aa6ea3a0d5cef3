import type { ShapeRecord } from './records.ts';

/** What the lab's region offers unless a test says otherwise. */
export const defaultDomains: readonly string[] = [
  'Uocm:EU-FRANKFURT-1-AD-1',
  'Uocm:EU-FRANKFURT-1-AD-2',
  'Uocm:EU-FRANKFURT-1-AD-3',
];

const fixed = (
  shape: string,
  ocpus: number,
  memoryInGBs: number,
  maxVnicAttachments: number,
  gpus = 0,
): ShapeRecord => ({
  shape,
  processorDescription: '2.0 GHz Intel Xeon Platinum 8167M',
  ocpus,
  memoryInGBs,
  gpus,
  maxVnicAttachments,
  isFlexible: false,
  quotaNames: ['standard2-core-count'],
});
const flexible = (
  shape: string,
  processorDescription: string,
  maxOcpus: number,
  maxMemory: number,
  quota: string,
): ShapeRecord => ({
  shape,
  processorDescription,
  ocpus: 1,
  memoryInGBs: 16,
  gpus: 0,
  maxVnicAttachments: 2,
  isFlexible: true,
  ocpuOptions: { min: 1, max: maxOcpus },
  memoryOptions: { minInGBs: 1, maxInGBs: maxMemory, defaultPerOcpuInGBs: 16, minPerOcpuInGBs: 1, maxPerOcpuInGBs: 64 },
  quotaNames: [quota],
});

export const defaultShapes: readonly ShapeRecord[] = [
  fixed('VM.Standard2.1', 1, 15, 2),
  fixed('VM.Standard2.2', 2, 30, 2),
  fixed('VM.Standard2.4', 4, 60, 4),
  fixed('VM.GPU3.1', 6, 90, 6, 1),
  flexible('VM.Standard.E4.Flex', '2.55 GHz AMD EPYC 7J13', 64, 1024, 'standard-e4-core-count'),
  flexible('VM.Standard.A1.Flex', '3.0 GHz Ampere Altra', 80, 512, 'standard-a1-core-count'),
];

/** Service limits of an availability domain, by service and name. */
export const defaultLimits: Readonly<Record<string, number>> = {
  'block-storage/volume-count': 500,
  'block-storage/total-storage-gb': 100_000,
  'compute/standard2-core-count': 64,
  'compute/standard-e4-core-count': 200,
  'compute/standard-a1-core-count': 80,
};
