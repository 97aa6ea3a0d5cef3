// needs: native workers
// Two people of a fleet change the same replicas: one in the workbench, the other one elsewhere, with a real NATS server between them.
import { cpSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  descriptionExchange,
  openExchange,
  type DescriptionExchange,
} from '../../electron/fleet/description-exchange.ts';
import { fleetConfigSchema, removeFleetConfig, writeFleetConfig } from '../../electron/fleet/fleet-config.ts';
import { systemClock } from '../../electron/engine/time/clock.ts';
import { FleetMember } from '../../electron/fleet/fleet-member.ts';
import { natsClaims } from '../../electron/fleet/nats-claims.ts';
import { natsJournal } from '../../electron/fleet/nats-journal.ts';
import { natsLive } from '../../electron/fleet/nats-live.ts';
import { MemoryChanges } from '../../electron/fleet/testing/memory-fleet.ts';
import { openWorkbench, type Workbench } from '../hosts/open-workbench.ts';
import { closing } from '../rigs/closing.ts';
import { closedAfterAll } from '../rigs/opened.ts';
import { screenSteps, soon } from '../hosts/screen-steps.ts';
import { startNats, type NatsCluster } from '../rigs/nats-cluster.ts';
import { makeScreenProject, openScreenProject } from '../rigs/project/make-screen-project.ts';
import { startScreenLab, type ScreenLab } from '../rigs/project/screen-lab.ts';

const never = new AbortController().signal;

