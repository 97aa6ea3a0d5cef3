import { z } from 'zod';

/** The answers of the scripts on a host. PowerShell writes an empty list as one with nothing in it, and a list of one maybe without its brackets. */
const list = <Item extends z.ZodType>(item: Item) =>
  z.preprocess(
    (value) => (Array.isArray(value) ? value : [value]).filter((each) => each !== null && each !== undefined),
    z.array(item),
  );

const time = z.iso.datetime({ offset: true });

export const diskFileSchema = z.object({
  path: z.string().min(1),
  identifier: z.string(),
  sizeBytes: z.int().positive(),
  fileBytes: z.int().nonnegative().optional(),
  format: z.string(),
  type: z.string(),
  /** Its parent, the parent's parent and so on. */
  chain: list(z.string()),
});
export type DiskFile = z.infer<typeof diskFileSchema>;

export const hostSchema = z.object({
  name: z.string(),
  domain: z.string(),
  inDomain: z.boolean(),
  system: z.string(),
  build: z.int(),
  powershell: z.string(),
  hasModule: z.boolean(),
  hasService: z.boolean(),
  isAdministrator: z.boolean(),
  isHyperVAdministrator: z.boolean(),
  executionPolicy: z.string(),
  appLocker: list(z.string()),
  firewall: list(z.string()),
  time,
  cluster: z.object({ name: z.string(), nodes: list(z.string()), down: list(z.string()) }).nullish(),
});
export type HostFacts = z.infer<typeof hostSchema>;

const driveSchema = z.object({
  controller: z.string(),
  number: z.int(),
  location: z.int(),
  path: z.string(),
  physicalDisk: z.int().nullish(),
  isShared: z.boolean(),
  file: diskFileSchema.optional(),
  problem: z.string().optional(),
});
export type Drive = z.infer<typeof driveSchema>;

const nicSchema = z.object({
  id: z.string(),
  name: z.string(),
  switch: z.string(),
  mac: z.string(),
  isDynamicMac: z.boolean(),
  isLegacy: z.boolean(),
  vlanMode: z.string(),
  vlan: z.int(),
  addresses: list(z.string()),
});
export type HostNic = z.infer<typeof nicSchema>;

const hostVmSchema = z.object({
  id: z.string(),
  name: z.string(),
  state: z.string(),
  status: z.int().nullish(),
  generation: z.int(),
  version: z.string(),
  secureBoot: z.boolean(),
  isShielded: z.boolean(),
  hasTpm: z.boolean(),
  processors: z.int(),
  memoryBytes: z.int(),
  checkpoints: z.string(),
  isClustered: z.boolean(),
  devices: list(z.string()),
  bootsFrom: z.string(),
  system: z.string(),
  systemVersion: z.string(),
  disks: list(driveSchema),
  nics: list(nicSchema),
});
export type HostVm = z.infer<typeof hostVmSchema>;
export const vmsSchema = z.object({
  host: z.string(),
  vms: list(hostVmSchema),
  failed: list(z.object({ id: z.string(), name: z.string(), problem: z.string() })),
});

export const checkpointSchema = z.object({
  id: z.string(),
  name: z.string(),
  notes: z.string(),
  createdAt: time,
  disks: list(diskFileSchema),
});
export type Checkpoint = z.infer<typeof checkpointSchema>;

export const referencePointSchema = z.object({
  id: z.string(),
  disks: list(z.object({ identifier: z.string(), trackingId: z.string() })),
});
export type ReferencePoint = z.infer<typeof referencePointSchema>;

export const stateSchema = z.object({
  host: z.string(),
  time,
  state: z.int(),
  status: z.int().nullish(),
  paths: list(z.string()),
  checkpoints: list(checkpointSchema),
  referencePoints: list(referencePointSchema),
});
export type VmCheckpoints = z.infer<typeof stateSchema>;

/** `problem`: why it is not known, if it is not. */
export const historySchema = z.object({ host: z.string(), unclean: list(time), problem: z.string() });

export const takenSchema = z.object({ host: z.string(), checkpoint: checkpointSchema });
export const convertedSchema = z.object({ referencePoint: referencePointSchema.nullish() });
export const removedSchema = z.object({ removed: z.literal(true) });
export const changesSchema = z.union([
  z.object({ refused: z.int() }),
  z.object({ next: z.int().positive(), ranges: z.string() }),
]);
export const stoppedSchema = z.object({ state: z.string() });
export const usedSchema = z.union([z.object({ reason: z.string() }), z.object({ ranges: z.string() })]);
