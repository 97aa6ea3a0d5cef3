import { CausewayError } from '../../../shared/model/causeway-error.ts';
import type { JsonObject } from '../../../shared/model/json.ts';
import type { DestinationRun } from '../ports/destination-platform.ts';
import type { LedgerEntry, LedgerScope, Lifetime, ResourceKind } from '../ports/ledger.ts';
import { createOnce } from '../http/create-once.ts';
import { waitForState } from '../http/wait-for-state.ts';
import { pollPlan, type RetryContext } from './retry-context.ts';
import { labelKeys, labelValue, managedBy, resourceName, type Labels } from './labels.ts';

/** The name of a created resource: the name of its entry, in characters that the API accepts. */
export function nameOf(entry: LedgerEntry): string {
  return resourceName(entry.name);
}

/** The label that finds the resource of an entry again. */
export function entryLabel(entry: LedgerEntry): Labels {
  return { [labelKeys.entry]: labelValue(entry.entryId) };
}

/** The label that says to which project data, on which computer, a resource belongs. */
export function ownerLabel({ owner }: Pick<LedgerEntry, 'owner'>): Labels {
  return owner === undefined ? {} : { [labelKeys.owner]: labelValue(owner.mark) };
}

/** All labels of a created resource. */
export function resourceTags(run: DestinationRun, entry: LedgerEntry, more: Labels = {}): Labels {
  return {
    [labelKeys.managedBy]: managedBy,
    ...entryLabel(entry),
    [labelKeys.replica]: labelValue(run.replicaId),
    ...ownerLabel(entry),
    ...(entry.lifetime === 'temporary' ? { [labelKeys.execution]: labelValue(run.executionId) } : {}),
    ...more,
  };
}

export interface Intent {
  readonly kind: ResourceKind;
  readonly key: string;
  readonly lifetime: Lifetime;
  readonly details: JsonObject;
}

export interface Owned<T> {
  readonly resource: T;
  readonly entry: LedgerEntry;
  /** Created by this call, or by an earlier one whose answer was lost: not in use yet. */
  readonly fresh: boolean;
}

/**
 * The resource of an intent: the recorded one, or the one that an earlier call left behind, or a new one. Within a
 * creation, a lost answer leads to a look before the next request.
 */
export async function ensureResource<T extends { readonly id: string }>(
  around: RetryContext,
  ledger: LedgerScope,
  intent: Intent,
  how: {
    readonly find: (entry: LedgerEntry, signal: AbortSignal) => Promise<T | undefined>;
    readonly get: (id: string, entry: LedgerEntry, signal: AbortSignal) => Promise<T | undefined>;
    readonly create: (entry: LedgerEntry, signal: AbortSignal) => Promise<T>;
  },
  signal: AbortSignal,
): Promise<Owned<T>> {
  let fresh = false;
  const { resource, entry } = await ledger.ensure<T>(
    intent,
    {
      get: how.get,
      async find(entry, s) {
        const found = await how.find(entry, s);
        fresh ||= found !== undefined;
        return found;
      },
      create(entry, s) {
        fresh = true;
        const options = {
          backOff: around.timing.backOff,
          clock: around.clock,
          random: around.random,
          looks: around.timing.looksBeforeCreatingAgain,
        };
        return createOnce({ create: (s2) => how.create(entry, s2), find: (s2) => how.find(entry, s2) }, options, s);
      },
    },
    signal,
  );
  return { resource, entry, fresh };
}

export interface Removal<T> {
  readonly remove: (signal: AbortSignal) => Promise<void>;
  readonly get?: (signal: AbortSignal) => Promise<T | undefined>;
  /** Whether to remove a resource again that still exists: some clouds accept a deletion and then do not perform it. */
  readonly cameBack?: (resource: T) => boolean;
  /** The cloud's word for a removal that failed permanently. */
  readonly failed?: (resource: T) => string | undefined;
}

/**
 * Removes a resource and waits until it is gone. A conflict (something still uses it, another operation runs) is waited
 * for. Where `get` is left out, an accepted removal is taken as done.
 */
export async function deleteAndWait<T>(
  around: RetryContext,
  what: string,
  how: Removal<T>,
  signal: AbortSignal,
): Promise<void> {
  let asked = false;
  await waitForState(
    { operation: `remove ${what}` },
    async (s) => {
      if (!asked) {
        try {
          await how.remove(s);
          asked = true;
        } catch (error) {
          if (!(error instanceof CausewayError) || error.code !== 'cloud.conflict') throw error;
          return { done: false, state: `in use (${error.message})` };
        }
      }
      if (how.get === undefined) return { done: true, value: undefined };
      try {
        const resource = await how.get(s);
        if (resource === undefined) return { done: true, value: undefined };
        const failure = how.failed?.(resource);
        if (failure !== undefined)
          throw new CausewayError('cloud.operation-failed', `remove ${what}: ${failure}`, {
            details: { state: failure },
          });
        if (how.cameBack?.(resource) !== true) return { done: false, state: 'there' };
        asked = false;
        return { done: false, state: 'there again' };
      } catch (error) {
        // After its removal a resource may answer "forbidden" rather than "not found".
        if (error instanceof CausewayError && error.code === 'cloud.permission-denied')
          return { done: true, value: undefined };
        throw error;
      }
    },
    pollPlan(around.timing, around.timing.removeMs),
    around.clock,
    signal,
  );
}
