// needs: native workers
// The screen of a fleet in the workbench: who is there, what waits for what, what is limited; and what a viewer sees. With real NATS servers,
// and the roles that causeway fleet configure makes.
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { NatsConnection } from '@nats-io/transport-node';
import { beforeAll, describe, expect, it } from 'vitest';
import { configureServers } from '../../electron/cli/project/fleet-configure.ts';
import { systemClock } from '../../electron/engine/time/clock.ts';
import { openExchange } from '../../electron/fleet/description-exchange.ts';
import {
  fleetConfigSchema,
  keptFleetFile,
  readFleetConfig,
  removeFleetConfig,
  writeFleetConfig,
  type FleetConfig,
} from '../../electron/fleet/fleet-config.ts';
import { FleetMember } from '../../electron/fleet/fleet-member.ts';
import type { Here } from '../../electron/fleet/live-messages.ts';
import { natsClaims } from '../../electron/fleet/nats-claims.ts';
import { connectToFleet } from '../../electron/fleet/nats-connection.ts';
import { natsJournal } from '../../electron/fleet/nats-journal.ts';
import { natsLive } from '../../electron/fleet/nats-live.ts';
import { MemoryChanges } from '../../electron/fleet/testing/memory-fleet.ts';
import { seriousFindings } from '../hosts/accessibility.ts';
import { openWorkbench, type Workbench } from '../hosts/open-workbench.ts';
import { closing } from '../rigs/closing.ts';
import { closedAfterAll } from '../rigs/opened.ts';
import { screenSteps, soon } from '../hosts/screen-steps.ts';
import { startNats, type NatsCluster } from '../rigs/nats-cluster.ts';
import { makeScreenProject, openScreenProject } from '../rigs/project/make-screen-project.ts';
import { startScreenLab, type ScreenLab } from '../rigs/project/screen-lab.ts';

const never = new AbortController().signal;
const MiB = 1024 * 1024;
const images = ['app-01', 'db-01', 'web-01', 'web-02', 'web-03'];
const patience = { timeout: 30_000 };

