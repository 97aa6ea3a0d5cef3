import type { JsonObject } from '../../../shared/model/json.ts';

export type ResourceKind =
  | 'volume'
  | 'volume-snapshot'
  | 'volume-backup'
  | 'server'
  | 'nic'
  | 'public-ip'
  | 'security-group'
  | 'security-group-rule'
  | 'key-pair'
  | 'attachment'
  | 'image'
  | 'source-snapshot'
  | 'other';

/** How long a resource is to exist. */
export type Lifetime = 'temporary' | 'replica' | 'deployment';

/** The project data that resources belong to, as their marks in a cloud name it. */
export interface Ownership {
  /** `<computer>.<random>`, fit for a label of every cloud. */
  readonly mark: string;
  /** Marks of this data before another computer took it over. */
  readonly former: readonly string[];
}

/** One created resource, or the intent to create it. */
export interface LedgerEntry {
  readonly entryId: string;
  readonly endpointId: string;
  readonly replicaId?: string;
  readonly executionId?: string;
  readonly kind: ResourceKind;
  /** Unique within (endpoint, replica, execution for temporary ones); says which of the plan's resources it is. */
  readonly key: string;
  /** The name or tag that finds the resource again on the platform: unique, carries the entry id. */
  readonly name: string;
  readonly lifetime: Lifetime;
  readonly state: 'intended' | 'existing' | 'removing' | 'removed';
  /** Set once the platform answered. */
  readonly resourceId?: string;
  readonly details: JsonObject;
  readonly createdAt: string;
  /** Absent where no one else can reach the platform. */
  readonly owner?: Ownership;
}

/**
 * What a platform adapter sees of the ledger, bound to one endpoint, replica and execution. The intent is durable
 * before the platform is asked; the id right after it answered.
 */
export interface LedgerScope {
  /**
   * The resource for `key`: the existing one; or the one that `find` sees on the platform by its name (an earlier
   * answer was lost); or a new one by `create`. Never creates twice: while a platform's list may lag behind, `find` is
   * repeated after pauses.
   */
  ensure<T extends { readonly id: string }>(
    intent: {
      readonly kind: ResourceKind;
      readonly key: string;
      readonly lifetime: Lifetime;
      readonly details?: JsonObject;
    },
    how: {
      /** Looks on the platform by `entry.name`; called after a lost answer only. */
      find(entry: LedgerEntry, signal: AbortSignal): Promise<T | undefined>;
      /** Reads the resource by its recorded id; undefined = it is gone (then it is created again). */
      get(id: string, entry: LedgerEntry, signal: AbortSignal): Promise<T | undefined>;
      create(entry: LedgerEntry, signal: AbortSignal): Promise<T>;
    },
    signal: AbortSignal,
  ): Promise<{ readonly resource: T; readonly entry: LedgerEntry; readonly created: boolean }>;
  readonly owner?: Ownership;
  find(kind: ResourceKind, key: string): LedgerEntry | undefined;
  list(filter?: { readonly kind?: ResourceKind; readonly lifetime?: Lifetime }): readonly LedgerEntry[];
  /** Marks an entry as to be removed, without a try: what needs its key gets a new resource, and it stays recorded until it is gone. */
  setAside(entry: LedgerEntry): void;
  /**
   * Removes a resource: marks the entry, calls `remove` with the id (or with the id that `findId` sees for a mere
   * intent), marks it removed. `remove` treats "not there" as done.
   */
  release(
    entry: LedgerEntry,
    how: {
      findId(entry: LedgerEntry, signal: AbortSignal): Promise<string | undefined>;
      remove(id: string, entry: LedgerEntry, signal: AbortSignal): Promise<void>;
    },
    signal: AbortSignal,
  ): Promise<void>;
}
