import type { FleetObstacle, FleetView } from '../../shared/model/fleet.ts';
import { wavesJournal, type OpenRun } from '../engine/ports/replica-fleet.ts';
import type { MemberTalk } from './member-talk.ts';
import { limitsInUse, waitingWork, type Placing } from './place-work.ts';
import type { Queued } from './schedule.ts';

interface ViewOptions {
  readonly placing: Placing;
  /** Names of those that the claims name, by replica. */
  readonly asked: ReadonlyMap<string, string>;
  readonly talk: Pick<MemberTalk, 'others' | 'rates' | 'mayTell'>;
  /** How many of those that wait are described. */
  readonly queueLimit: number;
}

/** Who is there, what waits for what, and how much of the limits is used, as this member knows it. */
export function fleetView({ placing, asked, talk, queueLimit }: ViewOptions): FleetView {
  const { self, others, open, holderOf } = placing;
  const members = [self, ...others].map(({ member: { id, name }, carries, isDraining, reaches, works }) => ({
    id,
    name,
    isThis: id === self.member.id,
    carries,
    isDraining,
    reaches,
    works,
    heardSecondsAgo: Math.round((talk.others.silence(id) ?? 0) / 1000),
  }));
  const holders = new Map([
    ...asked,
    ...members.flatMap(({ name, works }) => works.map((replica) => [replica, name] as const)),
  ]);
  const runs = new Map(open.map((run) => [run.replicaId, run]));
  const queued = waitingWork(placing);
  const working = new Set(members.flatMap(({ works }) => works));
  return {
    state: 'member',
    mayChange: talk.mayTell(),
    members,
    waiting: queued.map(({ replica }) => replica),
    queue: queued.slice(0, queueLimit).flatMap((each) => entryOf(each, runs.get(each.replica))),
    holders: Object.fromEntries(holders),
    rates: Object.fromEntries(
      [...talk.rates()].filter(([replica]) => replica !== wavesJournal && working.has(replica)),
    ),
    inUse: Object.fromEntries(limitsInUse({ open, holderOf, limits: placing.limits })),
  };
}

function entryOf({ replica, obstacle }: Queued, run: OpenRun | undefined): FleetView['queue'] {
  return run === undefined
    ? []
    : [
        {
          replicaId: replica,
          wave: run.wave,
          isUrgent: run.isUrgent,
          since: new Date(run.since).toISOString(),
          waitsFor: obstacle === undefined ? { kind: 'starting' } : copied(obstacle),
        },
      ];
}

function copied(obstacle: NonNullable<Queued['obstacle']>): FleetObstacle {
  if (obstacle.kind === 'reach') return { kind: 'reach', endpoints: [...obstacle.endpoints] };
  return obstacle.kind === 'limit' ? { kind: 'limit', limits: [...obstacle.limits] } : obstacle;
}
