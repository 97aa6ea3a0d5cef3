// Real NATS servers: what each role may do, also by a client that is not Causeway.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect, nkeyAuthenticator, type NatsConnection } from '@nats-io/transport-node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { configureServers } from '../../electron/cli/project/fleet-configure.ts';
import { systemClock } from '../../electron/engine/time/clock.ts';
import { descriptionBucket, descriptionExchange } from '../../electron/fleet/description-exchange.ts';
import { keptFleetFile, readFleetConfig, removeFleetConfig } from '../../electron/fleet/fleet-config.ts';
import { FleetMember } from '../../electron/fleet/fleet-member.ts';
import { claimBucket, natsClaims } from '../../electron/fleet/nats-claims.ts';
import { connectToFleet } from '../../electron/fleet/nats-connection.ts';
import { journalStream, journalSubject, natsJournal } from '../../electron/fleet/nats-journal.ts';
import type { AskedCall, LiveHandlers, LiveMessage } from '../../electron/fleet/live-messages.ts';
import { natsLive } from '../../electron/fleet/nats-live.ts';
import { MemoryChanges } from '../../electron/fleet/testing/memory-fleet.ts';
import { joinFleetFromPage, membershipOf } from '../../electron/workbench/fleet-membership.ts';
import { CausewayError } from '../../shared/model/causeway-error.ts';
import { closeAll } from '../rigs/closing.ts';
import { startNats, type NatsCluster } from '../rigs/nats-cluster.ts';

const never = new AbortController().signal;

