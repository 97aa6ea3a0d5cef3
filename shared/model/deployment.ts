import { z } from 'zod';
import { afterBootChecksSchema, checkResultSchema } from './after-boot-check.ts';
import { errorRecordSchema } from './error-record.ts';
import { executionOptionsSchema, placementSchema } from './execution.ts';
import { guestDiffSchema, guestDossierSchema, guestStepSchema, scriptOutputSchema } from './guest-preparation.ts';
import { ledgerItemSchema } from './ledger.ts';
import { graphTaskSchema } from './task.ts';

/** As an execution's, and `deleted`: its virtual machine and all that belonged to it were removed. */
export const deploymentStates = [
  'pending',
  'running',
  'cancelling',
  'interrupted',
  'completed',
  'failed',
  'cancelled',
  'deleted',
] as const;
export type DeploymentState = (typeof deploymentStates)[number];

const userScriptSchema = z.object({
  name: z.string().min(1).max(100),
  content: z.string().max(1_000_000),
  timeoutSeconds: z.int().min(1).max(86_400).optional(),
});

/**
 * The condition for a completed boot. `auto`: SSH (Windows: a known port) answers, or the console shows a login;
 * `network`: a port has to answer; `console`: the console has to show a login; `none`: nothing is looked at.
 */
export const bootCheckModes = ['auto', 'network', 'console', 'none'] as const;

const bootCheckOptionsSchema = z.object({
  mode: z.enum(bootCheckModes).optional(),
  /** Default 600. */
  deadlineSeconds: z.int().min(1).max(7200).optional(),
  /** Another port than SSH's, which has to accept connections. */
  port: z.int().min(1).max(65_535).optional(),
});

/**
 * What a deployment is for. A rehearsal is deployed into other networks beside the source, and deleted when its time is over; a
 * cut-over is what users are let in to.
 */
export const deploymentPurposes = ['rehearsal', 'cut-over'] as const;

const rehearsalSchema = z.strictObject({
  /** The destination network of all NICs, unless `networks` says another. */
  network: z.string().min(1).max(500).optional(),
  /** Networks of the source to networks of the destination. */
  networks: z.record(z.string().max(500), z.string().min(1).max(500)).optional(),
  /** Minutes after which it is deleted, counted from its end. Default 240. */
  keepMinutes: z
    .int()
    .min(1)
    .max(60 * 24 * 30)
    .optional(),
});

export const deploymentOptionsSchema = z
  .object({
    purpose: z.enum(deploymentPurposes).optional(),
    placement: placementSchema.optional(),
    rehearsal: rehearsalSchema.optional(),
    /** A cut-over of a source that somebody has stopped by hand. */
    sourceIsStopped: z.boolean().optional(),
    /** What has to answer once the guest is up. Default: the replica's. */
    checks: afterBootChecksSchema.optional(),
    /** The replica's own volumes become the virtual machine's; nothing is copied. The replica starts anew after that. */
    inPlace: z.boolean().optional(),
    /** Leaves the guest as it is. */
    skipMorphing: z.boolean().optional(),
    bootCheck: bootCheckOptionsSchema.optional(),
    /** What happens to a VM with a guest that did not boot. Default `rollback`. */
    onFailedBoot: z.enum(['rollback', 'keep']).optional(),
    /** For a look at the guest: a failed preparation leaves its worker with the guest mounted. */
    keepWorkerOnFailure: z.boolean().optional(),
    /** Deploys although the last execution left the volumes half written. */
    acceptInconsistent: z.boolean().optional(),
    /** Which installation to prepare when the disks hold several. */
    root: z.string().max(500).optional(),
    /** Names of secrets with keys of encrypted volumes: passphrases of LUKS, recovery keys of BitLocker. */
    luksKeys: z
      .array(z.object({ secret: z.string().max(200), device: z.string().max(200).optional() }))
      .max(50)
      .optional(),
    /**
     * Encrypted Linux volumes that a TPM, Clevis or a security key unlocks on the source are left with their passphrases alone.
     * One of the given keys has to open each of them.
     */
    unbindVolumes: z.boolean().optional(),
    /** URL of a proxy for the guest's package tools. */
    httpProxy: z.url().max(500).optional(),
    /**
     * Whether the deployment fails when cloud-init (Windows: the guest initialization agent) cannot be installed. Default
     * `required`; `if-possible` for guests that retain their credentials, which can do without.
     */
    cloudInit: z.enum(['required', 'if-possible']).optional(),
    /** Folder or archive on this machine with packages for guests that reach no repository. */
    packageCache: z.string().max(1000).optional(),
    /**
     * The destination platform's agent as a Debian, RPM or (for Windows) MSI package: a URL that the worker reaches (it may end with `#sha256=` and a
     * digest), or a file on this machine. `none`: install no agent. Default: the platform's own, where it offers one.
     */
    agentPackage: z.string().max(1000).optional(),
    /**
     * How a Windows guest is prepared: by the Linux worker from outside, or by a Windows worker. Default: by a Windows
     * worker when the environment names an image for one, and no keys for encrypted volumes are given.
     */
    windowsMode: z.enum(['offline', 'worker']).optional(),
    /** File on this machine with the VirtIO drivers disc, for workers that don't reach its URL. Offline preparation only. */
    virtioDisc: z.string().max(1000).optional(),
    /** ZIP on this machine with the guest initialization agent, for workers that don't reach its URL. Offline preparation only. */
    initAgentArchive: z.string().max(1000).optional(),
    scripts: z
      .object({
        beforeMount: z.array(userScriptSchema).max(50).optional(),
        inGuest: z.array(userScriptSchema).max(50).optional(),
        firstBoot: z.array(userScriptSchema).max(50).optional(),
      })
      .optional(),
    /**
     * Migration: the replica is executed first, in the same run. With `lastPass` the source is shut down after that, and
     * a second execution brings what had changed meanwhile.
     */
    execute: z.object({ options: executionOptionsSchema.optional(), lastPass: z.boolean().optional() }).optional(),
  })
  .refine(
    (options) => options.purpose !== 'rehearsal' || (options.inPlace !== true && options.execute?.lastPass !== true),
    {
      message: 'a rehearsal leaves the replica and its source as they are',
      path: ['purpose'],
    },
  )
  .refine(
    (options) => options.inPlace !== true || (options.onFailedBoot !== 'keep' && options.keepWorkerOnFailure !== true),
    {
      message: "a failed deployment in place is always rolled back, because it uses the replica's own volumes",
      path: ['inPlace'],
    },
  );
