// Real NATS servers: what the journal and the claims of a fleet rely on.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fleetConfigSchema } from '../../electron/fleet/fleet-config.ts';
import { joinFleet } from '../../electron/fleet/fleet-engine.ts';
import { FleetMember } from '../../electron/fleet/fleet-member.ts';
import { historyProblems } from '../../electron/fleet/history.ts';
import { wrongSequence, type ClaimBoard, type JournalLog } from '../../electron/fleet/journal-log.ts';
import { natsClaims } from '../../electron/fleet/nats-claims.ts';
import { connectToFleet } from '../../electron/fleet/nats-connection.ts';
import { natsJournal } from '../../electron/fleet/nats-journal.ts';
import { MemoryChanges } from '../../electron/fleet/testing/memory-fleet.ts';
import type { ReplicaChanges } from '../../electron/engine/store/replica-changes.ts';
import { systemClock } from '../../electron/engine/time/clock.ts';
import { closeAll } from '../rigs/closing.ts';
import { startCutProxy } from '../rigs/cut-proxy.ts';
import { startNats, type NatsCluster } from '../rigs/nats-cluster.ts';

const never = new AbortController().signal;
const row = (id: string) => ({
  table: 'ledger',
  op: 'put' as const,
  row: { entry_id: id, kind: 'volume', resource_id: id },
});

describe('the journal of a fleet on three servers', () => {
  let cluster: NatsCluster;
  const closing: (() => Promise<void>)[] = [];

  /** A member with a connection of its own. */
  async function member(
    name: string,
    claimSeconds = 60,
  ): Promise<{
    log: JournalLog;
    claims: ClaimBoard;
    member: FleetMember;
    changes: MemoryChanges;
    disconnect: () => Promise<void>;
  }> {
    const config = { servers: [...cluster.urls], project: 'lab', replicas: 3, claimSeconds };
    const connection = await connectToFleet(config, name);
    closing.push(() => connection.close());
    const identity = { id: name, name };
    const [log, claims] = await Promise.all([
      natsJournal(connection, config),
      natsClaims(connection, config, identity),
    ]);
    const changes = new MemoryChanges();
    return {
      log,
      claims,
      changes,
      member: new FleetMember({ member: identity, log, claims, changes: changes.store, clock: systemClock }),
      disconnect: () => connection.close(),
    };
  }

  beforeAll(async () => {
    cluster = await startNats({ servers: 3 });
  });
  afterAll(() => closeAll(...closing, () => cluster?.stop()));

  it('gives a replica to one member at a time, and to the next one when it is given back', async () => {
    const [one, two] = [await member('one'), await member('two')];
    await one.member.claim('r1', never);
    one.changes.put(row('a'));
    await one.member.settled('r1', never);
    await expect(two.member.claim('r1', never)).rejects.toThrow(
      expect.objectContaining({ code: 'fleet.claimed-elsewhere', message: 'one' }) as Error,
    );
    await one.member.release('r1', never);
    await two.member.claim('r1', never);
    expect(two.changes.rows).toEqual([row('a')]);
    await two.member.release('r1', never);
  });

  it('refuses a record of whoever does not know the last one', async () => {
    const { log } = await member('three');
    const at = { kind: 'epoch', epoch: 1, member: { id: 'x', name: 'x' }, at: '' } as const;
    const first = await log.append('r2', at, 0, never);
    expect(first).toEqual(expect.any(Number));
    expect(await log.append('r2', at, 0, never)).toBe(wrongSequence);
    expect((await log.read('r2', 0, never)).map(({ sequence }) => sequence)).toEqual([first]);
    expect(await log.read('r2', first as number, never)).toEqual([]);
  });

  it('continues without one of its servers, and the record in doubt is there once', async () => {
    const one = await member('four');
    await one.member.claim('r3', never);
    for (let index = 0; index < 30; index++) {
      if (index === 10) await cluster.kill(0);
      one.changes.put(row(`entry-${index}`));
      await one.member.settled('r3', never);
    }
    await cluster.restart(0);
    const records = await one.log.read('r3', 0, never);
    expect(historyProblems(records)).toEqual([]);
    expect(
      records.flatMap(({ record }) =>
        record.kind === 'changes' ? record.changes.map(({ row: { entry_id: id } }) => id) : [],
      ),
    ).toEqual(Array.from({ length: 30 }, (_, index) => `entry-${index}`));
  });

  it('lets others take over from a member that is not heard of, which can append nothing more', async () => {
    const brief = { project: 'brief', replicas: 3, claimSeconds: 2 };
    const connect = async (name: string) => {
      const connection = await connectToFleet({ servers: [...cluster.urls], ...brief }, name);
      closing.push(() => connection.close());
      const changes = new MemoryChanges();
      const identity = { id: name, name };
      return {
        changes,
        member: new FleetMember({
          member: identity,
          log: await natsJournal(connection, brief),
          claims: await natsClaims(connection, brief, identity),
          changes: changes.store,
          clock: systemClock,
        }),
      };
    };
    const [asleep, awake] = [await connect('asleep'), await connect('awake')];
    const { lost } = await asleep.member.claim('r4', never);
    await expect
      .poll(
        () =>
          awake.member.claim('r4', never).then(
            () => 'claimed',
            () => 'refused',
          ),
        { timeout: 30_000, interval: 200 },
      )
      .toBe('claimed');
    asleep.changes.put(row('too late'));
    await expect(asleep.member.settled('r4', never)).rejects.toThrow(
      expect.objectContaining({ code: 'fleet.claim-lost' }) as Error,
    );
    expect(lost.aborted).toBe(true);
  });

  it('is not needed to read a project, and is joined once a server is reached', async () => {
    const link = await startCutProxy(() => cluster.ports[0]!);
    const folder = mkdtempSync(join(tmpdir(), 'causeway-offline-'));
    link.blackhole();
    const config = fleetConfigSchema.parse({
      servers: [`nats://127.0.0.1:${link.port}`],
      project: 'offline',
      replicas: 3,
      claimSeconds: 4,
    });
    const joined = await joinFleet(config, { takesOver: false, projectFolder: folder, retryMs: 50 });
    const changes = new MemoryChanges();
    const fleet = joined.join(changes.store as ReplicaChanges, {
      described: () => undefined,
      marks: () => [],
      replicas: () => ['r5'],
      openRuns: () => [],
      hasOpenWave: () => false,
      reaches: () => Promise.resolve([]),
      limits: () => new Map(),
      carries: () => 0,
      asked: () => Promise.reject(new Error('nobody asks')),
      progress: () => undefined,
      isBusy: () => false,
      resume: () => Promise.resolve(),
      applying: () => undefined,
      applied: () => undefined,
      moved: () => undefined,
      looked: () => undefined,
    });
    await fleet.ready;
    await expect(fleet.claim('r5', never)).rejects.toThrow(
      expect.objectContaining({ code: 'fleet.unreachable' }) as Error,
    );
    link.heal();
    await expect
      .poll(() => fleet.claim('r5', never).then(() => 'claimed', String), { timeout: 30_000, interval: 100 })
      .toBe('claimed');
    await fleet.close();
    await joined.close();
    await link.stop();
    rmSync(folder, { recursive: true });
  });
});
