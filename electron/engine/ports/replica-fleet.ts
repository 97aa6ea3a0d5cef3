import type { CallName } from '../../../shared/contract/contract.ts';
import type { Envelope } from '../../../shared/contract/envelope.ts';
import type {
  ConflictSide,
  DescriptionConflict,
  FleetHistory,
  FleetView,
  NotShared,
} from '../../../shared/model/fleet.ts';
import type { ExecutionProgress } from '../../../shared/model/progress.ts';

/** Actions on waves have one journal and one claim, as if they were a replica. */
export const wavesJournal = 'waves';

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
  /** The number of the claim that is held now; each one is greater than those before it. 0: none is held. */
  epoch(replicaId: string): number;
}

/** Of an engine that has its project for itself. */
export const noFleet: ReplicaFleet = {
  claim: () => Promise.resolve({ lost: new AbortController().signal }),
  settled: () => Promise.resolve(),
  claimed: () => () => undefined,
  epoch: () => 0,
};

/** An execution or deployment that has not ended, as it is distributed. */
export interface OpenRun {
  readonly replicaId: string;
  /** Empty: in no wave. */
  readonly wave: string;
  readonly isUrgent: boolean;
  /** When it was asked for, milliseconds since 1970. */
  readonly since: number;
  /** Ids of the endpoints that whoever carries it out has to reach. */
  readonly endpoints: readonly string[];
  /** What it takes a part of, by the names that limits have. */
  readonly uses: readonly string[];
}

/** What a fleet asks the engine that takes part in it. */
export interface FleetHooks {
  /** Files of descriptions have come from another member. */
  described(): void;
  /** Under which this engine marks resources in clouds. */
  marks(): readonly string[];
  /** Ids of all replicas. */
  replicas(): readonly string[];
  /** Executions and deployments that have not ended, whoever carries them out; one for each replica. */
  openRuns(): readonly OpenRun[];
  /** Whether an action on a wave has not ended, whoever carries it out. */
  hasOpenWave(): boolean;
  /** Ids of endpoints that this engine can use now: accepted here, with all their secrets, and of these names where some are given. */
  reaches(names: readonly string[] | undefined): Promise<readonly string[]>;
  /** How many executions may use something at the same time. */
  limits(): ReadonlyMap<string, number>;
  /** How many this engine carries out at the same time where its membership does not say it. */
  carries(): number;
  /** Carries out a call that another member's user has asked for. */
  asked(call: CallName, input: object): Promise<Envelope<unknown>>;
  /** The newest numbers of what another member carries out. */
  progress(progress: ExecutionProgress): void;
  /** Whether this engine carries out something on it. */
  isBusy(replicaId: string): boolean;
  /** Continues what another member has left. */
  resume(replicaId: string): Promise<void>;
  /** Rows of it are about to come from another member: what is known of its volumes here no longer applies. */
  applying(replicaId: string): void;
  applied(replicaId: string): void;
  /** Other members work on other replicas than before. */
  moved(): void;
  /** The fleet was looked at once more. */
  looked(): void;
}

/** A fleet as the engine has it while it is open. */
export interface FleetInEngine extends ReplicaFleet {
  /** The other member that works on a replica, by its name, as far as it is known. */
  holder(replicaId: string): string | undefined;
  /** Gives a replica back, with everything recorded, so that any member may go on with it. */
  release(replicaId: string, signal: AbortSignal): Promise<void>;
  /** Has the member that works on a replica carry out a call. Rejects with `fleet.claimed-elsewhere` where it does not answer. */
  forward(replicaId: string, call: CallName, input: object, signal: AbortSignal): Promise<Envelope<unknown>>;
  /** Something was recorded of a replica: others hear of it soon. */
  noted(replicaId: string): void;
  /** Tells others the numbers of what runs here. */
  publish(replicaId: string, progress: ExecutionProgress): void;
  /** @param queueLimit how many of those that wait are described */
  view(queueLimit: number): FleetView;
  /** Whether the role of this member's user allows more than reading, as far as the servers have said it. */
  mayChange(): boolean;
  /** Reads the whole journal of a replica. */
  history(replicaId: string, signal: AbortSignal): Promise<FleetHistory>;
  /** Asks a member, by its name or id, to take nothing new, or to take work again. Says whether there is one of that name. */
  drain(member: string, isDraining: boolean): boolean;
  /** From now on this engine ends what it has and takes nothing new. */
  leave(): void;
  /** Whether it was asked to, by its user or another member. */
  isLeaving(): boolean;
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
