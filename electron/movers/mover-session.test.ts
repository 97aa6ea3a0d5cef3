import { duplexPair } from 'node:stream';
import { afterEach, expect, test, vi } from 'vitest';
import type { SshConnection } from '../engine/transport/ssh-connection.ts';
import type { MoverService } from './mover-service.ts';
import { findServiceByAnyEngine, serviceAgain, startService } from './mover-session.ts';

const [own, other] = ['a', 'b'].map((letter) => letter.repeat(64)) as [string, string];
const never = new AbortController().signal;
const service = (part: Partial<MoverService> = {}): MoverService => ({
  project: '/srv/web',
  socket: '/srv/web/mover.sock',
  pid: 7,
  version: '1.0.0',
  engine: own,
  ...part,
});

/** A mover that answers commands by their last words, and whose service never says anything. */
function mover(answers: Readonly<Record<string, unknown>>) {
  const commands: string[] = [];
  const connection = {
    async exec(command: string) {
      commands.push(command);
      const found = Object.entries(answers).find(([part]) => command.includes(part))?.[1];
      await Promise.resolve();
      return { code: 0, stdout: typeof found === 'string' ? found : JSON.stringify(found ?? {}), stderr: '' };
    },
    openSocket: () => Promise.resolve(duplexPair()[0]),
  };
  return { commands, connection: connection as unknown as SshConnection };
}

afterEach(() => vi.useRealTimers());

test('a connection that comes back finds the service that runs, whichever engine of this version it has', async () => {
  const { connection, commands } = mover({
    'test -x': 'there\n',
    'start-again': { service: service({ engine: other, pid: 8 }) },
  });
  expect(await serviceAgain(connection, service(), never)).toMatchObject({ pid: 8 });
  // Nothing was uploaded, started anew, or stopped.
  expect(commands.map((command) => command.split(' ').at(command.startsWith('test') ? 0 : 1))).toEqual([
    'test',
    'start-again',
  ]);
});

test.each([
  ['that was stopped', { 'test -x': 'there\n', 'start-again': { none: true } }, 'mover.service-ended'],
  ['whose engine was removed', { 'test -x': '' }, 'mover.service-ended'],
  [
    'that another version has replaced',
    { 'test -x': 'there\n', 'start-again': { service: service({ engine: other, version: '2.0.0' }) } },
    'mover.version-differs',
  ],
] as const)('a service %s stays so, and is not tried for again', async (_what, answers, code) => {
  await expect(serviceAgain(mover(answers).connection, service(), never)).rejects.toMatchObject({
    code,
    retryable: false,
  });
});

test('a service is found without placing or starting anything', async () => {
  const { connection, commands } = mover({ 'ls -t': `${other}.partial\n${own}\n`, status: { service: service() } });
  expect(await findServiceByAnyEngine(connection, 'web', never)).toEqual(service());
  expect(commands).toHaveLength(2);
  expect(await findServiceByAnyEngine(mover({ 'ls -t': '' }).connection, 'web', never)).toBeUndefined();
});

test('a service of another engine that does not say whether anything runs is given up, at once or after some time', async () => {
  const { connection } = mover({ 'test -x': 'there\n', 'start --project': { service: service({ engine: other }) } });
  const start = (signal: AbortSignal) =>
    startService(
      connection,
      { path: '', bytes: 1, digest: own },
      { project: 'web', mayCreate: false, version: '1.0.0' },
      signal,
    );
  const stop = new AbortController();
  const opening = start(stop.signal);
  setImmediate(() => stop.abort());
  await expect(opening).rejects.toMatchObject({ code: 'general.cancelled' });
  vi.useFakeTimers();
  const late = expect(start(never)).rejects.toMatchObject({ code: 'mover.no-answer' });
  await vi.advanceTimersByTimeAsync(60_000);
  await late;
});
