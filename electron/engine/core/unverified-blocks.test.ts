import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Execution } from '../../../shared/model/execution.ts';
import { deploymentProject } from './testing/deployment-project.ts';

const project = deploymentProject();

/** An execution that is cancelled as soon as its verification starts. */
async function cancelledInVerification(): Promise<Execution> {
  const stop = project.core.subscribe('execution.event', (event) => {
    if (event.taskId !== 'verify-disks' || event.details['state'] !== 'running') return;
    void project.core.call('execution.cancel', { execution: event.executionId ?? '', force: false });
  });
  try {
    return await project.execute();
  } finally {
    stop();
  }
}

const interruptions = {
  'is cancelled during its verification': { run: cancelledInVerification, state: 'cancelled' },
  'runs without verification': { run: () => project.execute({ verify: 'none' }), state: 'completed' },
};

test.each(
  Object.entries(interruptions).flatMap(([name, how]) => [
    { name, ...how, base: false },
    { name: `${name}, on a base`, ...how, base: true },
  ]),
)(
  'what an execution wrote that $name is compared by the next one before that succeeds',
  async ({ run, state, base }) => {
    if (base) await project.execute();
    project.lab.disks.get('disk-0')?.set(randomBytes(131_072), 65_536);
    expect(await run()).toMatchObject({ state });
    project.lab.volumeOf('disk-0')?.fill(0x55, 70_000, 74_096);

    const next = await project.execute();
    expect(next).toMatchObject({ state: 'failed', error: { code: 'replication.verification-failed' } });
    expect((await project.messages(next)).join('\n')).toMatch(
      /disk disk-0: verification also covers .* that earlier executions wrote without verification/,
    );

    expect(await project.execute()).toMatchObject({ state: 'completed' });
    expect(project.lab.volumeOf('disk-0')?.equals(project.lab.disks.get('disk-0') ?? Buffer.alloc(0))).toBe(true);
  },
);

test('an execution without verification says that its blocks are compared later', async () => {
  expect((await project.messages(await project.execute({ verify: 'none' }))).join('\n')).toContain(
    'the next execution with verification also covers the data of this one',
  );
});
