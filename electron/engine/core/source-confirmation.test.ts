import { expect, test } from 'vitest';
import { CausewayError } from '../../../shared/model/causeway-error.ts';
import { deploymentProject } from './testing/deployment-project.ts';

const project = deploymentProject();
const refused = () =>
  new CausewayError('source.changed-while-reading', 'web.raw changed after its snapshot', { retryable: true });
const always = (): CausewayError[] =>
  Array.from({ length: 100 }, () => new CausewayError('source.unreachable', 'no answer', { retryable: false }));

test('the source is asked after the last read and the verification, before success is recorded', async () => {
  const events = await project.core.call('execution.events', { execution: (await project.execute()).id });
  const finished = events
    .filter((event) => event.type === 'task.state' && event.details['state'] === 'completed')
    .map((event) => event.taskId);
  const inOrder = ['replicate-disks', 'verify-disks', 'confirm-snapshot', 'record-success', 'release-snapshot'];
  expect(finished.filter((id) => inOrder.includes(id ?? ''))).toEqual(inOrder);
  expect(project.lab.log.indexOf('promote first')).toBeGreaterThan(project.lab.log.indexOf('assert unchanged'));
});

test('a source that changed while it was read fails the execution, asked once, and the next one is a success', async () => {
  project.lab.fail('assert unchanged', refused());
  expect(await project.execute()).toMatchObject({ state: 'failed', error: { code: 'source.changed-while-reading' } });
  expect(project.lab.log.filter((step) => step === 'assert unchanged')).toHaveLength(1);
  expect((await project.core.call('replica.show', { replica: 'web' })).lastSuccess).toBeUndefined();
  expect(project.lab.snapshots.size).toBe(0);
  expect(await project.execute()).toMatchObject({ state: 'completed' });
});

test("a base that the source can't release blocks no later execution, is reported, and is released once it can be", async () => {
  project.lab.fail('promote first', ...always());
  const first = await project.execute();
  expect(first).toMatchObject({ state: 'completed', error: { code: 'source.unreachable' } });
  project.lab.fail('promote on base', ...always());
  const second = await project.execute();
  expect(second).toMatchObject({ state: 'completed', error: { code: 'source.unreachable' } });
  expect((await project.messages(second)).join('\n')).toMatch(
    /could not release snapshot causeway-.*; retrying later: no answer/,
  );
  expect(await project.execute()).toMatchObject({ state: 'completed' });
  // The oldest base is deleted by itself, whatever becomes of the newer ones.
  expect(project.lab.snapshots.size).toBe(2);

  project.lab.faults.clear();
  const last = await project.execute();
  expect(last.state).toBe('completed');
  expect(last.error).toBeUndefined();
  expect([...project.lab.snapshots.keys()]).toEqual([`causeway-${last.id}`]);
});

test("a snapshot that can't be discarded blocks no later execution", async () => {
  project.lab.fail('flush', new CausewayError('general.bug', 'storage broke'));
  project.lab.fail('discard', ...always().slice(0, 2));
  expect(await project.execute()).toMatchObject({ state: 'failed', error: { message: 'storage broke' } });
  const next = await project.execute();
  expect(next).toMatchObject({ state: 'completed' });
  expect((await project.messages(next)).join('\n')).toContain('retrying later');
  expect([...project.lab.snapshots.keys()]).toEqual([`causeway-${next.id}`]);
});
