import type { Catalog } from '../model/catalog.ts';
import type { JsonObject } from '../model/json.ts';
import type { Side } from '../model/plugin-id.ts';
import type { Disk, Nic, Vm } from '../model/vm.ts';
import type { Finding } from '../schema/finding.ts';

/**
 * The VM as far as the document describes it correctly: a member that is missing or wrong is absent, and every element
 * of a list keeps its position.
 */
export type VmFacts = Partial<Omit<Vm, 'disks' | 'nics'>> & {
  readonly disks?: readonly Partial<Disk>[];
  readonly nics?: readonly Partial<Nic>[];
};

/** What a document-level rule sees. Everything is tolerant: a leaf may have any JSON type, so look before you use it. */
export interface RuleContext {
  readonly side: Side;
  /** Only when the document has a `vm`. */
  readonly vm: VmFacts | undefined;
  /** The environment as it stands in the document. */
  readonly environment: JsonObject;
  /** The same merged over the provider configuration (equal to `environment` where there is none). */
  readonly effective: JsonObject;
  /** The provider configuration's values by key, already typed; empty where there is none. */
  readonly providerConfiguration: JsonObject;
  readonly catalog: Catalog | undefined;
  /** How the side's endpoint is reached, where it is known: a document alone does not say. Secrets by reference. */
  readonly connection?: JsonObject | undefined;
}

/** A finding whose place is given as segments below the side's `environment`, or below the document's root. */
export interface RuleFinding extends Omit<Finding, 'path' | 'rule'> {
  readonly at: readonly (string | number)[];
  /** Default 'environment'. */
  readonly from?: 'environment' | 'document';
}

/** A pure rule over a whole environment; zod checks shapes only, because its refinements hide behind type errors. */
export interface Rule {
  /** `<plugin id>/<what is wrong>`; the finding's `rule`. */
  readonly id: string;
  check(context: RuleContext): Iterable<RuleFinding>;
}
