import { describe, expect, test } from 'vitest';
import { CausewayError } from '../../../shared/model/causeway-error.ts';
import { deploymentProject } from './testing/deployment-project.ts';

const project = deploymentProject();

describe('what may not run together', () => {
  test('a replica that was never executed is not deployed', async () => {
    await expect(project.core.call('deployment.create', { replica: 'web' })).rejects.toMatchObject({
      code: 'deployment.never-executed',
    });
  });

  test('a replica is not deployed while it is executed', async () => {
    await project.execute();
    project.lab.disks.get('disk-1')?.fill(1);
    const writing = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    project.lab.beforeWrite = async () => {
      writing.resolve();
      await goOn.promise;
    };
    await project.core.call('replica.execute', { replica: 'web' });
    await writing.promise;
    await expect(project.core.call('deployment.create', { replica: 'web' })).rejects.toMatchObject({
      code: 'engine.execution-active',
    });
    goOn.resolve();
    await project.core.drain();
    expect(await project.deploy()).toMatchObject({ state: 'completed' });
  });

  test('an execution may run beside a deployment that has its own volumes, not beside one in place', async () => {
    await project.execute();
    const stopped = project.stopInGuest();
    await project.core.call('deployment.create', { replica: 'web' });
    await stopped;
    await expect(project.core.call('deployment.create', { replica: 'web' })).rejects.toMatchObject({
      code: 'deployment.active',
    });
    const { id } = await project.core.call('replica.execute', { replica: 'web' });
    await project.core.call('deployment.cancel', { deployment: 'web' });
    await project.core.drain();
    expect(await project.core.call('execution.show', { execution: id })).toMatchObject({ state: 'completed' });

    const again = project.stopInGuest();
    await project.core.call('deployment.create', { replica: 'web', options: { inPlace: true } });
    await again;
    await expect(project.core.call('replica.execute', { replica: 'web' })).rejects.toMatchObject({
      code: 'deployment.active',
    });
    await project.core.call('deployment.cancel', { deployment: 'web' });
    await project.core.drain();
  });

  test('half-written volumes are not deployed, unless that is asked for', async () => {
    await project.execute();
    project.lab.disks.get('disk-1')?.fill(1);
    project.lab.fail('flush', new CausewayError('general.bug', 'storage broke'));
    await project.execute();
    expect(await project.deploy()).toMatchObject({ state: 'failed', error: { code: 'deployment.inconsistent' } });
    expect(await project.deploy({ acceptInconsistent: true })).toMatchObject({ state: 'completed' });
    await project.execute();
    expect(await project.deploy()).toMatchObject({ state: 'completed' });
  });
});

describe('a migration', () => {
  test('executes, shuts the source down, brings what changed, and deploys', async () => {
    const { id } = await project.core.call('deployment.create', {
      replica: 'web',
      options: { execute: { lastPass: true } },
    });
    const deployment = await project.settled(id);
    expect(deployment).toMatchObject({ state: 'completed', executionIds: [expect.any(String), expect.any(String)] });
    expect(project.lab.log.filter((step) => ['snapshot', 'shut down', 'create server'].includes(step))).toEqual([
      'snapshot',
      'shut down',
      'snapshot',
      'create server',
    ]);
  });

  test('ends with its execution, whose error it tells', async () => {
    project.lab.fail('flush', new CausewayError('general.bug', 'storage broke'));
    const { id } = await project.core.call('deployment.create', { replica: 'web', options: { execute: {} } });
    expect(await project.settled(id)).toMatchObject({
      state: 'failed',
      error: { code: 'deployment.execution-failed', cause: { message: 'storage broke' } },
      resources: [],
    });
  });

  test('goes on after the engine was killed in its copy, with the same execution', async () => {
    const reached = Promise.withResolvers<void>();
    project.lab.beforeWrite = async () => {
      project.lab.generation += 1;
      project.lab.beforeWrite = async () => undefined;
      reached.resolve();
    };
    const { id } = await project.core.call('deployment.create', { replica: 'web', options: { execute: {} } });
    await reached.promise;
    project.reopen();
    await project.core.call('deployment.resume', { deployment: id });
    const deployment = await project.settled(id);
    expect([deployment.state, deployment.executionIds.length]).toEqual(['completed', 1]);
    expect(await project.core.call('execution.list', {})).toHaveLength(1);
  });

  test('that is cancelled in its copy cancels that', async () => {
    const writing = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    project.lab.beforeWrite = async () => {
      writing.resolve();
      await goOn.promise;
    };
    const { id } = await project.core.call('deployment.create', { replica: 'web', options: { execute: {} } });
    await writing.promise;
    await project.core.call('deployment.cancel', { deployment: id });
    goOn.resolve();
    const deployment = await project.settled(id);
    expect(deployment).toMatchObject({ state: 'cancelled' });
    expect(await project.core.call('execution.show', { execution: deployment.executionIds[0] ?? '' })).toMatchObject({
      state: 'cancelled',
    });
  });
});
