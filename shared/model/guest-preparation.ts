import { z } from 'zod';

/** A block device of a guest, as the worker saw it. `disk` counts the attached disks from 0. */
export const guestDeviceSchema = z.object({
  path: z.string(),
  kind: z.enum(['disk', 'partition', 'raid', 'decrypted', 'logical']),
  content: z.string(),
  uuid: z.string(),
  disk: z.int().optional(),
  partition: z.int().optional(),
  name: z.string().optional(),
  label: z.string().optional(),
});

/** An installation on the disks. `id` names it on any worker and can be pinned. */
export const guestRootSchema = guestDeviceSchema.extend({
  id: z.string(),
  distribution: z.string(),
  version: z.string(),
  subvolume: z.string().optional(),
  name: z.string(),
});

/** What a guest is. */
export const guestDossierSchema = z.object({
  distribution: z.string(),
  version: z.string(),
  name: z.string(),
  family: z.enum(['debian', 'redhat', 'suse', 'windows', 'other']),
  architecture: z.string(),
  hostname: z.string(),
  root: guestRootSchema,
  /** By mount point. */
  mounts: z.record(z.string(), guestDeviceSchema),
  /** Versions that can boot. */
  kernels: z.array(z.string()),
  bootloader: z.enum(['grub-bios', 'grub-efi', 'grub-legacy', 'systemd-boot', 'extlinux', 'bootmgr', 'unknown']),
  firmware: z.enum(['bios', 'uefi']),
  init: z.enum(['systemd', 'upstart', 'openrc', 'sysvinit', 'windows', 'unknown']),
  /** What its network configuration is written for, e.g. netplan. */
  network: z.array(z.string()),
  selinux: z.string(),
  /** Version of cloud-init, null when it isn't installed. */
  cloudInit: z.string().nullable(),
  /** Platform → packages of its tools. */
  hypervisorTools: z.record(z.string(), z.array(z.string())),
});

/** A step of the preparation that was done. */
export const guestStepSchema = z.object({
  step: z.string(),
  title: z.string(),
  seconds: z.number().nonnegative(),
  changed: z.boolean(),
  notes: z.array(z.string()),
});

const fileStateSchema = z.object({
  kind: z.enum(['file', 'link', 'other']),
  mode: z.string(),
  owner: z.string(),
  size: z.int().nonnegative(),
  sha256: z.string().optional(),
  target: z.string().optional(),
});

/** `lines`: a unified diff of small settings files, lines that may hold secrets masked. */
const linesSchema = z.array(z.string()).optional();

const changesOf = <Value extends z.ZodType>(value: Value) =>
  z.object({
    added: z.record(z.string(), value),
    removed: z.record(z.string(), value),
    changed: z.record(z.string(), z.object({ before: value, after: value })),
  });

const accountSchema = z.object({
  uid: z.string(),
  gid: z.string(),
  home: z.string(),
  shell: z.string(),
  /** Never the password: `set`, `locked`, `none` or `unknown`. */
  password: z.string(),
  /** How many keys may log in. */
  keys: z.int().nonnegative(),
});

/** What a preparation changed in a guest: files of /etc and /boot, packages, services, accounts, SSH, network names. */
export const guestDiffSchema = z.object({
  files: z.object({
    added: z.array(fileStateSchema.extend({ path: z.string(), lines: linesSchema })),
    removed: z.array(fileStateSchema.extend({ path: z.string() })),
    changed: z.array(
      z.object({ path: z.string(), before: fileStateSchema, after: fileStateSchema, lines: linesSchema }),
    ),
  }),
  packages: changesOf(z.string()),
  services: z.object({ enabled: z.array(z.string()), disabled: z.array(z.string()) }),
  users: changesOf(accountSchema),
  /** As the SSH server reads its own settings. */
  sshPolicy: changesOf(z.string()),
  /** File → SHA-256 of the public key. */
  sshHostKeys: changesOf(z.string()),
  network: z.record(z.string(), z.object({ before: z.json(), after: z.json() })),
  /** Windows: `hive\key name` → kind and value (`key` for a key itself). */
  registry: changesOf(z.string()).optional(),
});

const toldSchema = z.object({ code: z.string(), message: z.string() });

/** What a preparation would do, told without writing to the guest. */
export const guestPlanSchema = z.object({
  /** What it would stop at, by the codes of its errors. */
  findings: z.array(toldSchema).default([]),
  changes: z.array(z.object({ step: z.string(), title: z.string(), notes: z.array(z.string()) })).default([]),
  /** Without those of packages and of programs of the guest, such as initial RAM disks. */
  files: z
    .array(z.object({ path: z.string(), change: z.enum(['added', 'changed', 'removed']), lines: linesSchema }))
    .default([]),
  /** What would not stop it, but may not work on the destination; the codes say what it is about. */
  doubts: z.array(toldSchema).default([]),
});

/** What a script of the user said. */
export const scriptOutputSchema = z.object({ script: z.string(), exitCode: z.int(), output: z.string() });

export type GuestDevice = z.infer<typeof guestDeviceSchema>;
export type GuestRoot = z.infer<typeof guestRootSchema>;
export type GuestDossier = z.infer<typeof guestDossierSchema>;
export type GuestStep = z.infer<typeof guestStepSchema>;
export type GuestDiff = z.infer<typeof guestDiffSchema>;
export type ScriptOutput = z.infer<typeof scriptOutputSchema>;
export type GuestPlan = z.infer<typeof guestPlanSchema>;
