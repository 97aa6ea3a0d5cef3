// needs: booted volumes
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DeploymentDetail, DeploymentOptions } from '../../shared/model/deployment.ts';
import { noRoom, startDeployableLab, type DeployableLab } from '../rigs/guests/deployable-lab.ts';
import type { ProjectLab } from '../rigs/project/lab-project.ts';
import { shuffled } from '../rigs/seeded.ts';

/**
 * Deployments whose engine is killed at a call of the cloud's API, which is carried out and whose answer nobody hears:
 * at every call with `CAUSEWAY_EVERY_CALL=1`, else at `CAUSEWAY_CRASH_POINTS` of them by `CAUSEWAY_CRASH_SEED`.
 */
const everyCall = process.env['CAUSEWAY_EVERY_CALL'] === '1';
const points = Number(process.env['CAUSEWAY_CRASH_POINTS'] ?? 2);
const seed = Number(process.env['CAUSEWAY_CRASH_SEED'] ?? 1);
const byConsole: DeploymentOptions = { bootCheck: { mode: 'console', deadlineSeconds: 60 } };
const script = fileURLToPath(new URL('../rigs/project/deploying-process.ts', import.meta.url));

let deployable: DeployableLab;
let lab: ProjectLab;
let onCall = (): void => undefined;

beforeAll(async () => {
  deployable = await startDeployableLab({ onCall: () => onCall() });
  lab = deployable.lab;
});
afterAll(() => lab.close());

const ways = {
  'on new volumes': { options: byConsole, fails: false },
  'in place': { options: { ...byConsole, inPlace: true }, fails: false },
  undone: { options: byConsole, fails: true },
  'in place, undone': { options: { ...byConsole, inPlace: true }, fails: true },
} as const;
type Way = (typeof ways)[keyof typeof ways];
/** The usual tier takes two of them; in the specs of faults it takes the other two. */
const chosen: readonly (keyof typeof ways)[] =
  process.env['CAUSEWAY_EVERY_STEP'] === '1' || everyCall
    ? ['on new volumes', 'in place', 'undone', 'in place, undone']
    : ['on new volumes', 'in place, undone'];

/** Deploys in a process that is killed when it makes its n-th call; answers with whether it came to that. */
async function deployUntil(call: number, { options, fails }: Way): Promise<boolean> {
  const child = spawn(
    process.execPath,
    [script, JSON.stringify({ project: lab.project, replica: 'web', options, fails })],
    { stdio: ['pipe', 'ignore', 'inherit'] },
  );
  let left = call;
  let isKilled = false;
  onCall = () => {
    if (left-- !== 1) return;
    isKilled = child.kill('SIGKILL');
  };
  await once(child, 'exit');
  onCall = () => undefined;
  return isKilled;
}

async function newest(): Promise<DeploymentDetail | undefined> {
  const deployments = await lab.use((core) => core.call('deployment.list', { replica: 'web' }));
  const last = deployments.toSorted((a, b) => a.createdAt.localeCompare(b.createdAt)).at(-1);
  return last && (await lab.use((core) => core.call('deployment.show', { deployment: last.id })));
}

describe.each(chosen)('an engine killed in the middle of a deployment: %s', (name) => {
  const way: Way = ways[name];
  const inPlace = way.options.inPlace === true;

  /** Takes away what a deployment made, and says what is there that should not be. */
  async function leftAfter(deployment: DeploymentDetail | undefined, before: readonly string[]): Promise<string[]> {
    if (deployment?.state === 'completed')
      await lab.use((core) => core.call('deployment.delete', { deployment: deployment.id, dryRun: false }));
    if (deployment?.state === 'completed' && inPlace) await deployable.synchronise();
    const changed = (await deployable.content()).join() === before.join() ? [] : ["the replica's volumes have changed"];
    return [...changed, ...(await deployable.leftOver())];
  }

  it('goes on to its end, makes nothing twice, and leaves nothing', { timeout: 2 * 3_600_000 }, async () => {
    const before = await deployable.content();
    deployable.fails = way.fails;
    const from = lab.cloud.calls.length;
    await lab.use((core) => core.call('deployment.create', { replica: 'web', options: way.options }));
    const calls = lab.cloud.calls.length - from;
    const good = await newest();
    expect(good).toMatchObject(
      way.fails ? { state: 'failed', error: { code: noRoom.code } } : { state: 'completed', boot: { outcome: 'up' } },
    );
    expect(await leftAfter(good, before)).toEqual([]);

    const all = Array.from({ length: calls }, (_, index) => index + 1);
    const wrong: string[] = [];
    let known = good?.id;
    // The creation of the migrated server is the one that takes most with it.
    const creation = way.fails
      ? []
      : [lab.cloud.calls.slice(from, from + calls).findLastIndex(({ operation }) => operation === 'CreateServer') + 1];
    const sample = [...creation, ...shuffled(all, seed * 10 + Object.keys(ways).indexOf(name)).slice(0, points)];
    for (const call of everyCall ? all : sample) {
      const isKilled = await deployUntil(call, way);
      await lab.use((core) => core.call('deployment.resume', {}));
      const deployment = await newest();
      const isNew = deployment !== undefined && deployment.id !== known;
      known = deployment?.id;
      const at = `call ${call} of ${calls}, ${isKilled ? 'killed' : 'not reached'}`;
      // A kill before the deployment was written down leaves none, and nothing in the cloud.
      if (isNew) {
        const { state, error, leftBehind } = deployment;
        console.log(`${name}: ${at}: ${state} ${error?.code ?? ''}`);
        if (state !== (way.fails ? 'failed' : 'completed'))
          wrong.push(`${at}: ${state}: ${error?.code}: ${error?.message}`);
        if (way.fails && error?.code !== noRoom.code) wrong.push(`${at}: ${error?.code}: ${error?.message}`);
        if (leftBehind > 0) wrong.push(`${at}: ${leftBehind} left behind`);
      }
      wrong.push(...(await leftAfter(isNew ? deployment : undefined, before)).map((text) => `${at}: ${text}`));
    }
    expect(wrong).toEqual([]);
    expect(lab.cloud.violations).toEqual([]);
  });
});
