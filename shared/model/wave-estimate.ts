import { z } from 'zod';
import { waveActions } from './wave-action.ts';

/**
 * Where an estimate of a member comes from: its own executions, those of other members, or nothing: then its time cannot be told.
 */
export const estimateBases = ['measured', 'others', 'unknown'] as const;

const count = z.int().nonnegative();
const seconds = z.number().nonnegative();

export const memberEstimateSchema = z.object({
  replicaId: z.string(),
  name: z.string(),
  /** Of the VM, as a list of the project names them. */
  owner: z.string().optional(),
  basis: z.enum(estimateBases),
  /** Completed executions that it was measured at. */
  executions: count,
  changeBytesPerSecond: z.number().optional(),
  /** Of what changes, how much crosses the link after compression: 0.4 means that it shrinks to 40 %. */
  sentShare: z.number().optional(),
  /** What the first pass reads: everything, or what has changed until the wave starts. */
  passBytes: z.number(),
  /** Of a cut-over: what changes during that pass, and is read once the source is off. */
  lastPassBytes: z.number().optional(),
  startSeconds: seconds.optional(),
  endSeconds: seconds.optional(),
  downtimeSeconds: seconds.optional(),
});
export type MemberEstimate = z.infer<typeof memberEstimateSchema>;

/** How long an action on a wave will take, from what was measured, and what it needs at the destination. */
export const waveEstimateSchema = z.object({
  action: z.enum(waveActions),
  /** When it is reckoned to start: the plan's window, or now. */
  startsAt: z.string(),
  atOnce: z.int(),
  bytesPerSecond: z.number().optional(),
  /** Undefined while nothing was measured that tells it. */
  seconds: seconds.optional(),
  /** Of the plan's window, what is left of it. */
  windowSeconds: seconds.optional(),
  /** When the plan's window ended, if it is over: then there is none that the wave could fit into. */
  windowEndedAt: z.string().optional(),
  fits: z.boolean().optional(),
  /** The longest of all members. */
  downtimeSeconds: seconds.optional(),
  /** What crosses the link. */
  bytesToSend: z.number(),
  memberList: z.array(memberEstimateSchema),
  /** What the wave needs at its destinations while it is deployed. The sizes of unknown VMs are not in it. */
  needs: z.object({
    servers: count,
    volumes: count,
    volumeBytes: z.number(),
    vcpus: count,
    memoryMb: count,
    nics: count,
    unknownVms: count,
  }),
  /** By destination network, where the last catalog of the destination tells its ranges. */
  networks: z.array(
    z.object({
      network: z.string(),
      nics: count,
      /** Addresses of its IPv4 ranges that machines may have. Who uses them is not known. */
      addresses: count.optional(),
      /** Addresses that VMs are to keep and that are outside of its ranges, with the VM's name. */
      outside: z.array(z.object({ name: z.string(), address: z.string() })),
    }),
  ),
  /** Where the last catalog of a destination has quotas: what is free, what is missing, and when it was captured. */
  quotas: z.array(
    z.object({
      endpoint: z.string(),
      quota: z.string(),
      needed: z.number(),
      free: z.number(),
      limit: z.number(),
      at: z.string().optional(),
    }),
  ),
});
export type WaveEstimate = z.infer<typeof waveEstimateSchema>;
