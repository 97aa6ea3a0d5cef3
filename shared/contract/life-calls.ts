import { z } from 'zod';
import { evidenceEntrySchema, evidenceKinds, evidenceHeadSchema, evidenceStatusSchema } from '../model/evidence.ts';
import { ledgerItemSchema } from '../model/ledger.ts';
import { machineLifeSchema, runbookSteps } from '../model/machine-life.ts';
import { name, nothing, reference } from './schemas.ts';

const who = z.string().trim().min(1).max(200).optional();

export const releasedSchema = z.object({
  /** `source-snapshot`, `change-tracking`, `volume`, … */
  kind: z.string(),
  name: z.string(),
  side: z.enum(['source', 'destination']),
  outcome: z.enum(['would-release', 'released', 'remains']),
  error: z.string().optional(),
});

/** The calls of the life of a VM after its replication, and of its proof. */
export const lifeCalls = {
  /** Where VMs stand on their way: all of them, those of a wave, or one. */
  'replica.life': {
    input: z.strictObject({ replica: reference.optional(), wave: name.optional() }),
    output: z.array(machineLifeSchema),
  },
  /** Approves the cut-over with the settings as they are; another setting needs another approval. */
  'replica.approve': {
    input: z.strictObject({ replica: reference, by: who, note: z.string().max(1000).optional() }),
    output: machineLifeSchema,
  },
  'replica.withdrawApproval': { input: z.strictObject({ replica: reference, by: who }), output: machineLifeSchema },
  /**
   * Takes a cut-over back, also one that failed: removes the deployed VM, starts the source again. The replica stays. One that was
   * interrupted is carried on by the same call.
   */
  'replica.rollBack': {
    input: z.strictObject({
      replica: reference,
      by: who,
      /** Somebody has started the source, or will: it is not contacted. */
      sourceStartedByHand: z.boolean().default(false),
    }),
    output: machineLifeSchema,
  },
  /**
   * Releases what a VM that runs at its destination no longer needs: snapshots and change tracking on the source, the replica's volumes.
   * What cannot be released remains, with the reason, and is tried again by the same call.
   */
  'replica.finalise': {
    input: z.strictObject({ replica: reference, by: who, dryRun: z.boolean() }),
    output: z.object({ resources: z.array(releasedSchema), stays: z.array(ledgerItemSchema), life: machineLifeSchema }),
  },
  /** Steps, times, go/no-go and roll-back for these replicas, as a document. */
  'replica.runbook': {
    input: z.strictObject({
      replicas: z.array(reference).min(1).max(1000),
      title: z.string().max(200).optional(),
      format: z.enum(['markdown', 'html']),
    }),
    output: z.object({ document: z.string() }),
  },
  /** Records that somebody did a step of the runbook, or that it is open again. */
  'replica.tick': {
    input: z.strictObject({ replica: reference, step: z.enum(runbookSteps), isDone: z.boolean(), by: who }),
    output: machineLifeSchema,
  },
  /** Deletes a rehearsal, or all whose time is over. */
  'rehearsal.end': {
    input: z.union([z.strictObject({ deployment: reference }), z.strictObject({ expired: z.literal(true) })]),
    output: z.array(
      z.object({
        deploymentId: z.string(),
        replicaName: z.string(),
        outcome: z.enum(['deleted', 'failed']),
        error: z.string().optional(),
      }),
    ),
  },

  'evidence.status': { input: nothing, output: evidenceStatusSchema },
  /** Reads the journal of this project again, and checks each of its lines. */
  'evidence.verify': { input: nothing, output: evidenceStatusSchema },
  /** For each VM how much is recorded of it, and the last of it. Those of deleted replicas are among them. */
  'evidence.summary': {
    input: nothing,
    output: z.array(
      z.object({
        replicaId: z.string(),
        name: z.string(),
        entries: z.number(),
        last: z.object({ at: z.string(), kind: z.enum(evidenceKinds), by: z.string() }),
      }),
    ),
  },
  'evidence.list': {
    input: z.strictObject({
      replica: reference.optional(),
      after: z.int().min(0).default(0),
      limit: z.int().min(1).max(10_000).default(1000),
    }),
    output: z.array(evidenceEntrySchema),
  },
  /** The journal with its head, as one moment has them. */
  'evidence.export': { input: nothing, output: z.object({ journal: z.string(), head: evidenceHeadSchema }) },
  /** The report of a wave, as an HTML file, whose digest is recorded in the journal. */
  'evidence.waveReport': {
    input: z.strictObject({ wave: name }),
    output: z.object({ name: z.string(), html: z.string(), digest: z.string(), head: z.string() }),
  },
  /** The same of one VM. */
  'evidence.report': {
    input: z.strictObject({ replica: reference }),
    output: z.object({ name: z.string(), html: z.string(), digest: z.string(), head: z.string() }),
  },
} as const;