describe('the screen of a fleet', () => {
  let lab: ScreenLab;
  let nats: NatsCluster;
  let workbench: Workbench;
  let bob: NatsConnection;
  let config: FleetConfig;
  const roles = mkdtempSync(join(tmpdir(), 'causeway-fleet-screen-'));
  const opened = closedAfterAll();
  opened.defer(() => rmSync(roles, { recursive: true }));
  const { lookAt, go, heading, choose } = screenSteps(() => workbench.page);
  const seedOf = (user: string): FleetConfig => ({ ...config, seedFile: join(roles, `${user}.seed`) });
  const idsIn = (folder: string): Map<string, string> =>
    new Map(
      readdirSync(join(lab.project, folder))
        .map(
          (file) => JSON.parse(readFileSync(join(lab.project, folder, file), 'utf8')) as { id: string; name: string },
        )
        .map(({ id, name }) => [name, id]),
    );

  beforeAll(async () => {
    configureServers(['alice:owner', 'bob:operator', 'carol:viewer'], { name: 'shop', output: roles }, {
      stdout: { write: () => true },
    } as never);
    lab = opened.adopt(await startScreenLab(MiB, { images }), closing);
    nats = opened.adopt(
      await startNats({ servers: 1, more: readFileSync(join(roles, 'account.conf'), 'utf8') }),
      (servers) => servers.stop(),
    );
    config = fleetConfigSchema.parse({ servers: [...nats.urls], project: 'shop', claimSeconds: 4, carries: 0 });
    await makeScreenProject(lab, { replicas: images, environment: { network_map: { default: 'production' } } });
    const client = await openScreenProject(lab);
    await client.call('wave.create', { wave: 'First night', replicas: ['web-01', 'web-02'] });
    await client.call('wave.create', { wave: 'Second night', replicas: ['db-01'] });
    await client.close();
    // The owner makes the streams.
    const alice = await connectToFleet(seedOf('alice'), 'alice');
    await natsJournal(alice, config);
    await natsClaims(alice, config, { id: 'alice', name: 'alice' });
    await openExchange(alice, config, lab.project);
    await alice.close();
    bob = opened.adopt(await connectToFleet(seedOf('bob'), 'bob'), closing);
    opened.defer(() => removeFleetConfig(lab.project));
    writeFleetConfig(lab.project, seedOf('bob'));
    workbench = opened.use(await openWorkbench(lab));
  }, 180_000);

  /** Another computer of the fleet, which says of itself what it is told here, and drains when it is asked to. */
  function otherMember(here: Omit<Here, 'kind'>): { readonly drained: boolean[]; gone(): void } {
    const drained: boolean[] = [];
    let { isDraining } = here;
    const live = natsLive(bob, 'shop', {
      hear(message) {
        if (message.kind !== 'drain' || message.member !== here.member.id) return;
        ({ isDraining } = message);
        drained.push(isDraining);
        tell();
      },
      asked: () => undefined,
    });
    const tell = (): void => {
      live.tell({ kind: 'here', ...here, isDraining });
      for (const replica of here.works)
        live.tell({
          kind: 'progress',
          replica,
          progress: {
            executionId: `exe_${replica}`,
            total: {
              phase: 'copying',
              bytesTotal: 1000 * MiB,
              bytesDone: 430 * MiB,
              bytesSent: 430 * MiB,
              rateBytesPerSecond: 20 * MiB,
              stalledForSeconds: 0,
            },
            disks: [],
          },
        });
    };
    const telling = setInterval(tell, 500);
    tell();
    const gone = (): void => {
      clearInterval(telling);
      live.tell({ kind: 'gone', member: here.member.id });
    };
    opened.defer(gone);
    return { drained, gone };
  }

  /** Something that was left to the fleet, as any member records it. */
  async function leave(
    name: string,
    minutesAgo: number,
    state: 'pending' | 'running',
    uses: readonly string[],
  ): Promise<string> {
    const id = idsIn('replicas').get(name)!;
    const self = { id: 'planner', name: 'planner' };
    const changes = new MemoryChanges();
    const member = new FleetMember({
      member: self,
      log: await natsJournal(bob, config),
      claims: await natsClaims(bob, config, self),
      changes: changes.store,
      clock: systemClock,
    });
    const at = new Date(Date.now() - minutesAgo * 60_000).toISOString();
    changes.put({
      table: 'executions',
      op: 'put',
      row: {
        id: `exe_${id}`,
        replica_id: id,
        number: 1,
        options: JSON.stringify({ placement: { uses } }),
        created_at: at,
        started_at: state === 'running' ? at : null,
        finished_at: null,
        error: null,
        left_behind: 0,
        progress: null,
        state,
      },
    });
    await member.claim(id, never);
    await member.release(id, never);
    return id;
  }

  it('shows members, the queue in its order and limits, and changes them by keyboard and mouse', async () => {
    const { page } = workbench;
    await go('Fleet');
    await heading('Fleet');
    const members = page.getByRole('table', { name: 'Members', exact: true });
    await members.getByText('this computer', { exact: true }).waitFor();
    await page.getByText('Nothing waits for a member.', { exact: true }).waitFor();
    const endpoints = idsIn('endpoints');
    const uses = ['endpoint Images', 'endpoint Cloud', 'link Images > Cloud'];
    const web = await leave('web-01', 30, 'running', uses);
    await leave('web-02', 20, 'pending', uses);
    await leave('db-01', 10, 'pending', uses);
    await leave('app-01', 5, 'pending', ['endpoint Images']);
    const away = otherMember({
      member: { id: 'dc1', name: 'data-centre-1' },
      carries: 1,
      isDraining: false,
      reaches: [...endpoints.values()],
      works: [web],
      refuses: [],
    });
    const row = members.getByRole('row', { name: /^data-centre-1\b/ });
    await row.getByText('20 MiB/s', { exact: true }).first().waitFor();
    await row.getByText('1 of 1', { exact: true }).waitFor();
    await row
      .getByText('Images, Cloud', { exact: true })
      .or(row.getByText('Cloud, Images', { exact: true }))
      .waitFor();
    // The wave with the fewest in progress goes first, whatever waits longest; what is in no wave is a wave of its own.
    const queue = page.getByRole('table', { name: 'Queue', exact: true });
    const order = async (): Promise<string[]> =>
      (await queue.getByRole('row').allInnerTexts()).flatMap((line) => /(?:web|db|app)-0\d/.exec(line)?.[0] ?? []);
    await expect.poll(order, patience).toEqual(['db-01', 'app-01', 'web-02']);
    await queue.getByText('Room on a member', { exact: true }).first().waitFor();

    // A limit, by keyboard alone.
    await page.getByRole('button', { name: 'Add limit…', exact: true }).focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Add a limit', exact: true });
    await choose(dialog.getByLabel('Endpoint', { exact: true }), 'Cloud');
    await dialog.getByRole('spinbutton', { name: 'Executions at the same time', exact: true }).fill('1');
    await lookAt('fleet-limit');
    await dialog.getByRole('spinbutton', { name: 'Executions at the same time', exact: true }).press('Enter');
    await page.getByText('endpoint Cloud: at most 1 execution at the same time', { exact: true }).waitFor();
    const limits = page.getByRole('table', { name: 'Limits', exact: true });
    await limits.getByText('1 of 1', { exact: true }).waitFor();
    await queue.getByText('A limit: endpoint Cloud', { exact: true }).first().waitFor();
    await expect
      .poll(() => readFileSync(join(lab.project, 'fleet-limits.json'), 'utf8'), patience)
      .toContain('"endpoint Cloud": 1');

    await page.getByRole('button', { name: 'Make urgent: web-02', exact: true }).click();
    await expect.poll(order, patience).toEqual(['web-02', 'db-01', 'app-01']);
    await queue
      .getByRole('row', { name: /^\d+ web-02\b/ })
      .getByText('Urgent', { exact: true })
      .waitFor();
    const records = await (await natsJournal(bob, config)).read(idsIn('replicas').get('web-02')!, 0, never);
    expect(JSON.stringify(records.at(-1)!.record)).toContain('made urgent');

    await page.getByRole('button', { name: 'Drain data-centre-1', exact: true }).click();
    await row.getByText('Draining', { exact: true }).waitFor();
    expect(away.drained).toEqual([true]);
    await queue.getByText('A member that is not draining', { exact: true }).first().waitFor();
    await lookAt('fleet');
    await page.getByRole('button', { name: 'Resume data-centre-1', exact: true }).click();
    await row.getByText('Working', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Change the limit of endpoint Cloud', exact: true }).click();
    await page
      .getByRole('dialog', { name: 'Limit of endpoint Cloud', exact: true })
      .getByRole('spinbutton', { name: 'Executions at the same time', exact: true })
      .fill('3');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await limits.getByText('1 of 3', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Remove the limit of endpoint Cloud', exact: true }).click();
    await page.getByText('Nothing is limited.', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Not urgent: web-02', exact: true }).click();
    await expect.poll(order, patience).toEqual(['db-01', 'app-01', 'web-02']);
    await page.getByRole('button', { name: 'Verify journals', exact: true }).click();
    await page.getByText(/^The journals of 5 replicas are consistent: /).waitFor();
    away.gone();
    await row.waitFor({ state: 'detached' });
  }, 180_000);

  it('lets a person leave an execution to the fleet, and says what it waits for', async () => {
    const { page } = workbench;
    await page.goto(new URL(`#/replicas/${idsIn('replicas').get('web-03')!}`, page.url()).href);
    await page.getByRole('button', { name: 'Replicate… (web-03)', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Let the fleet choose the computer', { exact: true }).check();
    await dialog.getByLabel(/^Urgent/).check();
    await lookAt('fleet-start');
    await dialog.getByRole('button', { name: 'Start', exact: true }).click();
    await heading('Execution 1 of web-03');
    await page.keyboard.press('g');
    await page.keyboard.press('f');
    await heading('Fleet');
    const row = page.getByRole('table', { name: 'Queue', exact: true }).getByRole('row', { name: /^\d+ web-03\b/ });
    await row.getByText('Urgent', { exact: true }).waitFor();
    await row.getByText('A member that carries out executions', { exact: true }).waitFor();
  }, 120_000);

  it('is in German, in light and dark', async () => {
    const { page } = workbench;
    otherMember({
      member: { id: 'dc2', name: 'rechenzentrum-2' },
      carries: 4,
      isDraining: true,
      reaches: [...idsIn('endpoints').values()],
      works: [],
      refuses: [],
    });
    await page.evaluate(() => localStorage.setItem('causeway-language', 'de'));
    await page.reload();
    await page
      .getByRole('table', { name: 'Mitglieder', exact: true })
      .getByText('Ausgelaufen', { exact: true })
      .waitFor();
    await page.getByText('Ein Mitglied, das nicht ausläuft', { exact: true }).first().waitFor();
    await lookAt('fleet-german');
    await page.evaluate(() => localStorage.removeItem('causeway-language'));
    await page.reload();
    await heading('Fleet');
  }, 120_000);

  it('tells a viewer why nothing can be changed, and the engine refuses it whoever asks', async () => {
    await workbench.close();
    writeFleetConfig(lab.project, seedOf('carol'));
    workbench = opened.use(await openWorkbench(lab));
    const { page } = workbench;
    await go('Fleet');
    await page.getByText('Read-only access', { exact: true }).waitFor();
    await page
      .getByRole('table', { name: 'Members', exact: true })
      .getByText('rechenzentrum-2', { exact: true })
      .waitFor();
    await page.getByRole('table', { name: 'Queue', exact: true }).getByText('web-02', { exact: true }).waitFor();
    for (const name of [/^Drain/, /urgent/, 'Add limit…'])
      await soon(() => page.getByRole('button', { name, exact: true }).count(), String(name)).toBe(0);
    await lookAt('fleet-viewer');
    expect(await seriousFindings(page)).toEqual([]);
    await page.getByRole('button', { name: 'Verify journals', exact: true }).click();
    await page.getByText(/^The journals of 5 replicas are consistent: /).waitFor();
  }, 120_000);

  it('joins with a key file, takes another share, and leaves', async () => {
    await workbench.close();
    removeFleetConfig(lab.project);
    workbench = opened.use(await openWorkbench(lab));
    const { page } = workbench;
    await go('Fleet');
    await page.getByRole('button', { name: 'Join a fleet…', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Join a fleet', exact: true });
    await dialog.getByLabel(/^Servers/).fill('nats://127.0.0.1:9');
    await dialog.getByLabel(/^Name of the fleet/).fill('shop');
    const joins = dialog.getByRole('button', { name: 'Join', exact: true });
    await soon(() => joins.isDisabled()).toBe(true);
    await dialog.locator('input[type=file]').first().setInputFiles(join(roles, 'bob.seed'));
    await dialog.getByText('Chosen', { exact: true }).waitFor();
    await dialog.getByRole('spinbutton', { name: 'Executions at the same time', exact: true }).fill('0');
    await lookAt('fleet-join');
    // Nobody answers there: nothing is kept.
    await joins.click();
    await dialog.getByText('fleet.unreachable', { exact: true }).or(dialog.getByRole('alert')).first().waitFor();
    expect([readFleetConfig(lab.project), existsSync(keptFleetFile(lab.project, 'key'))]).toEqual([undefined, false]);
    await dialog.getByLabel(/^Servers/).fill(nats.urls.join(' '));
    await joins.click();
    await page.getByText('This computer is a member of the fleet shop', { exact: true }).waitFor();
    await page
      .getByRole('table', { name: 'Members', exact: true })
      .getByText('this computer', { exact: true })
      .waitFor();
    await page.getByRole('table', { name: 'Queue', exact: true }).getByText('web-02', { exact: true }).waitFor();
    expect(readFleetConfig(lab.project)).toMatchObject({
      servers: nats.urls,
      project: 'shop',
      carries: 0,
      seedFile: keptFleetFile(lab.project, 'key'),
    });
    expect(statSync(keptFleetFile(lab.project, 'key')).mode & 0o077).toBe(0);

    await page.getByRole('button', { name: 'Change…', exact: true }).click();
    const share = page.getByRole('dialog', { name: 'What this computer does in the fleet', exact: true });
    await choose(share.getByLabel('Endpoints that it reaches', { exact: true }), 'Images');
    await page.keyboard.press('Escape');
    await share.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('This computer takes part with the new settings', { exact: true }).waitFor();
    expect(readFleetConfig(lab.project)).toMatchObject({ carries: 0, reaches: ['Images'] });
    await lookAt('fleet-membership');

    await page.getByRole('button', { name: 'Leave fleet…', exact: true }).click();
    await page
      .getByRole('dialog', { name: 'Leave the fleet shop?', exact: true })
      .getByRole('button', { name: 'Leave', exact: true })
      .click();
    await page.getByRole('button', { name: 'Join a fleet…', exact: true }).waitFor();
    expect([readFleetConfig(lab.project), existsSync(keptFleetFile(lab.project, 'key'))]).toEqual([undefined, false]);
  }, 180_000);
});
