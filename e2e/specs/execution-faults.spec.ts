import { randomBytes } from 'node:crypto';
import { open, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ExecutionDetail } from '../../shared/model/execution.ts';
import { throughFaults, unclear, type FaultOutcome } from '../conformance/every-fault.ts';
import { endHanging, faultCases, Peaks, type FaultCase } from '../rigs/european-cloud/fault-cases.ts';
import { startProjectLab, type ProjectLab } from '../rigs/project/lab-project.ts';

/**
 * Whole executions in which one call of the cloud's API goes wrong: each call of a good one, in each way that it can.
 * `CAUSEWAY_EVERY_FAULT=1` goes through all of them, else a sample of `CAUSEWAY_FAULT_CASES` by
 * `CAUSEWAY_FAULT_SEED`.
 */
const MiB = 1024 * 1024;
const sample = { first: 24, grown: 3, lasting: 2 };

let lab: ProjectLab;
const peaks = new Peaks();
let image: string;
let diskId: string;
let count = 0;

beforeAll(async () => {
  lab = await startProjectLab({
    onCall: () => peaks.look(lab.cloud.world),
    patience: { cloud: { requestMs: 4_000, volumeMs: 8_000, attachMs: 8_000, serverMs: 20_000, removeMs: 8_000 } },
  });
  image = join(lab.images, 'web.raw');
  const file = await open(image, 'w');
  await file.truncate(8 * MiB);
  await file.write(randomBytes(MiB), 0, MiB, 2 * MiB);
  await file.close();
  diskId = (await lab.use((core) => core.call('vm.show', { endpoint: 'images', vm: 'web' }))).disks[0]?.id ?? '';
});
afterAll(() => lab.close());

/** An execution by an engine in this process, to its end. */
async function execute(replica: string): Promise<ExecutionDetail> {
  const { id } = await lab.use((core) => core.call('replica.execute', { replica }));
  return lab.use((core) => core.call('execution.show', { execution: id }));
}

async function newReplica(): Promise<string> {
  count += 1;
  const name = `web-${count}`;
  await lab.createReplica(name, 'web', 'HTTPS');
  return name;
}

async function write(offset: number): Promise<void> {
  const file = await open(image, 'r+');
  await file.write(randomBytes(65536), 0, 65536, offset);
  await file.close();
}

/** How a case begins: with nothing, or with a volume that has to grow. */
const beginnings = {
  first: async () => {
    await truncate(image, 8 * MiB);
    return newReplica();
  },
  grown: async () => {
    await truncate(image, 8 * MiB);
    const name = await newReplica();
    expect(await execute(name)).toMatchObject({ state: 'completed' });
    await truncate(image, 1025 * MiB);
    await write(1024 * MiB);
    return name;
  },
} as const;

/** What is there beside the one volume of the replica, in the cloud or in the ledger. */
async function leftOver(): Promise<string[]> {
  const { volumes } = lab.cloud.world;
  const entries = await lab.use((core) => core.call('ledger.list', {}));
  return [
    ...(volumes.size > 1 ? [`${volumes.size} volumes`] : []),
    ...lab.cloud.world.leftovers().filter((line) => !line.startsWith('volume ')),
    ...entries
      .filter((entry) => entry.lifetime === 'temporary')
      .map((entry) => `in the ledger: ${entry.kind} ${entry.state}`),
  ];
}

/** An execution and what is wrong with what it leaves. */
async function checked(
  replica: string,
  allowed: Readonly<Record<string, number>>,
): Promise<{ execution: ExecutionDetail; wrong: string[] }> {
  const execution = await execute(replica);
  const { state, error, leftBehind } = execution;
  const wrong = peaks.beyond(allowed);
  if (state === 'completed') {
    const difference = await lab.difference(replica, { [diskId]: image });
    if (difference !== undefined) wrong.push(difference);
    if (error !== undefined) wrong.push(`completed with ${error.code}: ${error.message}`);
  } else {
    const problem = state === 'failed' ? unclear(error) : `it is ${state}`;
    if (problem !== undefined) wrong.push(problem);
  }
  if (leftBehind > 0) wrong.push(`${leftBehind} left behind`);
  wrong.push(...(await leftOver()));
  return { execution, wrong };
}

