import type { z } from 'zod';

/** Where the choices for a leaf come from: a kind of resource of the catalog, or of the VM. */
export type OptionSource =
  | 'networks'
  | 'images'
  | 'machine_types'
  | 'volume_types'
  | 'security_groups'
  | 'affinity_groups'
  | 'availability_zones'
  | 'keypairs'
  | 'regions'
  | 'resource_groups'
  | 'storage_accounts'
  | 'subnets'
  | 'compartments'
  | 'projects'
  | 'templates'
  | 'server_pools'
  | 'repositories'
  | 'floating_ip_pools'
  | 'server_groups'
  | 'os_types'
  | 'clone_types'
  | 'attachment_types'
  | 'vm.networks'
  | 'vm.storage_backends'
  | 'vm.disks';

/** A kind of thing that a value leads to. */
export type Reach = 'address' | 'socket' | 'file' | 'program' | 'access';

/**
 * What every leaf of every plugin's schema says of itself. Forms, documentation, JSON Schema and the command line are
 * all made from it. Attach with `.meta()` last: wrappers (`optional`, `default`) hide the metadata of what they wrap.
 */
export interface FieldMeta {
  /** Short label in sentence case. */
  readonly title: string;
  /** One or two sentences: what it does, when it matters. */
  readonly help: string;
  /** Heading under which forms show it. */
  readonly group: string;
  readonly unit?: string;
  readonly example?: unknown;
  readonly secret?: boolean;
  /** The built-in default of the specification. Documents are never rewritten with it; only shown and used at run time. */
  readonly builtIn?: unknown;
  /** Choices of the value (of a list's element, of a mapping's value). */
  readonly optionsFrom?: OptionSource;
  /** Whether a choice is written by its id, and not by its name, which several things may have. */
  readonly takesIds?: boolean;
  /** Choices of a mapping's keys. */
  readonly keysFrom?: OptionSource;
  /** What a value makes this computer or a worker reach or run, for environments whose files other people change. */
  readonly reach?: Reach;
  /** A text of several lines (keys, certificates). */
  readonly multiline?: boolean;
}

declare module 'zod' {
  // eslint-disable-next-line @typescript-eslint/no-empty-object-type -- declaration merging is how zod types its metadata
  interface GlobalMeta extends Partial<Omit<FieldMeta, 'title'>> {}
}

/** Attaches metadata; `field(z.string().optional(), {...})`. Wrap first, attach last. */
export function field<S extends z.ZodType>(schema: S, meta: FieldMeta): S {
  return schema.meta({ ...meta, description: meta.help }) as S;
}