describe('roles in a fleet', () => {
  let nats: NatsCluster;
  const folder = mkdtempSync(join(tmpdir(), 'causeway-roles-'));
  const closing: NatsConnection[] = [];
  const seed = (user: string): string => join(folder, `${user}.seed`);

  beforeAll(async () => {
    configureServers(['alice:owner', 'bob:operator', 'carol:viewer'], { name: 'dc1', output: folder }, {
      stdout: { write: () => true },
    } as never);
    nats = await startNats({ servers: 1, more: readFileSync(join(folder, 'account.conf'), 'utf8') });
  });
  afterAll(() =>
    closeAll(
      ...closing.map((each) => () => each.close()),
      () => nats?.stop(),
      () => rmSync(folder, { recursive: true }),
    ),
  );

  async function member(user: string): Promise<{ member: FleetMember; changes: MemoryChanges }> {
    const config = { servers: [...nats.urls], project: 'dc1', replicas: 1, claimSeconds: 30, seedFile: seed(user) };
    const connection = await connectToFleet(config, user);
    closing.push(connection);
    const changes = new MemoryChanges();
    const identity = { id: user, name: user };
    return {
      changes,
      member: new FleetMember({
        member: identity,
        log: await natsJournal(connection, config),
        claims: await natsClaims(connection, config, identity),
        changes: changes.store,
        clock: systemClock,
      }),
    };
  }

  it('let an owner make the streams, an operator work, and a viewer follow but start nothing', async () => {
    await member('alice');
    const bob = await member('bob');
    await bob.member.claim('r', never);
    bob.changes.put({ table: 'ledger', op: 'put', row: { entry_id: 'a' } });
    await bob.member.settled('r', never);
    const carol = await member('carol');
    await expect(carol.member.claim('other', never)).rejects.toThrow(
      expect.objectContaining({ code: 'fleet.forbidden' }) as Error,
    );
    await carol.member.follow('r', never);
    expect(carol.changes.rows).toEqual([{ table: 'ledger', op: 'put', row: { entry_id: 'a' } }]);
  });

  it('let an operator change descriptions, and a viewer read them', async () => {
    const exchange = async (user: string) => {
      const config = { servers: [...nats.urls], project: 'dc1', replicas: 1, claimSeconds: 30, seedFile: seed(user) };
      const connection = await connectToFleet(config, user);
      closing.push(connection);
      const project = join(folder, `project-${user}`);
      mkdirSync(join(project, 'replicas'), { recursive: true });
      return { project, files: await descriptionExchange(connection, config, project, join(folder, `${user}.json`)) };
    };
    await exchange('alice');
    const [bob, carol] = [await exchange('bob'), await exchange('carol')];
    writeFileSync(join(bob.project, 'replicas/web.yaml'), 'name: web');
    await bob.files.turn();
    expect(await carol.files.turn()).toEqual({ taken: ['replicas/web.yaml'], conflicts: [], notShared: [] });
    writeFileSync(join(carol.project, 'replicas/web.yaml'), 'name: other');
    mkdirSync(join(bob.project, 'waves'));
    writeFileSync(join(bob.project, 'waves/night.yaml'), 'name: night');
    await bob.files.turn();
    await expect(carol.files.turn()).rejects.toThrow(expect.objectContaining({ code: 'fleet.forbidden' }) as Error);
    expect(readFileSync(join(carol.project, 'waves/night.yaml'), 'utf8')).toBe('name: night');
    expect(await bob.files.turn()).toEqual({ taken: [], conflicts: [], notShared: [] });
  });

  it('hold for a client that is not Causeway as well, and nobody may delete what was recorded', async () => {
    const raw = async (user: string): Promise<NatsConnection> => {
      const connection = await connect({
        servers: [...nats.urls],
        authenticator: nkeyAuthenticator(new TextEncoder().encode(readFileSync(seed(user), 'utf8').trim())),
      });
      closing.push(connection);
      return connection;
    };
    await expect(
      jetstream(await raw('carol'), { timeout: 2000 }).publish(journalSubject('dc1', 'r'), '{}'),
    ).rejects.toThrow();
    for (const user of ['carol', 'bob', 'alice']) {
      const manager = await jetstreamManager(await raw(user), { timeout: 2000, checkAPI: false });
      await expect(manager.streams.delete(journalStream('dc1')), user).rejects.toThrow();
      await expect(manager.streams.purge(journalStream('dc1')), user).rejects.toThrow();
    }
    await expect(connect({ servers: [...nats.urls], maxReconnectAttempts: 0 })).rejects.toThrow();
    const { log } = await (async () => ({
      log: await natsJournal(await raw('bob'), { project: 'dc1', replicas: 1 }),
    }))();
    expect((await log.read('r', 0, never)).length).toBe(2);
  });

  it('let viewers hear how far executions are, and only operators have calls carried out by others', async () => {
    const [asked, heard] = [[] as AskedCall[], [] as LiveMessage[]];
    const open = async (user: string, handlers: Partial<LiveHandlers> = {}) => {
      const connection = await connectToFleet(
        { servers: [...nats.urls], project: 'dc1', replicas: 1, claimSeconds: 30, seedFile: seed(user) },
        user,
      );
      closing.push(connection);
      const live = natsLive(connection, 'dc1', { hear: () => undefined, asked: () => undefined, ...handlers });
      await connection.flush();
      return { live, connection };
    };
    const alice = await open('alice', {
      asked: (call) => (asked.push(call), Promise.resolve({ ok: true, value: 'cancelled' })),
    });
    const carol = await open('carol', { hear: (message) => void heard.push(message) });
    const bob = await open('bob');
    bob.live.tell({ kind: 'recorded', replica: 'r' });
    await expect.poll(() => heard).toEqual([{ kind: 'recorded', replica: 'r' }]);
    const call = { replica: 'r', call: 'execution.cancel' as const, input: { execution: 'e' } };
    expect(await bob.live.ask(call, never)).toEqual({ ok: true, value: 'cancelled' });
    expect(await carol.live.ask(call, AbortSignal.timeout(20_000))).toBeUndefined();
    carol.live.tell({ kind: 'drain', member: 'bob', isDraining: true });
    await carol.connection.flush();
    bob.live.tell({ kind: 'recorded', replica: 'later' });
    await expect.poll(() => heard.at(-1)).toEqual({ kind: 'recorded', replica: 'later' });
    expect([asked.length, heard.filter(({ kind }) => kind === 'drain')]).toEqual([1, []]);
    await alice.connection.flush();
  });

  it('are not given away: nothing is sent to a server without TLS where the address says TLS', async () => {
    writeFileSync(join(folder, 'password'), 'secret');
    const servers = nats.urls.map((url) => url.replace('nats:', 'tls:'));
    await expect(
      connectToFleet(
        {
          servers,
          project: 'dc1',
          replicas: 1,
          claimSeconds: 30,
          user: 'alice',
          passwordFile: join(folder, 'password'),
        },
        'alice',
      ),
    ).rejects.toThrow(
      expect.objectContaining({ code: 'fleet.unreachable', message: expect.stringMatching(/tls/i) as string }) as Error,
    );
  });

  it('leave a viewer no way around: answers of the servers cannot be sent into journals, claims or descriptions', async () => {
    const owner = await connectToFleet(
      { servers: [...nats.urls], project: 'dc1', replicas: 1, claimSeconds: 30, seedFile: seed('alice') },
      'alice',
    );
    closing.push(owner);
    const manager = await jetstreamManager(owner, { checkAPI: false });
    const streams = [journalStream('dc1'), `KV_${claimBucket('dc1')}`, `KV_${descriptionBucket('dc1')}`];
    const stored = () =>
      Promise.all(
        streams.map(async (stream) => {
          const { state } = await manager.streams.info(stream);
          return [state.last_seq, state.consumer_count];
        }),
      );
    const before = await stored();
    const carol = await connect({
      servers: [...nats.urls],
      authenticator: nkeyAuthenticator(new TextEncoder().encode(readFileSync(seed('carol'), 'utf8').trim())),
    });
    closing.push(carol);
    const targets = [journalSubject('dc1', 'r'), `$KV.${claimBucket('dc1')}.r`, `$KV.${descriptionBucket('dc1')}.r`];
    for (const stream of streams) {
      for (const reply of targets) {
        carol.publish(`$JS.API.STREAM.INFO.${stream}`, '', { reply });
        carol.publish(`$JS.API.STREAM.MSG.GET.${stream}`, JSON.stringify({ seq: 1 }), { reply });
        carol.publish(`$JS.API.DIRECT.GET.${stream}`, JSON.stringify({ seq: 1 }), { reply });
        carol.publish(
          `$JS.API.CONSUMER.CREATE.${stream}`,
          JSON.stringify({
            stream_name: stream,
            config: { deliver_subject: reply, deliver_policy: 'all', ack_policy: 'none' },
          }),
          { reply: '_INBOX.answer' },
        );
      }
    }
    // Requests are answered in their order.
    const answer = await carol.request(`$JS.API.STREAM.INFO.${streams[0]}`);
    expect(answer.json()).toMatchObject({ config: { name: streams[0] } });
    expect(await stored()).toEqual(before);
  });

  it('are joined in the workbench only while nothing runs, also where it begins while the servers are asked', async () => {
    const project = mkdtempSync(join(folder, 'project-'));
    writeFileSync(join(project, 'causeway.yaml'), 'name: Joined\n');
    const asked: Parameters<typeof joinFleetFromPage>[1] = {
      servers: [...nats.urls],
      project: 'dc1',
      copies: 1,
      claimSeconds: 30,
      carries: null,
      reaches: null,
      signIn: { kind: 'key', content: readFileSync(seed('alice'), 'utf8') },
    };
    const runs = new CausewayError('fleet.runs-active', '1 executions and 0 deployments run');
    await expect(joinFleetFromPage(project, asked, () => Promise.reject(runs))).rejects.toBe(runs);
    expect([readFleetConfig(project), existsSync(keptFleetFile(project, 'key'))]).toEqual([undefined, false]);
    await joinFleetFromPage(project, asked, () => Promise.resolve());
    expect(membershipOf(project)).toMatchObject({ project: 'dc1', signIn: 'key' });
    removeFleetConfig(project);
  });
});
