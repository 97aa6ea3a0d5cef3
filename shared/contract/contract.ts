import { z } from 'zod';
import { inventoryMachineSchema, inventorySchema } from '../inventory/inventory.ts';
import { defaultsSchema, layerSetSchema } from '../environment/layers.ts';
import { afterBootChecksSchema } from '../model/after-boot-check.ts';
import { deploymentDetailSchema, deploymentOptionsSchema, deploymentSchema } from '../model/deployment.ts';
import { endpointSchema, jsonObjectSchema } from '../model/endpoint.ts';
import { eventSchema } from '../model/event.ts';
import { executionDetailSchema, executionOptionsSchema, executionSchema } from '../model/execution.ts';
import {
  conflictSides,
  descriptionConflictSchema,
  fleetHistorySchema,
  fleetLimitsSchema,
  fleetViewSchema,
  notSharedSchema,
} from '../model/fleet.ts';
import { endpointCheckSchema, ledgerItemSchema } from '../model/ledger.ts';
import { pluginIds } from '../model/plugin-id.ts';
import { executionProgressSchema, rateSampleSchema } from '../model/progress.ts';
import { clearedSchema, replicaSchema } from '../model/replica.ts';
import { serverTrustSchema } from '../model/server-trust.ts';
import { trustReportSchema } from '../model/trust.ts';
import { vmSchema } from '../model/vm.ts';
import { usualOwnVmVolumes } from '../model/own-vm-limits.ts';
import { ownVmSchema, ownVmSearchSchema } from '../model/own-vm.ts';
import { workerPoolSchema, workerPoolSettingsSchema } from '../model/worker-pool.ts';
import { waveCalls } from './wave-calls.ts';
import { catalogSchema } from '../model/catalog.ts';
import { dashboardCalls } from './dashboard-calls.ts';
import { guestCalls } from './guest-calls.ts';
import { lifeCalls } from './life-calls.ts';
import { notificationCalls } from './notification-calls.ts';
import {
  bandwidthSchema,
  checkedEndpointSchema,
  checkReportSchema,
  featurePolicySchema,
  name,
  nothing,
  optionListSchema,
  pluginDescriptionSchema,
  queueSchema,
  reference,
  secretName,
  vaultStatusSchema,
  vmSummarySchema,
} from './schemas.ts';

/** Only the newest of each replica, of however many replicas there are: the limit does not hold then. */
const latest = z.boolean().default(false);

const signInAttempt = z.string().min(1).max(100);
const sharingSchema = z.strictObject({ addresses: z.boolean() });

/**
 * Every call to the core. All carriers (Electron IPC, WebSocket, local socket, in process) are made from this table; the
 * receiver checks each input against it. Secrets go in by `vault.set` and never come out.
 */
