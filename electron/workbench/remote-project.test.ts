import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { MoverLink } from '../../shared/contract/mover-calls.ts';
import type { ShellInfo } from '../../shared/contract/shell.ts';
import { CausewayError } from '../../shared/model/causeway-error.ts';
import type { OpenedOnMover } from '../movers/open-on-mover.ts';
import { openRemoteProject, type RemoteProject } from './remote-project.ts';

const never = new AbortController().signal;

/** The service of a project on a mover, whose connections can be broken. */
function service() {
  const events: { id: number; type: string; details: object }[] = [];
  const vault = { exists: true, isOpen: false, words: '', keyStoreIsUsable: false };
  let breakIt: (reason: CausewayError) => void = () => undefined;
  let refusal: CausewayError | undefined;
  let connections = 0;
  const connect = async (): Promise<OpenedOnMover> => {
    await Promise.resolve();
    if (refusal !== undefined) throw refusal;
    connections += 1;
    const listeners = new Map<string, (payload: unknown) => void>();
    const client = {
      async call(name: string, input: Readonly<Record<string, unknown>>) {
        await Promise.resolve();
        if (name === 'shell.info') return { host: 'browser', version: '1', platform: 'linux', project: { folder: '/srv/web', name: 'web' }, engine: { state: 'running', restarts: 0 }, vault: { ...vault } } satisfies ShellInfo;
        if (name === 'execution.events') return events.filter(({ id }) => id > Number(input['after']));
        if (name === 'vault.unlock') vault.isOpen = true;
        return {};
      },
      subscribe: (name: string, listener: (payload: unknown) => void) => (listeners.set(name, listener), () => undefined),
      close: () => Promise.resolve(),
    };
    const ended = new Promise<CausewayError>((done) => (breakIt = done));
    return { client: client as never, service: { project: '/srv/web', socket: '', pid: 1, version: '1', engine: '' }, ended, close: () => Promise.resolve() };
  };
  return {
    connect, events, vault,
    break: (code: 'mover.connection-lost' | 'mover.service-ended') => breakIt(new CausewayError(code, 'site-a')),
    refuse: (error: CausewayError | undefined) => (refusal = error),
    get connections() {
      return connections;
    },
  };
}

describe('a project on a mover', () => {
  let there: ReturnType<typeof service>;
  let project: RemoteProject;
  let links: MoverLink[];
  let seen: number | undefined;
  const open = async (): Promise<void> => {
    links = [];
    project = await openRemoteProject({
      mover: 'site-a', connect: there.connect, lastSeen: { read: () => seen, write: (_folder, id) => (seen = id) },
      onChange: () => void (project !== undefined && links.push(project.link)), onEvent: () => undefined, firstPauseMs: 1,
    }, never);
  };
  beforeEach(async () => {
    there = service();
    seen = undefined;
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
    there.events.push({ id: 7, type: 'execution.state', details: { state: 'completed' } }, { id: 8, type: 'deployment.state', details: { state: 'failed' } }, { id: 9, type: 'execution.state', details: { state: 'running' } });
    there.vault.isOpen = false;
    there.refuse(new CausewayError('mover.unreachable', 'host:22'));
    there.break('mover.connection-lost');
    await vi.waitFor(() => expect(project.link).toMatchObject({ step: 'lost', error: { code: 'mover.unreachable' }, retryAt: expect.any(Number) as number }));
    expect(await project.engine.dispatch('endpoint.list', {}, never)).toMatchObject({ ok: false, error: { code: 'mover.connection-lost' } });
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
    there.events.push({ id: 3, type: 'execution.state', details: { state: 'failed' } }, { id: 4, type: 'execution.state', details: { state: 'completed' } });
    await open();
    expect(project.link.meanwhile).toEqual({ completed: 1, failed: 0, cancelled: 0 });
  });

  it('does not try again by itself what does not pass, but when a person asks for it', async () => {
    there.refuse(new CausewayError('transport.host-key-mismatch', 'another key'));
    there.break('mover.connection-lost');
    await vi.waitFor(() => expect(project.link).toMatchObject({ step: 'lost', error: { code: 'transport.host-key-mismatch' } }));
    expect(project.link.retryAt).toBeUndefined();
    expect(project.engine.state).toMatchObject({ state: 'disconnected' });
    there.refuse(undefined);
    project.reconnect();
    await vi.waitFor(() => expect(project.link.step).toBe('connected'));
    expect(there.connections).toBe(2);
  });
});
