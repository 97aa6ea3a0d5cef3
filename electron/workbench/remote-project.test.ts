import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { MoverLink } from '../../shared/contract/mover-calls.ts';
import type { ShellInfo } from '../../shared/contract/shell.ts';
import { CausewayError } from '../../shared/model/causeway-error.ts';
import type { MoverService } from '../movers/mover-service.ts';
import type { OpenedOnMover } from '../movers/open-on-mover.ts';
import { openRemoteProject, type RemoteProject } from './remote-project.ts';

const never = new AbortController().signal;

/** The service of a project on a mover, whose connections can be broken, and which can hang. */
function service() {
  const events: { id: number; type: string; details: object }[] = [];
  const vault = { exists: true, isOpen: false, words: '', keyStoreIsUsable: false };
  const asked: { readonly name: string; readonly after: unknown }[] = [];
  /** Calls that are not answered before the connection is closed. */
  const silent = new Set<string>();
  /** What happens on the mover while a call is under way. */
  const during = new Map<string, (tell: (name: string, payload: unknown) => void) => void>();
  const befores: (MoverService | undefined)[] = [];
  let breakIt: (reason: CausewayError) => void = () => undefined;
  let tell: (name: string, payload: unknown) => void = () => undefined;
  let refusal: CausewayError | undefined;
  let connections = 0;
  let isConnecting: Promise<void> | undefined;
  let open = 0;
  const connect = async (_signal: AbortSignal, before?: MoverService): Promise<OpenedOnMover> => {
    befores.push(before);
    await Promise.resolve();
    if (refusal !== undefined) throw refusal;
    connections += 1;
    // As one that has connected in the moment in which it is given up.
    await isConnecting;
    open += 1;
    const listeners = new Map<string, Set<(payload: unknown) => void>>();
    const closed = Promise.withResolvers<never>();
    closed.promise.catch(() => undefined);
    let isClosed = false;
    const emit = (name: string, payload: unknown): void => {
      if (!isClosed) for (const listener of listeners.get(name) ?? []) listener(payload);
    };
    tell = emit;
    const client = {
      // As the real one: an aborted signal alone ends no call.
      async call(
        name: string,
        input: Readonly<Record<string, unknown>>,
        options: { readonly signal?: AbortSignal } = {},
      ) {
        options.signal?.throwIfAborted();
        asked.push({ name, after: input['after'] });
        await Promise.resolve();
        if (silent.has(name)) return closed.promise;
        if (name === 'shell.info')
          return {
            host: 'browser',
            version: '1',
            platform: 'linux',
            project: { folder: '/srv/web', name: 'web' },
            engine: { state: 'running', restarts: 0 },
            vault: { ...vault },
          } satisfies ShellInfo;
        if (name === 'execution.events') {
          during.get(name)?.(emit);
          return input['newest'] === true ? events.slice(-1) : events.filter(({ id }) => id > Number(input['after']));
        }
        if (name === 'vault.unlock') vault.isOpen = true;
        return {};
      },
      subscribe(name: string, listener: (payload: unknown) => void) {
        listeners.set(name, (listeners.get(name) ?? new Set()).add(listener));
        return () => undefined;
      },
      close: () => Promise.resolve(),
    };
    const ended = new Promise<CausewayError>((done) => (breakIt = done));
    const close = (): Promise<void> => {
      if (!isClosed) open -= 1;
      isClosed = true;
      closed.reject(new CausewayError('engine.connection-lost', 'the engine has hung up'));
      return Promise.resolve();
    };
    return {
      client: client as never,
      service: { project: '/srv/web', socket: '', pid: 1, version: '1', engine: 'a' },
      ended,
      close,
    };
  };
  return {
    connect,
    events,
    vault,
    asked,
    silent,
    during,
    befores,
    break: (code: 'mover.connection-lost' | 'mover.service-ended') => breakIt(new CausewayError(code, 'site-a')),
    refuse: (error: CausewayError | undefined) => (refusal = error),
    tell: (name: string, payload: unknown) => tell(name, payload),
    /** Holds the next connections up until the function that is given back is called. */
    hold() {
      const held = Promise.withResolvers<void>();
      isConnecting = held.promise;
      return () => {
        isConnecting = undefined;
        held.resolve();
      };
    },
    get connections() {
      return connections;
    },
    /** Connections that nobody has closed. */
    get open() {
      return open;
    },
  };
}