export const calls = {
  'plugins.describe': { input: nothing, output: z.array(pluginDescriptionSchema) },

  /** Takes in what other people changed in the project's files, and says which files it can't take. */
  'project.sync': {
    input: nothing,
    output: z.object({ problems: z.array(z.object({ file: z.string(), message: z.string() })) }),
  },

  /** The computer that the project's data belongs to: it alone executes, deploys and deletes. */
  'project.owner': {
    input: nothing,
    output: z.object({ owner: z.string(), computer: z.string(), isElsewhere: z.boolean() }),
  },
  /** Makes project data that was copied or moved from another computer this one's. Whole disks are compared after that. */
  'project.takeOver': { input: nothing, output: nothing },
  /** Descriptions that were changed here and by another member of the project's fleet. Without a fleet: none. */
  'fleet.conflicts': { input: nothing, output: z.array(descriptionConflictSchema) },
  /** Descriptions of this computer that the others of its fleet do not get. Without a fleet: none. */
  'fleet.notShared': { input: nothing, output: z.array(notSharedSchema) },
  /** Who is there, what waits for a member, and who works on what. Without a fleet: nobody. */
  'fleet.view': {
    input: z.strictObject({
      /** How many of those that wait are described. */ queueLimit: z.int().min(0).max(100_000).default(1000),
    }),
    output: fleetViewSchema,
  },
  /** Has a member, by its name or id, take nothing new, or take work again. What it has it carries out. */
  'fleet.drain': {
    input: z.strictObject({ member: z.string().min(1).max(300), isDraining: z.boolean() }),
    output: nothing,
  },
  /** How many executions may use something at the same time, on all members together. */
  'fleet.limits': { input: nothing, output: fleetLimitsSchema },
  /** null: no limit any more. A name that no execution has is refused. */
  'fleet.setLimit': {
    input: z.strictObject({ name: z.string().trim().min(1).max(300), limit: z.int().min(1).max(10_000).nullable() }),
    output: fleetLimitsSchema,
  },
  /** Puts what waits of a replica before everything that is not urgent, or back. `fleet.not-waiting` where nothing of it waits. */
  'fleet.setUrgent': { input: z.strictObject({ replica: reference, isUrgent: z.boolean() }), output: nothing },
  /** Reads the journals of these replicas, or of all, and says what must not be in them. */
  'fleet.verify': {
    input: z.strictObject({ replicas: z.array(reference).max(10_000).optional() }),
    output: z.array(fleetHistorySchema),
  },
  /** Makes one side's file everybody's. `fleet.changed-meanwhile` where the other side has changed it again since the difference was shown. */
  'fleet.decide': {
    input: z.strictObject({ file: z.string().min(1).max(500), side: z.enum(conflictSides), revision: z.int() }),
    output: nothing,
  },
  /** Whether endpoints are written with their addresses into the project's files; this computer's setting. */
  'project.sharing': { input: nothing, output: sharingSchema },
  'project.setSharing': { input: sharingSchema, output: sharingSchema },

  'endpoint.add': {
    input: z.strictObject({ name, plugin: z.enum(pluginIds), connection: jsonObjectSchema }),
    output: endpointSchema,
  },
  'endpoint.list': { input: nothing, output: z.array(checkedEndpointSchema) },
  'endpoint.get': { input: z.strictObject({ endpoint: reference }), output: checkedEndpointSchema },
  'endpoint.update': {
    input: z.strictObject({ endpoint: reference, name: name.optional(), connection: jsonObjectSchema.optional() }),
    output: endpointSchema,
  },
  'endpoint.remove': { input: z.strictObject({ endpoint: reference }), output: nothing },
  /** What the account of an endpoint has to be allowed, by feature; nothing where its platform does not say. */
  'endpoint.policy': { input: z.strictObject({ endpoint: reference }), output: z.array(featurePolicySchema) },
  /** The same as a document that the platform's own tools take; null where there is none. */
  'endpoint.policyDocument': {
    input: z.strictObject({ endpoint: reference }),
    output: z.strictObject({ document: z.string().nullable() }),
  },
  /** Tries what an endpoint is used for. What it found is kept with the endpoint. */
  'endpoint.check': { input: z.strictObject({ endpoint: reference }), output: checkReportSchema },

  /**
   * Signs a person in at an endpoint. The event of the same name says the code and where to enter it; the call answers when that
   * was done, and ends the sign-in when it is cancelled.
   */
  'endpoint.signIn': {
    input: z.strictObject({ endpoint: reference, attempt: signInAttempt }),
    output: z.object({ account: z.string() }),
  },

  /** What a server shows of itself over TLS before anything is sent to it, and whether it would be believed. */
  'trust.look': {
    input: z.strictObject({
      address: z
        .string()
        .max(300)
        .regex(/^(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+):\d{1,5}$/),
      /** PEM of the one authority that is trusted instead of the system's. */
      caCertificate: z.string().max(100_000).optional(),
    }),
    output: serverTrustSchema,
  },

  /** What the project reaches, what of it was accepted on this computer, and what waits. Nothing is contacted. */
  'trust.show': { input: nothing, output: trustReportSchema },
  /** Accepts all that waits, if it still is what `trust.show` answered with this token. */
  'trust.accept': { input: z.strictObject({ token: z.string().max(100) }), output: trustReportSchema },
  /** Refuses a changed connection: the endpoint's file gets the accepted one back. */
  'trust.keep': { input: z.strictObject({ endpoint: reference }), output: trustReportSchema },
  /** From now on the project reaches nothing. Its secrets stay in the vault. */
  'trust.revoke': { input: nothing, output: trustReportSchema },

  'vm.list': { input: z.strictObject({ endpoint: reference }), output: z.array(vmSummarySchema) },
  'vm.show': { input: z.strictObject({ endpoint: reference, vm: reference }), output: vmSchema },
  /** What people must know before this VM is replicated: what no disk of it carries, and what had to be assumed. A sentence each. */
  'vm.limits': { input: z.strictObject({ endpoint: reference, vm: reference }), output: z.array(z.string()) },

  /** The lists of machines that the project keeps. */
  'inventory.list': { input: nothing, output: z.array(inventorySchema) },
  /** Describes machines of a source in full, all of them or those with these ids. Nothing is kept yet. */
  'inventory.read': {
    input: z.strictObject({ endpoint: reference, vms: z.array(z.string().min(1).max(1000)).max(100_000).optional() }),
    output: z.object({
      machines: z.array(inventoryMachineSchema),
      failed: z.array(z.object({ vm: z.string(), name: z.string(), error: z.string() })),
    }),
  },
  /** Keeps a list under its name; where there is one of that name, says what is new, changed and gone. */
  'inventory.save': {
    input: inventorySchema
      .pick({ name: true, origin: true })
      .extend({ machines: z.array(inventoryMachineSchema).max(100_000) }),
    output: inventorySchema,
  },
  'inventory.remove': { input: inventorySchema.pick({ name: true }), output: nothing },

  'catalog.capture': {
    input: z.strictObject({ endpoint: reference, environment: jsonObjectSchema.default({}) }),
    output: catalogSchema,
  },
  /** What the destination had when it was last asked; without a network. */
  'catalog.last': {
    input: z.strictObject({ endpoint: reference.optional() }),
    output: z.object({ catalog: catalogSchema.optional() }),
  },
  'options.list': {
    input: z.strictObject({
      endpoint: reference,
      side: z.enum(['source', 'destination']),
      names: z.array(z.string().max(100)).max(50),
      environment: jsonObjectSchema.default({}),
    }),
    output: z.record(z.string(), optionListSchema),
  },

  'replica.create': {
    input: z.strictObject({
      name: name.optional(),
      source: reference,
      destination: reference,
      vm: reference,
      sourceEnvironment: jsonObjectSchema.default({}),
      destinationEnvironment: jsonObjectSchema.default({}),
      /** Text of an INI file. */
      providerConfiguration: z.string().max(1_000_000).optional(),
      wave: name.optional(),
      cleared: clearedSchema.optional(),
      checks: afterBootChecksSchema.optional(),
    }),
    output: replicaSchema,
  },
  /** Replicas of many VMs with the settings of the project and of their waves, after one look at the source. Says which could not be created. */
  'replica.createMany': {
    input: z.strictObject({
      source: reference,
      destination: reference,
      /** VMs by id, else by a name that only one has. */
      machines: z
        .array(z.strictObject({ vm: reference, name: z.string().min(1).max(1000), wave: name.optional() }))
        .min(1)
        .max(10_000),
    }),
    output: z.object({
      created: z.array(z.string()),
      skipped: z.array(
        z.object({ vm: z.string(), name: z.string(), reason: z.enum(['not-found', 'ambiguous', 'exists']) }),
      ),
    }),
  },
  /** Changes what people say of a replica; what is left out stays. Refused while something runs or when it has errors. */
  'replica.update': {
    input: z.strictObject({
      replica: reference,
      name: name.optional(),
      sourceEnvironment: jsonObjectSchema.optional(),
      destinationEnvironment: jsonObjectSchema.optional(),
      /** null takes it away. */
      providerConfiguration: z.string().max(1_000_000).nullable().optional(),
      wave: name.nullable().optional(),
      cleared: clearedSchema.optional(),
      /** An empty list takes them away. */
      checks: afterBootChecksSchema.optional(),
      /** What the rules that need the virtual machine are checked with. */
      vm: vmSchema.optional(),
    }),
    output: replicaSchema,
  },
  'replica.list': { input: nothing, output: z.array(replicaSchema) },
  /** Replicas whose settings have errors or warnings, by the rules that need neither source nor destination. */
  'replica.readiness': {
    input: nothing,
    output: z.array(
      z.object({
        replicaId: z.string(),
        errors: z.number(),
        warnings: z.number(),
        /** Of the first error, else the first warning: its rule, or an error's code. */ code: z.string(),
        message: z.string(),
      }),
    ),
  },
  'replica.show': { input: z.strictObject({ replica: reference }), output: replicaSchema },
  /**
   * Starts an execution, or goes on with an interrupted one. Answers at once; follow it by its events. In a fleet: `inFleet` leaves it to
   * whichever member the fleet chooses.
   */
  'replica.execute': {
    input: z.strictObject({
      replica: reference,
      options: executionOptionsSchema.default({}),
      inFleet: z.boolean().default(false),
    }),
    output: executionSchema,
  },
  /**
   * Deletes the destination volumes and what a base still holds on the source, then the replica. Nobody asks a source that
   * is gone: its snapshots are forgotten, by name in the answer and in an event; what the ledger knows there stays in it.
   */
  'replica.delete': {
    input: z.strictObject({ replica: reference, sourceIsGone: z.boolean().default(false) }),
    output: z.object({ forgotten: z.array(z.string()) }),
  },

  /** What virtual machines have in common: all of the project's, and those of each wave. */
  'defaults.show': { input: nothing, output: defaultsSchema },
  /** Replaces the project's, or a wave's; a wave that is not there is made. */
  'defaults.save': {
    input: z.strictObject({ wave: name.optional(), environments: layerSetSchema }),
    output: defaultsSchema,
  },
  /** Refused while replicas are in it. */
  'defaults.removeWave': { input: z.strictObject({ wave: name }), output: defaultsSchema },

  ...waveCalls,
  ...dashboardCalls,

  'execution.list': {
    input: z.strictObject({ replica: reference.optional(), limit: z.int().min(1).max(1000).default(50), latest }),
    output: z.array(executionSchema),
  },
  'execution.show': { input: z.strictObject({ execution: reference }), output: executionDetailSchema },
  'execution.cancel': {
    input: z.strictObject({ execution: reference, force: z.boolean().default(false) }),
    output: nothing,
  },
  'execution.limit': {
    input: z.strictObject({
      execution: reference,
      ...bandwidthSchema.shape,
    }),
    output: nothing,
  },
  /** Goes on with an interrupted execution, or with all of them. */
  'execution.resume': { input: z.strictObject({ execution: reference.optional() }), output: z.array(executionSchema) },
  'execution.events': {
    input: z.strictObject({
      execution: reference.optional(),
      after: z.int().min(0).default(0),
      limit: z.int().min(1).max(10_000).default(1000),
      /** The last ones within the limit instead of the first ones; in the same order. */
      newest: z.boolean().default(false),
    }),
    output: z.array(eventSchema),
  },
  /** How fast it was over time, oldest first; at most some hundred samples however long it took. */
  'execution.rates': { input: z.strictObject({ execution: reference }), output: z.array(rateSampleSchema) },

  /** How many executions, and how many deployments, run at the same time in this project, and how many wait for their turn. */
  'queue.show': { input: nothing, output: queueSchema },
  /** The bandwidth that all executions of the project share. */
  'queue.setBandwidth': { input: bandwidthSchema, output: queueSchema },
  'queue.setLimit': { input: z.strictObject({ atOnce: z.int().min(1).max(32) }), output: queueSchema },

  /** Disk copy workers that executions use in turn: how many are kept, and those that are there. */
  'workers.pool': { input: nothing, output: workerPoolSchema },
  'workers.setPool': {
    input: workerPoolSettingsSchema.partial().extend({ keep: workerPoolSettingsSchema.shape.keep }).strict(),
    output: workerPoolSchema,
  },
  /** Deletes those that nobody uses; resolves when they are gone. */
  'workers.drain': { input: nothing, output: workerPoolSchema },

  /** The VMs of destinations that this engine runs on. Volumes are attached to them, and no worker is started. */
  'workers.ownVms': { input: nothing, output: z.array(ownVmSchema) },
  /** Asks the metadata service and the firmware of the computer that the engine runs on which VM it is, and the cloud whether it has that. */
  'workers.findOwnVm': { input: z.strictObject({ endpoint: reference }), output: ownVmSearchSchema },
  /** Checks that the VM runs, and that block devices can be opened here, before it is stored. Without a VM the one that was found, if all that says anything names the same. */
  'workers.setOwnVm': {
    input: z.strictObject({
      endpoint: reference,
      vm: z.string().trim().min(1).max(512).optional(),
      volumes: ownVmSchema.shape.volumes.default(usualOwnVmVolumes),
    }),
    output: ownVmSchema,
  },
  /** From the next executions on workers are started again. */
  'workers.removeOwnVm': { input: z.strictObject({ endpoint: reference }), output: z.array(ownVmSchema) },

  /**
   * Makes a replica into a running virtual machine, or goes on with a deployment that was interrupted. Answers at once;
   * follow it by its events.
   */
  'deployment.create': {
    input: z.strictObject({ replica: reference, options: deploymentOptionsSchema.default({}) }),
    output: deploymentSchema,
  },
  'deployment.list': {
    input: z.strictObject({ replica: reference.optional(), limit: z.int().min(1).max(1000).default(50), latest }),
    output: z.array(deploymentSchema),
  },
  'deployment.show': { input: z.strictObject({ deployment: reference }), output: deploymentDetailSchema },
  'deployment.cancel': {
    input: z.strictObject({ deployment: reference, force: z.boolean().default(false) }),
    output: nothing,
  },
  /** Goes on with an interrupted deployment, or with all of them. */
  'deployment.resume': {
    input: z.strictObject({ deployment: reference.optional() }),
    output: z.array(deploymentSchema),
  },
  'deployment.events': {
    input: z.strictObject({
      deployment: reference,
      after: z.int().min(0).default(0),
      limit: z.int().min(1).max(10_000).default(1000),
    }),
    output: z.array(eventSchema),
  },
  /** What the console of its virtual machine says right now, the last part of it. */
  'deployment.console': { input: z.strictObject({ deployment: reference }), output: z.object({ text: z.string() }) },
  /** Deletes the virtual machine with its volumes, network interfaces and addresses. */
  'deployment.delete': {
    input: z.strictObject({ deployment: reference, dryRun: z.boolean() }),
    output: z.array(ledgerItemSchema),
  },

  ...guestCalls,
  ...lifeCalls,
  ...notificationCalls,

  'ledger.list': {
    input: z.strictObject({
      orphansOnly: z.boolean().default(false),
      removed: z.boolean().default(false),
    }),
    output: z.array(ledgerItemSchema),
  },
  /**
   * The ledger, after asking the platforms whether each resource is still there, and what they have that is not in the ledger. An
   * endpoint that can't be asked is reported, and nothing is concluded of its resources; the others are checked.
   */
  'ledger.check': {
    input: z.strictObject({ orphansOnly: z.boolean().default(false), removed: z.boolean().default(false) }),
    output: z.object({ items: z.array(ledgerItemSchema), endpoints: z.array(endpointCheckSchema) }),
  },
  'ledger.remove': {
    input: z.strictObject({
      /** Ids of entries, or of resources that a check found; left out = all orphans. */
      entries: z.array(z.string().max(100)).max(10_000).optional(),
      /** Also looks for what is not in the ledger. */
      check: z.boolean().default(false),
      /** Also removes what another computer or project created; each has to be named. */
      madeElsewhere: z.boolean().default(false),
      dryRun: z.boolean(),
    }),
    output: z.array(
      z.object({
        item: ledgerItemSchema,
        outcome: z.enum(['would-remove', 'removed', 'failed']),
        error: z.string().optional(),
      }),
    ),
  },

  'vault.status': { input: nothing, output: vaultStatusSchema },
  'vault.list': { input: nothing, output: z.array(z.string()) },
  'vault.has': { input: z.strictObject({ name: secretName }), output: z.boolean() },
  'vault.set': { input: z.strictObject({ name: secretName, value: z.string().min(1).max(100_000) }), output: nothing },
  'vault.remove': { input: z.strictObject({ name: secretName }), output: nothing },
} as const satisfies Record<string, { readonly input: z.ZodType; readonly output: z.ZodType }>;

