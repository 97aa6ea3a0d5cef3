// needs: booted volumes
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DeploymentDetail, DeploymentOptions } from '../../shared/model/deployment.ts';
import { throughFaults, unclear, type FaultOutcome } from '../conformance/every-fault.ts';
import { endHanging, faultCases, Peaks, type FaultCase } from '../rigs/european-cloud/fault-cases.ts';
import { noRoom, startDeployableLab, type DeployableLab } from '../rigs/guests/deployable-lab.ts';
import type { ProjectLab } from '../rigs/project/lab-project.ts';

/**
 * Whole deployments in which one call of the cloud's API goes wrong: each call of a good one, and of one that is undone,
 * in each way that it can. `CAUSEWAY_EVERY_FAULT=1` goes through all of them, else a sample of `CAUSEWAY_FAULT_CASES` by
 * `CAUSEWAY_FAULT_SEED`.
 */
const byConsole: DeploymentOptions = { bootCheck: { mode: 'console', deadlineSeconds: 60 } };

let deployable: DeployableLab;
let lab: ProjectLab;
const peaks = new Peaks();
let onCall = (): void => undefined;

beforeAll(async () => {
  deployable = await startDeployableLab({
    onCall: () => onCall(),
    patience: { cloud: { requestMs: 4_000, volumeMs: 8_000, attachMs: 8_000, serverMs: 20_000, removeMs: 8_000 } },
  });
  lab = deployable.lab;
  onCall = () => peaks.look(lab.cloud.world);
});
afterAll(() => lab.close());

async function deploy(options: DeploymentOptions): Promise<DeploymentDetail> {
  const { id } = await lab.use((core) => core.call('deployment.create', { replica: 'web', options }));
  return lab.use((core) => core.call('deployment.show', { deployment: id }));
}

const ways = {
  'on new volumes': { options: byConsole, fails: false, sample: 7 },
  'in place': { options: { ...byConsole, inPlace: true }, fails: false, sample: 4 },
  undone: { options: byConsole, fails: true, sample: 4 },
  'in place, undone': { options: { ...byConsole, inPlace: true }, fails: true, sample: 4 },
} as const;

/** The usual tier takes two of them; in the specs of killed engines it takes the other two. */
const chosen: readonly (keyof typeof ways)[] =
  process.env['CAUSEWAY_EVERY_STEP'] === '1' || process.env['CAUSEWAY_EVERY_FAULT'] === '1'
    ? ['on new volumes', 'in place', 'undone', 'in place, undone']
    : ['in place', 'undone'];

/** A deployment and what is wrong with what it leaves. One that succeeded is deleted. */
async function checked(
  way: (typeof ways)[keyof typeof ways],
  allowed: Readonly<Record<string, number>>,
  hanging: boolean,
): Promise<{ deployment: DeploymentDetail; wrong: string[] }> {
  const before = await deployable.content();
  const deployment = await deploy(way.options);
  const { state, error, boot, leftBehind, id } = deployment;
  // Spoilt volumes of the replica are there until those have been made that take their place.
  const restored = way.options.inPlace === true && !way.fails && state !== 'completed' ? 2 : 0;
  const wrong = peaks.beyond({ ...allowed, volumes: (allowed['volumes'] ?? 0) + restored });
  if (state === 'completed') {
    if (deployable.fails) wrong.push('completed, although the guest could not be prepared');
    if (boot?.outcome !== 'up') wrong.push(`the guest is ${boot?.outcome}`);
    if (error !== undefined) wrong.push(`completed with ${error.code}: ${error.message}`);
  } else {
    const problem = unclear(error);
    if (problem !== undefined) wrong.push(problem);
  }
  if (hanging) {
    // What hangs can't be removed before it has come to its end; the ledger knows it.
    await endHanging(lab.cloud.world);
    // Twice: a spoilt volume can't go before its snapshot.
    for (let pass = 0; pass < 2; pass += 1) await lab.use((core) => core.call('ledger.remove', { dryRun: false }));
  } else if (leftBehind > 0) {
    wrong.push(`${leftBehind} left behind`);
  }
  if (state === 'completed') await lab.use((core) => core.call('deployment.delete', { deployment: id, dryRun: false }));
  // What could not be put back, because it hangs, is put right by the next execution.
  if (hanging && state !== 'completed' && way.options.inPlace === true) await deployable.synchronise();
  const after = await deployable.content();
  if (state === 'completed' && way.options.inPlace === true) await deployable.synchronise();
  else if (after.join() !== before.join()) wrong.push("the replica's volumes have changed");
  wrong.push(...(await deployable.leftOver()));
  return { deployment, wrong };
}

describe.each(chosen)('every call of a deployment going wrong once: %s', (name) => {
  it(
    'ends well or with a clear error, makes nothing twice, is undone, and can be repeated',
    { timeout: 6 * 3_600_000 },
    async () => {
      const way = ways[name];
      deployable.fails = way.fails;
      const from = lab.cloud.calls.length;
      peaks.take();
      const before = await deployable.content();
      const good = await deploy(way.options);
      const allowed = peaks.take();
      const cases = faultCases(lab.cloud.calls.slice(from));
      expect(good).toMatchObject(
        way.fails ? { state: 'failed', error: { code: noRoom.code } } : { state: 'completed' },
      );
      if (!way.fails) await lab.use((core) => core.call('deployment.delete', { deployment: good.id, dryRun: false }));
      if (way.options.inPlace === true && !way.fails) await deployable.synchronise();
      expect(await deployable.content()).toEqual(before);
      expect(await deployable.leftOver()).toEqual([]);

      const tally = await throughFaults(name, cases, way.sample, async (fault: FaultCase): Promise<FaultOutcome> => {
        deployable.fails = way.fails;
        peaks.take();
        lab.cloud.faults.add(fault);
        const { deployment, wrong } = await checked(way, allowed, fault.effect === 'hang');
        const hit = lab.cloud.faults.pending().length === 0;
        lab.cloud.faults.clear();
        if (deployment.state !== 'completed') {
          deployable.fails = false;
          peaks.take();
          const again = await checked(way, { ...allowed, servers: 1 }, false);
          wrong.push(...again.wrong.map((text) => `the next one: ${text}`));
          if (again.deployment.state !== 'completed')
            wrong.push(`the next one is ${again.deployment.state}: ${again.deployment.error?.message}`);
        }
        return { state: deployment.state, error: deployment.error, hit, wrong };
      });
      expect(tally.wrong).toEqual([]);
      expect(lab.cloud.violations).toEqual([]);
    },
  );
});
