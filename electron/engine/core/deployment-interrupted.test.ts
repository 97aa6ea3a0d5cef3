import { beforeEach, describe, expect, test } from 'vitest';
import { CausewayError } from '../../../shared/model/causeway-error.ts';
import type { DeploymentOptions } from '../../../shared/model/deployment.ts';
import { deploymentProject } from './testing/deployment-project.ts';

const project = deploymentProject();

describe('an engine that is killed right after a step, before it hears of it', () => {
  beforeEach(() => project.execute());

  /** @param meanwhile before another engine resumes the deployment */
  async function killedAfter(
    step: string,
    options: DeploymentOptions,
    meanwhile: () => void = () => undefined,
  ): Promise<string> {
    const reached = Promise.withResolvers<void>();
    project.lab.beforeAnswer = async (each) => {
      if (each !== step) return;
      project.lab.beforeAnswer = async () => undefined;
      reached.resolve();
      await new Promise(() => undefined);
    };
    const { id } = await project.core.call('deployment.create', { replica: 'web', options });
    await reached.promise;
    meanwhile();
    project.reopen();
    await project.core.call('deployment.resume', { deployment: id });
    return id;
  }

  test.each([
    'snapshot volumes',
    'volumes from snapshots',
    'create nics',
    'start worker',
    'stop worker',
    'create server',
    'delete snapshots',
  ])('goes on after "%s" to one virtual machine, nothing twice and nothing left', async (step) => {
    const [before, things] = [project.replicaDigests(), project.lab.things.size];
    expect(await project.settled(await killedAfter(step, {}))).toMatchObject({ state: 'completed', leftBehind: 0 });
    expect([project.replicaDigests(), project.lab.things.size, await project.orphans()]).toEqual([
      before,
      things + 4,
      [],
    ]);
  });

  test.each(['adopt volumes', 'delete snapshots'])(
    'goes on after "%s" in place, with every volume in the ledger once',
    async (step) => {
      const things = project.lab.things.size;
      const { resources, state } = await project.settled(await killedAfter(step, { inPlace: true }));
      expect([
        state,
        resources.filter((item) => item.kind === 'volume').length,
        project.lab.things.size,
        await project.orphans(),
      ]).toEqual(['completed', 2, things + 2, []]);
    },
  );

  test('goes on in place with volumes as an earlier version recorded them, and looks for none again', async () => {
    const things = project.lab.things.size;
    let lookedFor = 0;
    const id = await killedAfter('adopt volumes', { inPlace: true }, () => {
      lookedFor = project.lab.log.filter((step) => step === 'volumes').length;
      project.inDatabase((db) => {
        const rows = db
          .prepare(`SELECT id, result FROM deployment_tasks WHERE id IN ('check-replica', 'create-volumes')`)
          .all();
        expect(rows).toHaveLength(2);
        for (const row of rows) {
          const result = asFormerly(String(row['result']));
          expect(result).toContain('"isNew":false');
          db.prepare('UPDATE deployment_tasks SET result = ? WHERE id = ?').run(result, String(row['id']));
        }
      });
    });
    const { resources, state } = await project.settled(id);
    expect([
      state,
      resources.filter((item) => item.kind === 'volume').length,
      project.lab.things.size,
      await project.orphans(),
    ]).toEqual(['completed', 2, things + 2, []]);
    expect(project.lab.log.filter((step) => step === 'volumes')).toHaveLength(lookedFor);
    expect(project.lab.log).not.toContain('roll back');
  });

  test.each(['restore volumes', 'roll back'])(
    'goes on after "%s" until the replica is alone and whole',
    async (step) => {
      const [before, things] = [project.replicaDigests(), project.lab.things.size];
      project.inGuest = ({ devices }) => {
        project.lab.things.get(devices[0] ?? '')?.bytes?.fill(0xee);
        throw new CausewayError('osmorphing.initramfs', 'no room');
      };
      expect(await project.settled(await killedAfter(step, { inPlace: true }))).toMatchObject({
        state: 'failed',
        error: { code: 'osmorphing.initramfs' },
        leftBehind: 0,
      });
      expect([project.replicaDigests(), project.lab.things.size]).toEqual([before, things]);
    },
  );
});

/** Volumes in a task's result, with the names and the serial that an earlier version recorded. */
function asFormerly(result: string): string {
  return JSON.stringify(
    JSON.parse(result, (_key, value: unknown) => {
      if (typeof value !== 'object' || value === null || !('createdByThisCall' in value)) return value;
      const { createdByThisCall, ...volume } = value as { readonly id?: unknown; readonly createdByThisCall: unknown };
      return { ...volume, serial: volume.id, isNew: createdByThisCall };
    }),
  );
}

test('volumes that could not be restored are compared with the source by the next execution, which sends only what differs', async () => {
  await project.execute();
  const before = project.replicaDigests();
  project.lab.fail('restore volumes', new CausewayError('cloud.operation-failed', 'no', { retryable: false }));
  project.inGuest = ({ devices }) => {
    project.lab.things.get(devices[0] ?? '')?.bytes?.fill(0xee, 65536, 70_000);
    throw new CausewayError('osmorphing.initramfs', 'no room');
  };
  expect([(await project.deploy({ inPlace: true })).state, project.replicaDigests()]).not.toEqual(['failed', before]);
  project.lab.bytesWritten = 0;
  await project.execute();
  expect(project.replicaDigests()).toEqual(before);
  expect(project.lab.bytesWritten).toBe(65536);
});
