import { z } from 'zod';
import { ownVmEvidence } from './own-vm-evidence.ts';
import { mostOwnVmVolumes } from './own-vm-limits.ts';
import type { PluginId } from './plugin-id.ts';

/** Clouds that attach volumes of a destination, or copies of a source's disks, to VMs that Causeway did not make. */
export const ownVmPlugins: readonly PluginId[] = [
  'european-cloud',
  'open-source-cloud',
  'large-public-cloud',
  'resource-group-cloud',
  'compartment-cloud',
  'classic-infrastructure-cloud',
];

/** Of them, those that attach volumes of a destination. */
export const ownVmDestinations: readonly PluginId[] = ownVmPlugins.filter((id) => id !== 'large-public-cloud');

const evidenceSchema = z.array(z.enum(ownVmEvidence));

/** VMs that a computer seems to be, as the cloud has them. */
export const ownVmSearchSchema = z.object({
  found: z.array(z.object({ vmId: z.string(), vmName: z.string(), by: evidenceSchema })),
  /** The cloud does not have them, or they can't be used. */
  refused: z.array(z.object({ vmId: z.string(), why: z.string(), by: evidenceSchema })),
});
export type OwnVmSearch = z.infer<typeof ownVmSearchSchema>;

/** A cloud's VM on which this engine runs, so that volumes, and copies of disks that are read, are attached to it instead of to a worker. */
export const ownVmSchema = z.object({
  endpointId: z.string(),
  endpointName: z.string(),
  vmId: z.string(),
  vmName: z.string(),
  /** Attached for executions at the same time; an execution that needs more starts a worker of its own. */
  volumes: z.int().min(1).max(mostOwnVmVolumes),
  /** Attached at present, or about to be. */
  inUse: z.int().nonnegative(),
  /** What its ID was found by, when it was set; absent where it was given. */
  foundBy: evidenceSchema.optional(),
});
export type OwnVmView = z.infer<typeof ownVmSchema>;