export type DeploymentOptions = z.infer<typeof deploymentOptionsSchema>;

export const deployedServerSchema = z.object({
  id: z.string(),
  name: z.string(),
  /** The public one first. */
  addresses: z.array(z.string()),
  /** It was not powered on, as its environment asks. */
  isOff: z.boolean().optional(),
});
export type DeployedServer = z.infer<typeof deployedServerSchema>;

/** What was found in the guest and changed in it. */
export const guestReportSchema = z.object({
  dossier: guestDossierSchema,
  steps: z.array(guestStepSchema),
  diff: guestDiffSchema,
  warnings: z.array(z.string()),
  scripts: z.array(scriptOutputSchema),
  seconds: z.number(),
});
export type GuestReport = z.infer<typeof guestReportSchema>;

export const bootReportSchema = z.object({
  /** `unproven`: nothing speaks against it, and nothing could be seen that proves it. */
  outcome: z.enum(['up', 'failed', 'unproven', 'not-checked']),
  /** What was seen, in words. */
  evidence: z.string(),
  /** From the server's start to the proof. */
  seconds: z.number(),
  /** The last lines of the console. */
  console: z.string(),
});
export type BootReport = z.infer<typeof bootReportSchema>;

/** A replica made into a running virtual machine. */
export const deploymentSchema = z.object({
  id: z.string(),
  replicaId: z.string(),
  /** As it was called then; the deployment outlives its replica. */
  replicaName: z.string(),
  destinationEndpointId: z.string(),
  /** 1 for the replica's first. */
  number: z.number(),
  state: z.enum(deploymentStates),
  options: deploymentOptionsSchema,
  createdAt: z.string(),
  startedAt: z.string().optional(),
  finishedAt: z.string().optional(),
  error: errorRecordSchema.optional(),
  /** Resources that should be gone and could not be removed; the ledger has their names. */
  leftBehind: z.number(),
  /** A failed deployment whose resources were left as they were, as asked. */
  kept: z.boolean(),
  /** Executions that ran as its part. */
  executionIds: z.array(z.string()),
  server: deployedServerSchema.optional(),
  /** While it waits for its turn: 1 is the next one. */
  queuePosition: z.int().positive().optional(),
  /** The other member of the fleet that carries it out. */
  member: z.string().optional(),
});
export type Deployment = z.infer<typeof deploymentSchema>;

export const deploymentDetailSchema = deploymentSchema.extend({
  tasks: z.array(graphTaskSchema),
  guest: guestReportSchema.optional(),
  boot: bootReportSchema.optional(),
  checks: z.array(checkResultSchema).optional(),
  /** What belongs to it now. */
  resources: z.array(ledgerItemSchema),
});
export type DeploymentDetail = z.infer<typeof deploymentDetailSchema>;

export function isTerminalDeployment(state: DeploymentState): boolean {
  return state === 'completed' || state === 'failed' || state === 'cancelled' || state === 'deleted';
}