describe('a project on a mover', () => {
  let there: ReturnType<typeof service>;
  let project: RemoteProject;
  let links: MoverLink[];
  let seen: number | undefined;
  /** The positions that were noted, and what had been told by then. */
  const written: { readonly id: number; readonly meanwhile: MoverLink['meanwhile'] }[] = [];
  const open = async (signal = never, answerMs = 60_000): Promise<void> => {
    links = [];
    project = await openRemoteProject(
      {
        mover: 'site-a',
        connect: there.connect,
        lastSeen: {
          read: () => seen,
          write: (_folder, id) =>
            void written.push({ id: (seen = id), meanwhile: (project as RemoteProject | undefined)?.link.meanwhile }),
        },
        onChange: () => void (project !== undefined && links.push(project.link)),
        onEvent: () => undefined,
        firstPauseMs: 1,
        answerMs,
      },
      signal,
    );
  };
  beforeEach(async () => {
    there = service();
    seen = undefined;
    written.length = 0;
    await open();
  });
  afterEach(() => project.engine.stop());

  it('is used through its service, by the name that it has there', async () => {
    expect(project.project).toEqual({ folder: '/srv/web', name: 'web', mover: 'site-a' });
    expect(project.link).toEqual({ name: 'site-a', step: 'connected' });
    expect(await project.engine.dispatch('endpoint.list', {}, never)).toEqual({ ok: true, value: {} });
  });

  it('comes back after a broken link, opens the vault with what was entered, and counts what ended meanwhile', async () => {
    await project.vault.unlock('secret words');
    there.events.push(
      { id: 7, type: 'execution.state', details: { state: 'completed' } },
      { id: 8, type: 'deployment.state', details: { state: 'failed' } },
      { id: 9, type: 'execution.state', details: { state: 'running' } },
    );
    there.vault.isOpen = false;
    there.refuse(new CausewayError('mover.unreachable', 'host:22'));
    there.break('mover.connection-lost');
    await vi.waitFor(() =>
      expect(project.link).toMatchObject({
        step: 'lost',
        error: { code: 'mover.unreachable' },
        retryAt: expect.any(Number) as number,
      }),
    );
    expect(await project.engine.dispatch('endpoint.list', {}, never)).toMatchObject({
      ok: false,
      error: { code: 'mover.connection-lost' },
    });
    there.refuse(undefined);
    await vi.waitFor(() => expect(project.link).toMatchObject({ step: 'connected' }));
    expect(there.vault.isOpen).toBe(true);
    expect(project.link.meanwhile).toEqual({ completed: 1, failed: 1, cancelled: 0 });
    there.events.push({ id: 10, type: 'execution.state', details: { state: 'cancelled' } });
    there.break('mover.service-ended');
    await vi.waitFor(() => expect(project.link.meanwhile).toEqual({ completed: 1, failed: 1, cancelled: 1 }));
    project.dismissMeanwhile();
    expect(project.link).toEqual({ name: 'site-a', step: 'connected' });
    await project.engine.stop();
    expect(seen).toBe(10);
  });

  it('shows at the next opening what ended since the last one', async () => {
    await project.engine.stop();
    seen = 3;
    there.events.push(
      { id: 3, type: 'execution.state', details: { state: 'failed' } },
      { id: 4, type: 'execution.state', details: { state: 'completed' } },
    );
    await open();
    expect(project.link.meanwhile).toEqual({ completed: 1, failed: 0, cancelled: 0 });
  });

  it('does not try again by itself what does not pass, but when a person asks for it', async () => {
    there.refuse(new CausewayError('transport.host-key-mismatch', 'another key'));
    there.break('mover.connection-lost');
    await vi.waitFor(() =>
      expect(project.link).toMatchObject({ step: 'lost', error: { code: 'transport.host-key-mismatch' } }),
    );
    expect(project.link.retryAt).toBeUndefined();
    expect(project.engine.state).toMatchObject({ state: 'disconnected' });
    there.refuse(undefined);
    project.reconnect();
    await vi.waitFor(() => expect(project.link.step).toBe('connected'));
    expect(there.connections).toBe(2);
  });

  it('connects again to the service that was there, and not by placing or starting another one', async () => {
    there.break('mover.service-ended');
    await vi.waitFor(() => expect(there.connections).toBe(2));
    expect(there.befores).toEqual([undefined, { project: '/srv/web', socket: '', pid: 1, version: '1', engine: 'a' }]);
  });

  it('leaves a service that was stopped alone until a person opens the project again', async () => {
    there.refuse(
      new CausewayError('mover.service-ended', 'no service runs for the project any more', { retryable: false }),
    );
    there.break('mover.service-ended');
    await vi.waitFor(() =>
      expect(project.link).toMatchObject({
        step: 'lost',
        error: { message: 'no service runs for the project any more' },
      }),
    );
    expect(project.link.retryAt).toBeUndefined();
    expect(there.befores).toHaveLength(2);
  });

  it('tells what happened before the events that arrive while it connects, and does not note the position before that', async () => {
    there.tell('execution.event', { id: 5 });
    there.events.push(
      { id: 6, type: 'execution.state', details: { state: 'failed' } },
      { id: 7, type: 'note', details: {} },
    );
    there.during.set('execution.events', (tell) => tell('execution.event', { id: 8 }));
    there.silent.add('shell.info');
    there.break('mover.connection-lost');
    await vi.waitFor(() => expect(there.asked.filter(({ name }) => name === 'shell.info')).toHaveLength(2));
    there.tell('execution.event', { id: 7 });
    there.silent.clear();
    project.reconnect();
    await vi.waitFor(() =>
      expect(project.link).toMatchObject({ step: 'connected', meanwhile: { completed: 0, failed: 1, cancelled: 0 } }),
    );
    expect(there.asked.filter(({ name }) => name === 'execution.events').map(({ after }) => after)).toEqual([
      undefined,
      5,
    ]);
    await project.engine.stop();
    expect(written.slice(1)).toEqual([{ id: 8, meanwhile: { completed: 0, failed: 1, cancelled: 0 } }]);
  });

  it('goes on where the position cannot be noted', async () => {
    await project.engine.stop();
    vi.useFakeTimers();
    try {
      project = await openRemoteProject(
        {
          mover: 'site-a',
          connect: there.connect,
          onChange: () => undefined,
          onEvent: () => undefined,
          lastSeen: {
            read: () => undefined,
            write: () => {
              throw new Error('ENOSPC');
            },
          },
        },
        never,
      );
      there.tell('execution.event', { id: 5 });
      expect(() => vi.advanceTimersByTime(60_000)).not.toThrow();
    } finally {
      vi.useRealTimers();
    }
  });

  describe('whose service hangs', () => {
    beforeEach(() => project.engine.stop());

    it.each(['shell.info', 'execution.events'])(
      'at %s: can be given up at once, and leaves no connection behind',
      async (name) => {
        there.silent.add(name);
        const stop = new AbortController();
        const opening = open(stop.signal);
        await vi.waitFor(() => expect(there.asked.at(-1)?.name).toBe(name));
        await vi.waitFor(() => expect(there.open).toBe(1));
        stop.abort();
        await expect(opening).rejects.toMatchObject({ code: 'general.cancelled' });
        expect(there.open).toBe(0);
      },
    );

    it('is given up after some time, with an error that says so', async () => {
      there.silent.add('shell.info');
      await expect(open(never, 1)).rejects.toMatchObject({ code: 'mover.no-answer' });
      expect(there.open).toBe(0);
    });

    it('is closed while it is connected to again', async () => {
      await open();
      there.silent.add('shell.info');
      there.break('mover.connection-lost');
      await vi.waitFor(() => expect(there.open).toBe(1));
      await vi.waitFor(() => expect(project.link.step).toBe('connecting'));
      await project.engine.stop();
      await vi.waitFor(() => expect(there.open).toBe(0));
    });

    it('is connected to anew when a person does not want to wait', async () => {
      await open();
      const before = there.connections;
      there.silent.add('shell.info');
      there.break('mover.connection-lost');
      await vi.waitFor(() => expect(there.connections).toBe(before + 1));
      await vi.waitFor(() => expect(there.asked.at(-1)?.name).toBe('shell.info'));
      there.silent.clear();
      project.reconnect();
      await vi.waitFor(() => expect(project.link.step).toBe('connected'));
      expect(there.open).toBe(1);
    });
  });

  it('leaves no connection behind that is made in the moment in which it is closed', async () => {
    const release = there.hold();
    there.break('mover.connection-lost');
    await vi.waitFor(() => expect(there.connections).toBe(2));
    await project.engine.stop();
    release();
    await vi.waitFor(() => expect(there.open).toBe(0));
    expect(project.engine.state).toEqual({ state: 'none', restarts: 0 });
  });
});
