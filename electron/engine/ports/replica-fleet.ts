import type { ConflictSide, DescriptionConflict, NotShared } from '../../../shared/model/fleet.ts';

/** Work on one replica that no other member of the fleet does. */
export interface ReplicaClaim {
  /** Aborted with a `CausewayError` when another member has taken over: whatever runs has to stop, and must ask nothing more of any cloud. */
  readonly lost: AbortSignal;
}

/** What an engine needs where several engines share a project. Without a fleet there is none of it. */
export interface ReplicaFleet {
  /**
   * Makes this engine the only one that works on a replica, and brings its store to where others have left it. Doing it again while it is
   * claimed costs nothing. Rejects with `fleet.claimed-elsewhere` or `fleet.unreachable`.
   */
  claim(replicaId: string, signal: AbortSignal): Promise<ReplicaClaim>;
  /**
   * Resolves when everything that the store says of a replica is in the journal that others continue from: before each request that creates
   * or removes something. Rejects with `fleet.claim-lost` or `fleet.unreachable`.
   */
  settled(replicaId: string, signal: AbortSignal): Promise<void>;
  /**
   * What has to hold, under the claim that is held now, when a request to a cloud begins: throws `fleet.claim-lost` where another engine may have
   * taken over before the request arrives. A process that was stopped asks its clock here first, whatever it was about to send.
   */
  claimed(replicaId: string): () => void;
}

/** Of an engine that has its project for itself. */
export const noFleet: ReplicaFleet = {
  claim: () => Promise.resolve({ lost: new AbortController().signal }),
  settled: () => Promise.resolve(),
  claimed: () => () => undefined,
};

/** What a fleet asks the engine that takes part in it. */
export interface FleetHooks {
  /** Files of descriptions have come from another member. */
  described(): void;
  /** Under which this engine marks resources in clouds. */
  marks(): readonly string[];
  /** Ids of all replicas. */
  replicas(): readonly string[];
  /** Whether an execution or deployment of it has not ended, whoever carries it out. */
  hasOpenRun(replicaId: string): boolean;
  /** Whether this engine carries out something on it. */
  isBusy(replicaId: string): boolean;
  /** Continues what another member has left. */
  resume(replicaId: string): Promise<void>;
  /** Rows of it are about to come from another member: what is known of its volumes here no longer applies. */
  applying(replicaId: string): void;
  applied(replicaId: string): void;
}

/** A fleet as the engine has it while it is open. */
export interface FleetInEngine extends ReplicaFleet {
  /** Resolves when the store knows what others had recorded before. */
  readonly ready: Promise<void>;
  /** Descriptions that were changed here and elsewhere, as of the last exchange. */
  conflicts(): readonly DescriptionConflict[];
  /** Descriptions of this computer that others do not get, as of the last exchange. */
  notShared(): readonly NotShared[];
  /** Makes one side's file everybody's. Rejects with `fleet.changed-meanwhile` where there is a newer change than that revision, else with `fleet.*`. */
  decide(file: string, side: ConflictSide, revision: number): Promise<void>;
  close(): Promise<void>;
}
