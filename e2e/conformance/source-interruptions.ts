import { expect, it } from 'vitest';
import type { Snapshot, SourcePlatform } from '../../electron/engine/ports/source-platform.ts';
import {
  clearErrorOf,
  crashPoints,
  faultPatienceMs,
  faultsAt,
  faultSorts,
  killedAt,
  ofSort,
  type PlatformCalls,
} from './platform-calls.ts';
import { firstDifference, readOnto } from './read-snapshot.ts';
import type { SourceHarness } from './source-harness.ts';

const KIB = 1024;
const BLOCK = 64 * KIB;
const signal = new AbortController().signal;

/** What the suite of sources has at hand in a test. */
export interface SourceLab {
  readonly harness: SourceHarness;
  /** A promoted full snapshot with the replicas of both disks. */
  full(): Promise<{ readonly base: Snapshot; readonly replicas: readonly [Buffer, Buffer] }>;
  contents(): Promise<readonly [Buffer, Buffer]>;
  newTag(): string;
}

/** The part of the suite in which calls go wrong and processes are killed: for sources with an API. */
export function sourceInterruptions(
  lab: () => SourceLab,
  samples: { readonly faults: number; readonly crashes: number },
): void {
  /** An incremental execution as one process carries it out, and how far it came. */
  interface Pass {
    readonly tag: string;
    readonly base: Snapshot;
    readonly replicas: readonly [Buffer, Buffer];
    taken?: Snapshot;
    read?: readonly [Buffer, Buffer];
    isOver?: boolean;
  }
  const changedReads = async (
    platform: SourcePlatform,
    pass: Pass,
    taken: Snapshot,
    until: AbortSignal,
  ): Promise<readonly [Buffer, Buffer]> => {
    const replicas: Buffer[] = pass.replicas.map((bytes) => Buffer.from(bytes));
    for (const [index, replica] of replicas.entries()) {
      const reader = await platform.openDisk(taken, lab().harness.diskIds[index] ?? '', pass.base, until);
      try {
        // A base stays one, whatever became of a snapshot on it.
        expect(reader.coverage).toBe(lab().harness.tracksChanges ? 'changed' : 'allocated');
        const result = await readOnto(reader, replica, until);
        replicas[index] = result.replica;
      } finally {
        await reader.close();
      }
    }
    return [replicas[0] ?? Buffer.alloc(0), replicas[1] ?? Buffer.alloc(0)];
  };
  /** Goes on with what another process began: what that has recorded is not asked for again. */
  const goOn = async (platform: SourcePlatform, pass: Pass, until: AbortSignal = signal): Promise<void> => {
    pass.taken ??= await platform.createSnapshot(
      { vmId: lab().harness.vmId, tag: pass.tag, environment: lab().harness.environment, base: pass.base },
      until,
    );
    if (pass.read === undefined) {
      const replicas = await changedReads(platform, pass, pass.taken, until);
      await platform.assertUnchanged(pass.taken, until);
      pass.read = replicas;
    }
    await platform.promoteToBase(pass.taken, pass.base, until);
    pass.isOver = true;
  };
  /** Gives up what another process began, whether or not it heard of it. */
  const giveUp = async (platform: SourcePlatform, pass: Pass, until: AbortSignal = signal): Promise<void> => {
    const request = {
      vmId: lab().harness.vmId,
      tag: pass.tag,
      environment: lab().harness.environment,
      base: pass.base,
    };
    if (pass.taken === undefined && platform.discardPending !== undefined)
      return platform.discardPending(request, until);
    return platform.discardSnapshot(pass.taken ?? (await platform.createSnapshot(request, until)), pass.base, until);
  };
  const inProcess = async (work: (platform: SourcePlatform) => Promise<void>): Promise<void> => {
    const platform = lab().harness.reopen();
    try {
      await work(platform);
    } finally {
      await platform.close();
    }
  };
  /** As many resources as a base leaves; a failure names all that there are, whose ids say what they are. */
  const expectKept = async (base: Snapshot, kept: number, at: string): Promise<void> => {
    const left = await lab().harness.leftovers(base);
    expect(left.length, `${at}; there are ${left.join(', ')}`).toBe(kept);
  };
  /** One pass after another through `failing`, each of which ends with the content of the disks and what a base leaves. What a harness leaves out as the base's goes with it. */
  const throughPasses = async (
    cases: number,
    failing: (pass: Pass, index: number) => Promise<string>,
  ): Promise<void> => {
    const atFirst = await lab().harness.leftovers();
    let { base, replicas } = await lab().full();
    const kept = (await lab().harness.leftovers(base)).length;
    for (let index = 0; index < cases; index += 1) {
      await lab().harness.write(0, ((index * 2) % 64) * BLOCK, BLOCK, 1 + (index % 250));
      const before = await lab().contents();
      const pass: Pass = { tag: lab().newTag(), base, replicas };
      const at = await failing(pass, index);
      if (pass.isOver !== true) {
        // What promotes has succeeded, so that nobody gives it up.
        if (pass.read === undefined && index % 2 === 0) {
          await inProcess((platform) => giveUp(platform, pass));
          await expectKept(base, kept, at);
          Object.assign(pass, { tag: lab().newTag(), taken: undefined });
        }
        await inProcess((platform) => goOn(platform, pass));
      }
      expect(
        (pass.read ?? []).map((bytes, disk) => firstDifference(bytes, before[disk] ?? Buffer.alloc(0))),
        at,
      ).toEqual([undefined, undefined]);
      [base, replicas] = [pass.taken ?? base, pass.read ?? replicas];
      await expectKept(base, kept, at);
    }
    const isLeftOut = (await lab().harness.leftovers()).length > kept;
    await lab().harness.platform.deleteBase(base, signal);
    if (isLeftOut) expect(await lab().harness.leftovers()).toEqual(atFirst);
  };
  const callsOfAPass = async (calls: PlatformCalls): Promise<{ readonly start: number; readonly count: number }> => {
    let [start, count] = [0, 0];
    await throughPasses(1, async (pass) => {
      start = calls.callCount();
      await inProcess((platform) => goOn(platform, pass));
      count = calls.callCount() - start;
      return 'plain';
    });
    return { start, count };
  };

  for (const { sort, label } of faultSorts) {
    it(
      `ends well or with a clear error when any of its calls goes wrong${label}, and the next process goes on or gives up`,
      { timeout: faultPatienceMs },
      async ({ skip }) => {
        const { calls } = lab().harness;
        if (calls === undefined) return skip('this source makes no calls');
        const { start, count } = await callsOfAPass(calls);
        const cases = faultsAt(calls, start, count, samples.faults).filter(ofSort(sort));
        await throughPasses(cases.length, async (pass, index) => {
          const { n, fault } = cases[index] ?? { n: 1, fault: 'cut-before' };
          const first = calls.callCount();
          calls.failCall(n, fault);
          const error = await clearErrorOf(
            inProcess((platform) => goOn(platform, pass)),
            /^(source|cloud)\./,
            `${fault} at call ${n}`,
          );
          calls.clearFaults();
          return `${fault} at call ${n}, ${calls.callName(first + n)}: ${error?.message ?? 'went well'}`;
        });
      },
    );
  }

  it(
    'is taken up, or given up, by another process when one is killed at any of its calls',
    { timeout: faultPatienceMs },
    async ({ skip }) => {
      const { calls } = lab().harness;
      if (calls === undefined) return skip('this source makes no calls');
      const { start, count } = await callsOfAPass(calls);
      const points = crashPoints(calls, start, count, samples.crashes);
      let kills = 0;
      await throughPasses(points.length, async (pass, index) => {
        const point = points[index] ?? { n: 1, when: 'before' };
        const first = calls.callCount();
        const isKilled = await killedAt(calls, point, async (process) => {
          const platform = lab().harness.reopen(process);
          try {
            await goOn(platform, pass, process.signal);
          } finally {
            await platform.close();
          }
        });
        kills += Number(isKilled);
        return `killed ${point.when} call ${point.n}, ${calls.callName(first + point.n)}`;
      });
      expect(kills).toBeGreaterThan(0);
    },
  );

  it(
    'is given up by another process when one is killed while it gives a snapshot up',
    { timeout: faultPatienceMs },
    async ({ skip }) => {
      const { calls } = lab().harness;
      if (calls === undefined) return skip('this source makes no calls');
      const begin = (pass: Pass) =>
        inProcess(async (platform) => {
          pass.taken = await platform.createSnapshot(
            { vmId: lab().harness.vmId, tag: pass.tag, environment: lab().harness.environment, base: pass.base },
            signal,
          );
        });
      const forget = (pass: Pass): void => void Object.assign(pass, { tag: lab().newTag(), taken: undefined });
      let [start, count] = [0, 0];
      await throughPasses(1, async (pass) => {
        await begin(pass);
        start = calls.callCount();
        await inProcess((platform) => giveUp(platform, pass));
        count = calls.callCount() - start;
        forget(pass);
        return 'plain';
      });
      const points = crashPoints(calls, start, count, samples.crashes);
      await throughPasses(points.length, async (pass, index) => {
        const point = points[index] ?? { n: 1, when: 'before' };
        await begin(pass);
        await killedAt(calls, point, async (process) => {
          const platform = lab().harness.reopen(process);
          try {
            await giveUp(platform, pass, process.signal);
          } finally {
            await platform.close();
          }
        });
        await inProcess((platform) => giveUp(platform, pass));
        forget(pass);
        return `killed ${point.when} call ${point.n} of giving up`;
      });
    },
  );
}
