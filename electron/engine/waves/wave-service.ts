import { CausewayError, toErrorRecord, type ErrorRecord } from '../../../shared/model/causeway-error.ts';
import type { JsonObject } from '../../../shared/model/json.ts';
import type { WaveAction } from '../../../shared/model/wave-action.ts';
import { isEnded, type WaveRun, type WaveRunOptions } from '../../../shared/model/wave.ts';
import type { NewEvent } from '../store/events.ts';
import { newId } from '../store/ids.ts';
import type { StoredMember, StoredWaveRun, StoredWaveState, WaveRunStore } from '../store/wave-runs.ts';
import { nextSteps } from './next-steps.ts';
import type { WaveOrder } from '../../../shared/model/wave-order.ts';

/** A replica's execution or deployment, as a wave looks at it. */
export interface MemberRun {
  readonly id: string;
  readonly number: number;
  readonly state: 'active' | 'interrupted' | 'completed' | 'failed' | 'cancelled';
  readonly error?: ErrorRecord;
}

/** How members are started and watched; executions for one action, deployments for the others. */
export interface MemberRuns {
  /** Undefined: it was asked for, and is among the replica's runs some time later. @throws CausewayError when it can't be started */
  start(action: WaveAction, replicaId: string, options: WaveRunOptions): MemberRun | undefined;
  resume(action: WaveAction, replicaId: string): void;
  find(action: WaveAction, id: string): MemberRun | undefined;
  latest(action: WaveAction, replicaId: string): MemberRun | undefined;
  cancel(action: WaveAction, id: string): void;
}

export interface WaveServiceOptions {
  readonly store: WaveRunStore;
  readonly runs: MemberRuns;
  emit(event: NewEvent): void;
  /** Removes secrets from an error before it is stored. */
  clean(error: ErrorRecord): ErrorRecord;
  /** Whether another engine carries out the actions that this one does not. Default: no. */
  isElsewhere?(): boolean;
}

export interface NewWaveRun {
  readonly wave: string;
  readonly action: WaveAction;
  readonly atOnce: number;
  readonly options: WaveRunOptions;
  readonly order: WaveOrder;
}

export type WaveService = ReturnType<typeof waveService>;

/**
 * Carries out actions on waves. All that is decided is durable before it is done, so that an engine that was killed starts no
 * member twice: `starting` is written with the number of the replica's latest run, and a later one is what was started.
 */
