import { writeFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { seeded } from '../rigs/seeded.ts';
import { crashDiskMiB, crashPoint } from './crash-point.ts';
import { faultCase, faultDiskMiB, planFaults, type FaultPlan } from './fault-case.ts';
import { startLane, type Lane, type Transport } from './lane.ts';

/**
 * Executions that are hurt at points that a seed chooses: engines and workers killed, calls of the cloud and links to
 * workers going wrong. `npm run test:endurance` sets the environment (scripts/endurance.ts).
 */
const points = Number(process.env['CAUSEWAY_ENDURANCE_POINTS'] ?? 1_000);
const faults = Number(process.env['CAUSEWAY_ENDURANCE_FAULTS'] ?? 1_000);
const seed = Number(process.env['CAUSEWAY_ENDURANCE_SEED'] ?? 1);
const resultFile = process.env['CAUSEWAY_ENDURANCE_RESULT'];

interface Failure {
  readonly kind: 'crash' | 'fault';
  readonly transport: Transport;
  readonly index: number;
  readonly what: string;
  readonly wrong: readonly string[];
}

const failures: Failure[] = [];
const done: Record<string, number> = {};

/** Labs of one transport beside each other: a point waits most of its time. */
const lanesEach = 2;

/** Goes through one kind of points on one transport, shared out to its lanes. */
async function through(
  kind: 'crash' | 'fault',
  transport: Transport,
  count: number,
  diskMiB: number,
  prepare: Prepare,
): Promise<void> {
  await Promise.all(
    Array.from({ length: lanesEach }, (_, first) => throughLane(kind, transport, { first, count }, diskMiB, prepare)),
  );
}

type Prepare = (
  lane: Lane,
) => Promise<(random: () => number) => Promise<{ readonly what: string; readonly wrong: readonly string[] }>>;

/** A lab in which something went wrong is replaced. */
async function throughLane(
  kind: 'crash' | 'fault',
  transport: Transport,
  { first, count }: { readonly first: number; readonly count: number },
  diskMiB: number,
  prepare: Prepare,
): Promise<void> {
  let lane: Lane | undefined;
  let run: Awaited<ReturnType<typeof prepare>> | undefined;
  for (let index = first; index < count; index += lanesEach) {
    const startedAt = performance.now();
    const outcome = await (async () => {
      lane ??= await startLane(transport, diskMiB);
      run ??= await prepare(lane);
      return run(
        seeded(seed + index * 7919 + (kind === 'crash' ? 0 : 104_729) + (transport === 'SSH' ? 1_299_709 : 0)),
      );
    })().catch((error: unknown) => ({
      what: 'the point itself',
      wrong: [error instanceof Error ? (error.stack ?? error.message) : String(error)],
    }));
    done[`${kind} ${transport}`] = (done[`${kind} ${transport}`] ?? 0) + 1;
    console.log(
      `${kind} ${transport} ${index}: ${((performance.now() - startedAt) / 1000).toFixed(1)} s ${outcome.what} ${outcome.wrong.join('; ')}`,
    );
    if (outcome.wrong.length === 0) continue;
    failures.push({ kind, transport, index, ...outcome });
    await lane?.close().catch(() => undefined);
    lane = undefined;
    run = undefined;
  }
  await lane?.close();
}

async function keep(): Promise<void> {
  if (resultFile !== undefined) await writeFile(resultFile, JSON.stringify({ done, failures }));
}

it('every point ends byte-identical, with a clean ledger and nothing left', { timeout: 24 * 3_600_000 }, async () => {
  const half = (count: number, transport: Transport): number =>
    transport === 'HTTPS' ? Math.ceil(count / 2) : Math.floor(count / 2);
  await Promise.all(
    (['HTTPS', 'SSH'] as const).map(async (transport) => {
      await through('crash', transport, half(points, transport), crashDiskMiB, async (lane) => {
        const state = { replica: undefined };
        return (random) => crashPoint(lane, state, random);
      });
      await keep();
      await through('fault', transport, half(faults, transport), faultDiskMiB, async (lane) => {
        const plan: FaultPlan = await planFaults(lane);
        return (random) => faultCase(lane, plan, random);
      });
      await keep();
    }),
  );
  expect(failures).toEqual([]);
});
