import type { ErrorCode } from '../../../shared/model/errors/catalogue.ts';

/** One step of an endpoint check. */
export interface CheckStep {
  readonly name: string;
  readonly outcome: 'passed' | 'failed' | 'warning' | 'skipped';
  /** What the check found, in words; with a remedy if it failed. */
  readonly evidence: string;
  /** Of the error, when it failed. */
  readonly code?: ErrorCode;
}

export interface CheckReport {
  readonly passed: boolean;
  readonly steps: readonly CheckStep[];
}

/** A choice for a form field or a name check; `id` is what an environment may carry as well as `name`. */
export interface Option {
  readonly id: string;
  readonly name: string;
  readonly description?: string;
}

export type OptionList = readonly Option[];

/** What one feature takes of the account, in the platform's own names. */
export interface FeaturePolicy {
  readonly feature: string;
  readonly privileges: readonly string[];
  /** Without it, nothing can be replicated or deployed. */
  readonly isEssential: boolean;
}