/** What the core tells on its own. */
export const events = {
  /** Stored, with an id; what was missed can be read by `execution.events`. */
  'execution.event': eventSchema,
  /** Not stored; at most five a second for each execution. */
  'execution.progress': executionProgressSchema,
  /** Not stored. `attempt` is the caller's own name for it. */
  'endpoint.signIn': z.object({
    endpoint: z.string(),
    attempt: signInAttempt,
    code: z.string(),
    address: z.string(),
    expiresAt: z.string(),
  }),
  /** Not stored: the inspection of a replica's guest has another state or step. */
  'guest.inspection': z.object({ replica: z.string() }),
  /** Not stored: other members of the fleet work on other replicas than before. */
  'fleet.changed': z.object({}),
  /** Other people's changes of the project's files were taken in. */
  'project.changed': z.object({}),
} as const satisfies Record<string, z.ZodType>;

export type CallName = keyof typeof calls;
/** As the caller writes it: what has a default may be left out. */
export type CallInput<N extends CallName> = z.input<(typeof calls)[N]['input']>;
/** As the receiver gets it. */
export type CallArguments<N extends CallName> = z.output<(typeof calls)[N]['input']>;
export type CallOutput<N extends CallName> = z.output<(typeof calls)[N]['output']>;
export type EventName = keyof typeof events;
export type EventPayload<N extends EventName> = z.output<(typeof events)[N]>;

export function isCallName(value: string): value is CallName {
  return Object.hasOwn(calls, value);
}
export function isEventName(value: string): value is EventName {
  return Object.hasOwn(events, value);
}