describe('two people who change the same replicas', () => {
  let lab: ScreenLab;
  let nats: NatsCluster;
  let connection: NatsConnection;
  let workbench: Workbench;
  let other: DescriptionExchange;
  let folder: string;
  const { lookAt } = screenSteps(() => workbench.page);
  const read = (where: string, file: string): string => readFileSync(join(where, file), 'utf8');
  const fileOf = (name: string): string =>
    `replicas/${readdirSync(join(lab.project, 'replicas')).find((file) => file.startsWith(name))!}`;
  const edit = (where: string, file: string, wave: string): void =>
    writeFileSync(
      join(where, file),
      `${JSON.stringify({ ...(JSON.parse(read(where, file)) as object), wave }, undefined, 2)}\n`,
    );

  const opened = closedAfterAll();
  beforeAll(async () => {
    lab = opened.adopt(await startScreenLab(1024 * 1024, { images: ['web-01', 'db-01'] }), closing);
    nats = opened.adopt(await startNats({ servers: 1 }), (servers) => servers.stop());
    await makeScreenProject(lab, {
      replicas: ['web-01', 'db-01'],
      environment: { network_map: { default: 'production' } },
    });
    const client = await openScreenProject(lab);
    for (const name of ['first', 'second', 'third', 'fourth']) await client.call('wave.create', { wave: name });
    await client.close();
    const config = fleetConfigSchema.parse({ servers: [...nats.urls], project: 'shop', claimSeconds: 4 });
    connection = opened.adopt(await connect({ servers: [...nats.urls] }), closing);
    await (await openExchange(connection, config, lab.project)).turn();
    folder = `${lab.project}-other`;
    for (const part of ['endpoints', 'replicas', 'waves'])
      cpSync(join(lab.project, part), join(folder, part), { recursive: true });
    other = await descriptionExchange(connection, config, folder, `${folder}.json`);
    await other.turn();
    // Both change what the other one has not seen yet.
    for (const name of ['web-01', 'db-01']) {
      edit(folder, fileOf(name), 'first');
      edit(lab.project, fileOf(name), 'second');
    }
    await other.turn();
    opened.defer(() => removeFleetConfig(lab.project));
    writeFleetConfig(lab.project, config);
    workbench = opened.use(await openWorkbench(lab));
  }, 180_000);

  it('see the difference, decide it, and are shown what changed while they were reading', async () => {
    const { page } = workbench;
    const [web, db] = [fileOf('web-01'), fileOf('db-01')];
    await page.getByText('2 files were changed here and by another member of the fleet', { exact: true }).waitFor();
    expect([read(lab.project, web), read(folder, web)]).toEqual([
      expect.stringContaining('second'),
      expect.stringContaining('first'),
    ]);
    await page.getByRole('button', { name: 'Compare…', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Which change do you keep?', exact: true });
    await dialog.getByLabel('File', { exact: true }).click();
    await page.getByRole('option', { name: web, exact: true }).click();
    const difference = dialog.getByRole('region', { name: 'Difference', exact: true });
    await soon(() => difference.innerText()).toMatch(/− +"wave": "second"\n\+ +"wave": "first"/);
    await lookAt('fleet-conflict');

    edit(folder, web, 'third');
    await other.turn();
    // Whichever comes first: the exchange shows the newer change, or the decision is refused because of it.
    await expect.poll(() => difference.innerText(), { timeout: 30_000 }).toMatch(/\+ +"wave": "third"/);
    await dialog.getByRole('button', { name: 'Keep mine', exact: true }).click();
    await page.getByText(`${web}: your file is now in the fleet`, { exact: true }).waitFor();
    await other.turn();
    expect([read(lab.project, web), read(folder, web)]).toEqual([
      expect.stringContaining('second'),
      expect.stringContaining('second'),
    ]);

    await soon(() => dialog.getByLabel('File', { exact: true }).innerText()).toBe(db);
    await dialog.getByRole('button', { name: 'Use the file of the fleet', exact: true }).click();
    await page.getByText(`${db}: the file of the fleet is now here`, { exact: true }).waitFor();
    await dialog.waitFor({ state: 'detached' });
    expect(read(lab.project, db)).toContain('first');
    await soon(() => page.getByRole('button', { name: 'Compare…', exact: true }).count()).toBe(0);
  }, 120_000);

  it('are told of files that the others do not get', async () => {
    const { page } = workbench;
    writeFileSync(join(lab.project, 'replicas', 'c:web.json'), '{}');
    await page.getByText(/^1 file is not shared with the fleet/).waitFor();
    await page.getByText('replicas/c:web.json', { exact: true }).first().waitFor();
    rmSync(join(lab.project, 'replicas', 'c:web.json'));
    await page.getByText(/^1 file is not shared with the fleet/).waitFor({ state: 'detached' });
    await other.turn();
    expect(readdirSync(join(folder, 'replicas'))).not.toContain('c:web.json');
  }, 120_000);

  it('see what another member carries out as running there, with its numbers', async () => {
    const { page } = workbench;
    const config = fleetConfigSchema.parse({ servers: [...nats.urls], project: 'shop', claimSeconds: 4 });
    const { id } = JSON.parse(read(lab.project, fileOf('web-01'))) as { id: string };
    const self = { id: 'data-centre', name: 'data-centre' };
    const changes = new MemoryChanges();
    const claims = await natsClaims(connection, config, self);
    const member = new FleetMember({
      member: self,
      log: await natsJournal(connection, config),
      claims,
      changes: changes.store,
      clock: systemClock,
    });
    const execution = {
      id: 'exe_elsewhere',
      replica_id: id,
      number: 1,
      options: '{}',
      created_at: new Date().toISOString(),
      started_at: new Date().toISOString(),
      finished_at: null,
      error: null,
      left_behind: 0,
      progress: null,
    };
    const put = (state: string): void => changes.put({ table: 'executions', op: 'put', row: { ...execution, state } });
    put('running');
    await member.claim(id, never);
    const live = natsLive(connection, 'shop', { hear: () => undefined, asked: () => undefined });
    const numbers = {
      phase: 'copying' as const,
      bytesTotal: 1000 * 1024 * 1024,
      bytesDone: 430 * 1024 * 1024,
      bytesSent: 430 * 1024 * 1024,
      rateBytesPerSecond: 5 * 1024 * 1024,
      stalledForSeconds: 0,
    };
    const telling = setInterval(() => {
      void member.renew(never).catch(() => undefined);
      live.tell({ kind: 'progress', replica: id, progress: { executionId: execution.id, total: numbers, disks: [] } });
    }, 500);
    try {
      await page.goto(new URL(`#/replicas/${id}`, page.url()).href);
      await page.getByText('Running on data-centre', { exact: true }).first().waitFor();
      await page.getByRole('table', { name: 'Executions', exact: true }).getByRole('link', { name: /1$/ }).click();
      await page.getByText('Running on data-centre', { exact: true }).first().waitFor();
      await page
        .getByText(/ 43\s?%$/)
        .first()
        .waitFor();
      await lookAt('fleet-elsewhere');
      put('completed');
      await member.settled(id, never);
      await page.getByText('Completed', { exact: true }).first().waitFor();
      await page.getByText('Running on data-centre', { exact: true }).first().waitFor({ state: 'detached' });
    } finally {
      clearInterval(telling);
      await member.release(id, never);
    }
  }, 120_000);
});
