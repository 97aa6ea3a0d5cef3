import { z } from 'zod';
import { mostOwnVmVolumes } from './own-vm-limits.ts';
import type { PluginId } from './plugin-id.ts';

/** Clouds that attach volumes of a destination, or copies of a source's disks, to VMs that Causeway did not make. */
export const ownVmPlugins: readonly PluginId[] = ['european-cloud', 'open-source-cloud', 'large-public-cloud'];

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
});
export type OwnVmView = z.infer<typeof ownVmSchema>;