export function waveService({ store, runs, emit, clean, isElsewhere = () => false }: WaveServiceOptions) {
  /** Those that this process carries out; others were interrupted. */
  const attached = new Set<string>();
  /** Executions and deployments that this process has resumed. */
  const resumed = new Set<string>();
  let isClosing = false;

  const tell = (run: StoredWaveRun, message: string, details: JsonObject = {}): void =>
    emit({ type: 'wave.state', message, details: { wave: run.wave, waveRun: run.id, ...details } });
  const tellMember = (
    run: StoredWaveRun,
    member: Pick<StoredMember, 'replicaId' | 'name'>,
    state: string,
    code?: string,
  ): void =>
    emit({
      type: 'wave.member',
      replicaId: member.replicaId,
      message: `${member.name}: ${state}`,
      details: { wave: run.wave, waveRun: run.id, state, ...(code === undefined ? {} : { code }) },
    });

  function setState(run: StoredWaveRun, state: StoredWaveState, message: string): void {
    store.setState(run.id, state);
    tell(run, message, { state });
  }

  function settle(run: StoredWaveRun, member: StoredMember, found: MemberRun): void {
    if (found.state === 'active') return;
    if (found.state === 'interrupted') {
      // Once: what can't be resumed (a locked vault, a full disk) waits for a person.
      if (resumed.has(found.id)) return;
      resumed.add(found.id);
      if (run.state === 'cancelling') runs.cancel(run.action, found.id);
      else resumeMember(run, member);
      return;
    }
    store.setMember(run.id, member.replicaId, found.state, found.error);
    tellMember(run, member, found.state, found.error?.code);
  }

  function resumeMember(run: StoredWaveRun, member: StoredMember): void {
    try {
      runs.resume(run.action, member.replicaId);
    } catch (thrown) {
      tellMember(run, member, 'interrupted', clean(toErrorRecord(thrown)).code);
    }
  }

  function begin(run: StoredWaveRun, member: StoredMember, isRepeated = false): void {
    const { action, options } = run;
    if (!isRepeated) store.setStarting(run.id, member.replicaId, runs.latest(action, member.replicaId)?.number ?? 0);
    let started: MemberRun | undefined;
    try {
      started = runs.start(action, member.replicaId, options);
    } catch (thrown) {
      const error = clean(toErrorRecord(thrown));
      store.setMember(run.id, member.replicaId, 'failed', error);
      tellMember(run, member, 'failed', error.code);
      return;
    }
    if (started === undefined) return;
    store.setStarted(run.id, member.replicaId, started.id);
    tellMember(run, member, 'running');
  }

  /** What was started before the engine ended, or while it was being recorded. */
  function takeUp(run: StoredWaveRun, member: StoredMember): void {
    const latest = runs.latest(run.action, member.replicaId);
    if (latest !== undefined && latest.number > (member.formerNumber ?? 0)) {
      store.setStarted(run.id, member.replicaId, latest.id);
      if (latest.state === 'active') tellMember(run, member, 'running');
      settle(run, member, latest);
    } else if (run.state === 'cancelling') store.setMember(run.id, member.replicaId, 'cancelled');
    else begin(run, member, true);
  }

  function follow(run: StoredWaveRun): void {
    for (const member of store.members(run.id)) {
      if (member.state === 'starting') takeUp(run, member);
      if (member.state !== 'running' || member.startedId === undefined) continue;
      const found = runs.find(run.action, member.startedId);
      if (found !== undefined) settle(run, member, found);
      else
        store.setMember(
          run.id,
          member.replicaId,
          'failed',
          toErrorRecord(new CausewayError('engine.not-found', member.startedId)),
        );
    }
  }

  /** One look at one action; true while there may be more to do immediately. */
  function advance(id: string): boolean {
    const run = store.find(id);
    if (run === undefined || isEnded(run)) {
      attached.delete(id);
      return false;
    }
    follow(run);
    const members = store.members(id);
    const byId = new Map(members.map((member) => [member.replicaId, member]));
    const steps = nextSteps(run, members);
    for (const replicaId of steps.block) store.setMember(id, replicaId, 'blocked');
    for (const replicaId of steps.cancel) store.setMember(id, replicaId, 'cancelled');
    for (const replicaId of steps.start) begin(run, byId.get(replicaId)!);
    if (steps.end !== undefined) {
      const counts = store.counts(id);
      setState(
        run,
        steps.end,
        `wave ${run.wave}: ${run.action} ${steps.end}: ${counts.completed} of ${members.length} completed`,
      );
      attached.delete(id);
      return false;
    }
    // A member that could not be started leaves room for another.
    return steps.start.length > 0 || steps.block.length > 0;
  }

  let isAdvancing = false;
  /** Looks at everything that this process carries out. What the store can't take now is tried again at the next event. */
  function tick(): void {
    if (isClosing || isAdvancing) return;
    isAdvancing = true;
    try {
      for (const id of [...attached]) while (advance(id));
    } finally {
      isAdvancing = false;
    }
  }

  function openRun(wave: string): StoredWaveRun {
    const run = store.listOpen().find((candidate) => candidate.wave === wave);
    if (run === undefined) throw new CausewayError('wave.not-active', `wave ${wave}`);
    return run;
  }

  function resume(run: StoredWaveRun): void {
    attached.add(run.id);
    tick();
  }

  const service = {
    /** Looks at what is under way: after every change of an execution or deployment. */
    tick,

    isActive: (wave: string): boolean => store.listOpen().some((run) => run.wave === wave),

    /** Waves that this process carries out. */
    activeWaves: (): string[] => [...attached].flatMap((id) => store.find(id)?.wave ?? []),

    /** @throws CausewayError `wave.active`, `wave.empty`, `wave.order-circular` */
    start({ wave, action, atOnce, options, order }: NewWaveRun): WaveRun {
      if (service.isActive(wave)) throw new CausewayError('wave.active', `wave ${wave}`);
      if (order.members.length === 0) throw new CausewayError('wave.empty', `wave ${wave}`);
      if (order.circular.length > 0) throw new CausewayError('wave.order-circular', order.circular.join(', '));
      const run = {
        id: newId('wav'),
        wave,
        action,
        atOnce,
        options,
        groups: order.groups,
        createdAt: new Date().toISOString(),
      };
      store.add(
        run,
        order.members.map(({ id, name, group, after }) => ({ replicaId: id, name, group, after })),
      );
      tell(
        { ...run, state: 'running', released: -1 },
        `wave ${wave}: ${action} of ${order.members.length} members started`,
        { state: 'running' },
      );
      resume({ ...run, state: 'running', released: -1 });
      return shown(run.id);
    },

    pause(wave: string): WaveRun {
      const run = openRun(wave);
      if (run.state === 'cancelling') throw new CausewayError('wave.not-active', `wave ${wave} is being cancelled`);
      if (run.state !== 'paused') setState(run, 'paused', `wave ${wave} is paused`);
      return shown(run.id);
    },

    /** After a pause, or after the engine ended. */
    continue(wave: string): WaveRun {
      const run = openRun(wave);
      if (run.state === 'paused') setState(run, 'running', `wave ${wave} continues`);
      for (const { startedId = '' } of store.members(run.id)) resumed.delete(startedId);
      resume(run);
      return shown(run.id);
    },

    /** Lets the next group start, with or without failures before it. @throws CausewayError `wave.no-go-due` */
    go(wave: string): WaveRun {
      const run = openRun(wave);
      const { waitsFor } = nextSteps(run, store.members(run.id));
      if (waitsFor === undefined) throw new CausewayError('wave.no-go-due', `wave ${wave}`);
      store.release(run.id, waitsFor.group);
      tell(run, `wave ${wave}: go for ${waitsFor.name}`, { group: waitsFor.group });
      resume(run);
      return shown(run.id);
    },

    /** Members that wait never start; those under way are cancelled, or may finish. */
    cancel(wave: string, letFinish: boolean): WaveRun {
      const run = openRun(wave);
      if (run.state !== 'cancelling') setState(run, 'cancelling', `wave ${wave} is being cancelled`);
      if (!letFinish) {
        for (const { state, startedId } of store.members(run.id)) {
          if (state === 'running' && startedId !== undefined && runs.find(run.action, startedId)?.state === 'active')
            runs.cancel(run.action, startedId);
        }
      }
      resume(run);
      return shown(run.id);
    },

    /** Starts those again that did not complete in the newest action. @throws CausewayError `wave.nothing-to-retry` */
    retry(wave: string): WaveRun {
      const run = store.list(wave, 1)[0];
      const again =
        run === undefined
          ? []
          : store
              .members(run.id)
              .filter(({ state }) => state === 'failed' || state === 'blocked' || state === 'cancelled');
      if (run === undefined || again.length === 0 || run.state === 'cancelling')
        throw new CausewayError('wave.nothing-to-retry', `wave ${wave}`);
      for (const { replicaId } of again) store.setMember(run.id, replicaId, 'waiting');
      if (isEnded(run)) setState(run, 'running', `wave ${wave}: ${again.length} members are tried again`);
      else tell(run, `wave ${wave}: ${again.length} members are tried again`);
      resume(run);
      return shown(run.id);
    },

    /** Takes up what an engine that ended left open. */
    resumeInterrupted(): WaveRun[] {
      const left = store.listOpen().filter(({ id }) => !attached.has(id));
      for (const { id } of left) attached.add(id);
      tick();
      return left.map(({ id }) => shown(id));
    },

    setAtOnce(wave: string, atOnce: number): WaveRun {
      const run = openRun(wave);
      store.setAtOnce(run.id, atOnce);
      tick();
      return shown(run.id);
    },

    asShown,

    /** Another engine carries out all of them from now on. */
    detach: (): void => attached.clear(),

    /** Nothing starts after this; what is open is taken up by the next engine. */
    close(): void {
      isClosing = true;
      attached.clear();
    },
  };

  function asShown(run: StoredWaveRun): WaveRun {
    const { id, wave, action, atOnce, createdAt, finishedAt } = run;
    const waitsFor = run.state === 'running' ? nextSteps(run, store.members(id)).waitsFor : undefined;
    return {
      id,
      wave,
      action,
      atOnce,
      createdAt,
      state: !isEnded(run) && !attached.has(id) && run.state !== 'paused' && !isElsewhere() ? 'interrupted' : run.state,
      ...(finishedAt === undefined ? {} : { finishedAt }),
      counts: store.counts(id),
      ...(waitsFor === undefined ? {} : { waitsFor }),
    };
  }

  function shown(id: string): WaveRun {
    const run = store.find(id);
    if (run === undefined) throw new CausewayError('general.bug', `wave action ${id} was not stored`);
    return asShown(run);
  }

  return service;
}