/** One case is a sample: of a first execution. */
const chosen = process.env['CAUSEWAY_FAULT_CASES'] === '1' ? (['first'] as const) : (['first', 'grown'] as const);

describe.each(chosen)('every call of an execution going wrong once: %s', (beginning) => {
  it(
    'ends well or with a clear error, makes nothing twice, cleans up, and the next one ends well',
    { timeout: 6 * 3_600_000 },
    async () => {
      const plain = await beginnings[beginning]();
      const from = lab.cloud.calls.length;
      peaks.take();
      expect(await execute(plain)).toMatchObject({ state: 'completed' });
      const allowed = peaks.take();
      const cases = faultCases(lab.cloud.calls.slice(from));
      await lab.use((core) => core.call('replica.delete', { replica: plain }));
      expect(lab.cloud.world.leftovers()).toEqual([]);

      const tally = await throughFaults(
        beginning,
        cases,
        sample[beginning],
        async (fault: FaultCase): Promise<FaultOutcome> => {
          const replica = await beginnings[beginning]();
          peaks.take();
          lab.cloud.faults.add(fault);
          const { execution, wrong } = await checked(replica, allowed);
          const hit = lab.cloud.faults.pending().length === 0;
          lab.cloud.faults.clear();
          if (execution.state !== 'completed') {
            await endHanging(lab.cloud.world);
            const again = await checked(replica, allowed);
            wrong.push(...again.wrong.map((text) => `the next one: ${text}`));
            if (again.execution.state !== 'completed')
              wrong.push(`the next one is ${again.execution.state}: ${again.execution.error?.message}`);
          }
          await lab.use((core) => core.call('replica.delete', { replica }));
          wrong.push(...lab.cloud.world.leftovers().map((line) => `after the replica was deleted: ${line}`));
          return { state: execution.state, error: execution.error, hit, wrong };
        },
      );
      expect(tally.wrong).toEqual([]);
      expect(tally.well).toBeGreaterThan(tally.cases / 2);
      expect(lab.cloud.violations).toEqual([]);
    },
  );
});

describe('a kind of call that the cloud refuses until somebody mends it', () => {
  it(
    'ends with a clear error, names all that is left, which can be removed, and the next one ends well',
    { timeout: 6 * 3_600_000 },
    async () => {
      const plain = await beginnings.first();
      const from = lab.cloud.calls.length;
      peaks.take();
      expect(await execute(plain)).toMatchObject({ state: 'completed' });
      const allowed = peaks.take();
      const operations = new Set(lab.cloud.calls.slice(from).map((call) => call.operation));
      await lab.use((core) => core.call('replica.delete', { replica: plain }));

      const cases = [...operations].map((operation): FaultCase => ({ operation, nth: 1, effect: '500' }));
      const tally = await throughFaults(
        'lasting',
        cases,
        sample.lasting,
        async ({ operation, effect }): Promise<FaultOutcome> => {
          const replica = await beginnings.first();
          lab.cloud.faults.add({ operation, effect, times: 1_000_000 });
          const { state, error, leftBehind } = await execute(replica);
          lab.cloud.faults.clear();
          const wrong = [
            state === 'completed' && leftBehind === 0 && error === undefined ? undefined : unclear(error),
          ].filter((text) => text !== undefined);
          const temporary = (await lab.use((core) => core.call('ledger.list', {}))).filter(
            (entry) => entry.lifetime === 'temporary',
          );
          if (temporary.length !== leftBehind)
            wrong.push(`${leftBehind} left behind, ${temporary.length} in the ledger`);
          const removed = await lab.use((core) => core.call('ledger.remove', { dryRun: false }));
          wrong.push(
            ...removed
              .filter((one) => one.outcome !== 'removed')
              .map((one) => `${one.item.kind} can't be removed: ${one.error}`),
            ...(await leftOver()),
          );
          peaks.take();
          const again = await checked(replica, allowed);
          wrong.push(...again.wrong.map((text) => `the next one: ${text}`));
          if (again.execution.state !== 'completed')
            wrong.push(`the next one is ${again.execution.state}: ${again.execution.error?.message}`);
          await lab.use((core) => core.call('replica.delete', { replica }));
          wrong.push(...lab.cloud.world.leftovers().map((line) => `after the replica was deleted: ${line}`));
          return { state, error, hit: true, wrong };
        },
      );
      expect(tally.wrong).toEqual([]);
    },
  );
});
