import { z } from 'zod';
import { commandIds } from './commands.ts';
import { calls, events } from './contract.ts';
import { fleetMembershipCalls } from './fleet-membership-calls.ts';
import { moverCalls, moverLinkSchema } from './mover-calls.ts';
import { connectionTestSchema } from '../model/connection-test.ts';
import { errorRecordSchema } from '../model/error-record.ts';
import { proxySettingsSchema } from '../model/proxy-settings.ts';
import { nothing } from './schemas.ts';

/** How the engine process is: the page says it in words. */
export const engineStateSchema = z.object({
  state: z.enum(['none', 'starting', 'running', 'restarting', 'given-up', 'elsewhere', 'disconnected']),
  /** How often it was started again since the project was opened. */
  restarts: z.int().nonnegative(),
  /** Why it ended last, in words. */
  reason: z.string().optional(),
});
export type EngineState = z.infer<typeof engineStateSchema>;

export const projectSchema = z.object({
  folder: z.string(),
  name: z.string(),
  /** The mover that it lies on; absent: this computer. */
  mover: z.string().optional(),
});
export type Project = z.infer<typeof projectSchema>;

/** What protects the open project's secrets, in words that the page shows as they are. */
export const vaultProtectionSchema = z.object({
  exists: z.boolean(),
  /** Whether the engine that runs was given what opens the vault. */
  isOpen: z.boolean(),
  words: z.string(),
  /** Whether a vault can be made here without a passphrase, protected by the operating system's key store. */
  keyStoreIsUsable: z.boolean(),
});
export type VaultProtection = z.infer<typeof vaultProtectionSchema>;

/** A lab on this computer to try the workbench on, where there can be one. */
export const sampleStateSchema = z.discriminatedUnion('state', [
  z.object({ state: z.literal('offered') }),
  /** What it says on its way. */
  z.object({ state: z.literal('starting'), line: z.string() }),
  z.object({ state: z.literal('running'), project: z.string() }),
  z.object({ state: z.literal('failed'), error: errorRecordSchema }),
]);
export type SampleState = z.infer<typeof sampleStateSchema>;

export const shellInfoSchema = z.object({
  host: z.enum(['desktop', 'browser']),
  version: z.string(),
  platform: z.string(),
  project: projectSchema.optional(),
  engine: engineStateSchema,
  /** There when a project is open. */
  vault: vaultProtectionSchema.optional(),
  /** There where a sample can be had. */
  sample: sampleStateSchema.optional(),
  /** There while a project on a mover is open, or is being opened. */
  mover: moverLinkSchema.optional(),
});
export type ShellInfo = z.infer<typeof shellInfoSchema>;

export const settingsSchema = z.object({
  scheme: z.enum(['system', 'light', 'dark']),
  reducedMotion: z.boolean(),
  /** How long a message at the bottom edge stays, in seconds; 0: until it is closed or the next one comes. */
  messageSeconds: z.int().min(0).max(600),
  /** How many executions may run at the same time. */
  executionLimit: z.int().min(1).max(32),
  proxy: proxySettingsSchema,
});
export type Settings = z.infer<typeof settingsSchema>;

/** The way out of this computer's network that is in effect. No password is in it. */
export const networkSchema = z.object({
  /** The proxy to clouds. */
  proxy: z.string().optional(),
  proxyFrom: z.enum(['environment', 'settings', 'system', 'none']),
  noProxy: z.string(),
  /** Addresses of proxy scripts (PAC), the first one that can be loaded counts; with one, `proxy` is for when it fails. */
  scripts: z.array(z.string()),
  /** Why the script could not be used last. */
  scriptFailure: z.string().optional(),
  /** Whether an environment variable overrides the settings. */
  isOverridden: z.boolean(),
  /** Where the password for proxies is kept; `session`: in memory. */
  passwordKept: z.enum(['none', 'key-store', 'session']),
  /** How many certificates of the operating system are trusted; undefined where they cannot be read. */
  systemCertificates: z.int().optional(),
  /** The proxy to workers; `same`: as to clouds. */
  workerProxy: z.string().optional(),
});
export type Network = z.infer<typeof networkSchema>;

const folder = z.string().min(1).max(4096);
const passphrase = z.string().min(1).max(1000);

/** What the workbench's own process answers; everything else goes on to the engine. */
export const shellCalls = {
  'shell.info': { input: nothing, output: shellInfoSchema },
  'shell.settings': { input: nothing, output: settingsSchema },
  'shell.network': { input: nothing, output: networkSchema },
  /** Connects to a server by the way in effect: which way leads there, and what certificate it shows. */
  'shell.testConnection': {
    input: z.strictObject({ address: z.string().trim().min(1).max(500) }),
    output: connectionTestSchema,
  },
  /** A report as PDF, in base64, by the browser engine that is there. */
  'shell.printPdf': {
    input: z.strictObject({ html: z.string().max(20_000_000) }),
    output: z.object({ pdf: z.string() }),
  },
  /** An empty password is forgotten. */
  'shell.setProxyPassword': { input: z.strictObject({ password: z.string().max(250) }), output: nothing },
  'shell.changeSettings': { input: settingsSchema.partial(), output: settingsSchema },
  'project.recent': { input: nothing, output: z.array(projectSchema) },
  'project.create': {
    input: z.strictObject({ folder, name: z.string().trim().min(1).max(100) }),
    output: projectSchema,
  },
  'project.open': { input: z.strictObject({ folder }), output: projectSchema },
  'project.close': { input: nothing, output: nothing },
  'project.forget': { input: z.strictObject({ folder, mover: z.string().max(63).optional() }), output: nothing },
  /** A native dialog where there is one; undefined when nothing was chosen. */
  'project.chooseFolder': { input: nothing, output: z.object({ folder: folder.optional() }) },
  /** Starts the sample where it does not run and opens its project when it is up; `shell.info` says how far it is. */
  'sample.open': { input: nothing, output: nothing },
  /** Ends the sample and closes its project; all that it made is removed. */
  'sample.end': { input: nothing, output: nothing },
  /** Without a passphrase the operating system's key store protects it, where `shell.info` says that it is usable. */
  'vault.create': { input: z.strictObject({ passphrase: passphrase.min(8).optional() }), output: nothing },
  'vault.unlock': { input: z.strictObject({ passphrase }), output: nothing },
  ...moverCalls,
  ...fleetMembershipCalls,
} as const;

export const shellEvents = {
  'shell.changed': shellInfoSchema,
  /** Somebody picked a command in the menu bar; the page carries it out. */
  'shell.command': z.object({ command: z.enum(commandIds) }),
  /** The computer woke up: what seemed to stand still was asleep. */
  'shell.woke': z.object({ asleepMs: z.number().nonnegative() }),
} as const;

/** All calls that a page may make, and all events that it receives. The carriers of the workbench are built from these two. */
export const workbenchCalls = { ...calls, ...shellCalls } as const;
export const workbenchEvents = { ...events, ...shellEvents } as const;

export type ShellCallName = keyof typeof shellCalls;
export function isShellCall(name: string): name is ShellCallName {
  return Object.hasOwn(shellCalls, name);
}
