import { describe, expect, test } from 'vitest';
import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import { createHastyClock } from '../../../time/testing/hasty-clock.ts';
import type { ManagedObject } from './request.ts';
import { readInventory } from './properties.ts';
import type { VimSession } from './session.ts';
import { awaitTask } from './tasks.ts';
import { parseXml } from './xml.ts';

const task: ManagedObject = { type: 'Task', id: 'task-1' };
const gone = () =>
  new CausewayError('source.request-refused', 'ManagedObjectNotFound', { details: { fault: 'ManagedObjectNotFound' } });
const info = (state: string) =>
  parseXml(
    `<returnval><version>1</version><filterSet><objectSet><changeSet><name>info</name><val><state>${state}</state></val></changeSet></objectSet></filterSet></returnval>`,
  );

/** A server by method; `asked` has what it was asked. */
function server(answers: Record<string, () => ReturnType<typeof parseXml>[]>) {
  const asked: string[] = [];
  const clock = createHastyClock();
  const session = {
    clock,
    timeoutMs: 120_000,
    backOff: { attempts: 3, firstMs: 1000, capMs: 20_000 },
    random: () => 0,
    content: async () => ({ object: (name: string) => ({ type: name, id: name }) }),
    async call(method: string, _target: ManagedObject, _parts: readonly string[], signal: AbortSignal) {
      asked.push(method);
      signal.throwIfAborted();
      return answers[method]?.() ?? [];
    },
    async callForObject(method: string) {
      asked.push(method);
      return { type: 'PropertyCollector', id: 'made' };
    },
  } as unknown as VimSession;
  return { session, asked, clock };
}

describe('waiting for a task', () => {
  test('begins anew, with pauses, when the server has lost the collector, and ends with its deadline', async () => {
    let lost = 2;
    const good = server({
      CreateFilter: () => {
        if ((lost -= 1) >= 0) throw gone();
        return [];
      },
      WaitForUpdatesEx: () => [info('success')],
    });
    await awaitTask(good.session, task, 'test', new AbortController().signal);
    expect(good.clock.sleeps).toHaveLength(2);
    const never = server({
      CreateFilter: () => {
        throw gone();
      },
    });
    await expect(
      awaitTask(never.session, task, 'test', new AbortController().signal, { deadlineMs: 60_000 }),
    ).rejects.toMatchObject({ code: 'general.deadline' });
    expect(never.clock.sleeps.length).toBeLessThan(100);
    expect(Math.min(...never.clock.sleeps)).toBeGreaterThan(0);
  });

  test('begins anew when an answer with the news was lost', async () => {
    let lost = 1;
    const { session, asked } = server({
      WaitForUpdatesEx: () => {
        if ((lost -= 1) >= 0)
          throw new CausewayError('source.connection-lost', 'HTTP 502', { details: { ambiguous: true } });
        return [info('success')];
      },
    });
    await awaitTask(session, task, 'test', new AbortController().signal);
    expect(asked.filter((method) => method === 'CreatePropertyCollector')).toHaveLength(2);
  });

  test('asks for the task itself when there was no news of it for a while', async () => {
    const now =
      '<returnval><objects><obj type="Task">task-1</obj><propSet><name>info</name><val><state>success</state><result type="VirtualMachineSnapshot">snapshot-1</result></val></propSet></objects></returnval>';
    const { session } = server({ WaitForUpdatesEx: () => [], RetrievePropertiesEx: () => [parseXml(now)] });
    expect(await awaitTask(session, task, 'test', new AbortController().signal)).toEqual({
      result: { type: 'VirtualMachineSnapshot', id: 'snapshot-1' },
    });
  });

  test('ends its collector after a cancellation as well', async () => {
    const stop = new AbortController();
    const { session, asked } = server({
      WaitForUpdatesEx: () => {
        stop.abort(new CausewayError('general.cancelled', 'stopped'));
        throw new CausewayError('general.cancelled', 'stopped');
      },
    });
    await expect(awaitTask(session, task, 'test', stop.signal)).rejects.toMatchObject({ code: 'general.cancelled' });
    expect(asked.at(-1)).toBe('DestroyPropertyCollector');
  });
});

test('a list that is cancelled ends its view', async () => {
  const stop = new AbortController();
  const { session, asked } = server({
    RetrievePropertiesEx: () => {
      stop.abort(new CausewayError('general.cancelled', 'stopped'));
      throw new CausewayError('general.cancelled', 'stopped');
    },
  });
  await expect(readInventory(session, { VirtualMachine: ['name'] }, stop.signal)).rejects.toMatchObject({
    code: 'general.cancelled',
  });
  expect(asked.at(-1)).toBe('DestroyView');
});
