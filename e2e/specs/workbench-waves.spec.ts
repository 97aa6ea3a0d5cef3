import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright';
import { beforeAll, describe, expect, it } from 'vitest';
import { usualBootPatience } from '../../electron/engine/deployments/boot-verdict.ts';
import { recordingMorph } from '../../electron/engine/core/testing/recording-morph.ts';
import { destinationEnvironment } from '../../electron/engine/core/testing/deployment-project.ts';
import { MemoryLab } from '../../electron/engine/core/testing/memory-lab.ts';
import { CausewayError } from '../../shared/model/causeway-error.ts';
import { checkName, type CheckResult } from '../../shared/model/after-boot-check.ts';
import { sealOf } from '../../shared/reports/seal.ts';
import { takePictures } from '../hosts/pictures.ts';
import { screenSteps, soon, takeByKeys } from '../hosts/screen-steps.ts';
import { openWorkbenchHere, type WorkbenchHere } from '../hosts/workbench-here.ts';
import { closedAfterAll } from '../rigs/opened.ts';
import { engineHere } from '../rigs/project/engine-here.ts';
import { makeEmptyProject, openMadeProject, passphrase } from '../rigs/project/make-screen-project.ts';

const root = mkdtempSync(join(tmpdir(), 'causeway-wave-screens-'));
const project = join(root, 'project');
const lab = new MemoryLab();
let workbench: WorkbenchHere;
let page: Page;
const { go, heading, choose, lookAt } = screenSteps(() => page);

/** Waves from nothing to a synchronisation with a go, with platforms in memory; each step needs the one before. */
describe('waves in the workbench', () => {
  const opened = closedAfterAll();
  opened.defer(() => rmSync(root, { recursive: true, force: true }));
  beforeAll(async () => {
    lab.disks.set('disk-0', randomBytes(256 * 1024));
    await makeProject();
    workbench = opened.use(
      await openWorkbenchHere(
        engineHere({
          platforms: lab.platforms,
          connectWorker: lab.connectWorker,
          guests: recordingMorph(
            () => undefined,
            () => ({}),
          ).guests,
          bootPatience: { ...usualBootPatience, stopSeconds: 0, loginSeconds: 0, firstPauseMs: 1 },
          bootProbe: async () => undefined,
          runChecks: async (checks, _server, { onResult }) =>
            checks.map((check): CheckResult => {
              const isWrong = check.kind === 'port';
              const result: CheckResult = {
                name: checkName(check),
                kind: check.kind,
                outcome: isWrong ? 'failed' : 'passed',
                evidence: isWrong ? 'connection refused' : 'status 200',
                attempts: 3,
                seconds: 4,
                at: new Date().toISOString(),
              };
              onResult?.(result);
              return result;
            }),
        }),
        project,
      ),
    );
    page = workbench.page;
    await workbench.ask('vault.unlock', { passphrase });
    await page.reload();
  });

  it('says what a wave is while there is none, and makes one with Enter', async () => {
    await go('Waves');
    await page.getByText('No waves yet', { exact: true }).waitFor();
    await lookAt('waves-empty');
    await page.getByRole('button', { name: 'New wave…', exact: true }).click();
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Night 1');
    await page.keyboard.press('Enter');
    await heading('Night 1');
    await page.getByText('No VMs yet', { exact: true }).waitFor();
    await lookAt('wave-empty');
  });

  it('assigns replicas that were selected, and takes it back', async () => {
    await go('Replicas');
    await page.getByLabel('Search by name', { exact: true }).fill('web-');
    await page.getByText('4 of 6 replicas', { exact: true }).waitFor();
    await page.getByLabel('Select all shown', { exact: true }).check();
    await page.getByRole('button', { name: 'Assign to wave: 4 selected', exact: true }).click();
    await page.getByRole('button', { name: 'Assign 4 VMs', exact: true }).click();
    await page.getByRole('link', { name: 'Night 1', exact: true }).first().waitFor();
    await page.getByRole('button', { name: 'Undo', exact: true }).click();
    await page.getByRole('link', { name: 'Night 1', exact: true }).first().waitFor({ state: 'detached' });
    await page.getByLabel('Search by name', { exact: true }).fill('');
    await page.getByText('6 replicas', { exact: true }).waitFor();
    await page.getByLabel('Select all shown', { exact: true }).check();
    await page.getByRole('button', { name: 'Assign to wave: 6 selected', exact: true }).click();
    await page.getByRole('button', { name: 'Assign 6 VMs', exact: true }).click();
    await page.getByRole('link', { name: 'Night 1', exact: true }).first().waitFor();
    await choose(page.getByLabel('Wave', { exact: true }), 'No wave');
    await page.getByText('0 of 6 replicas', { exact: true }).waitFor();
    await lookAt('replicas-with-waves');
  });

  it('plans a window and an order, warns of a time that the clocks skip, and keeps the plan in the wave’s file', async () => {
    await page.keyboard.press('Control+k');
    await page.locator('[role="dialog"] input:focus').fill('Wave Night');
    await page.getByRole('option', { name: 'Wave Night 1 Wave', exact: true }).waitFor();
    await page.keyboard.press('Enter');
    await heading('Night 1');
    await page.getByRole('button', { name: 'Plan…', exact: true }).click();
    await page.getByLabel('Date', { exact: true }).fill('2027-03-28');
    await page.getByLabel('Time', { exact: true }).fill('02:30');
    await page.getByLabel('Time zone', { exact: true }).fill('Europe/Berlin');
    const warning = page.getByText(/^The clocks change then: this time does not exist on that day\./);
    await warning.waitFor();
    await page.getByLabel('Time', { exact: true }).fill('22:00');
    await warning.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Add group', exact: true }).click();
    await page.getByLabel('Name of group 1', { exact: true }).fill('Databases');
    await page.getByLabel('Members of group 1', { exact: true }).pressSequentially('db');
    for (const name of ['db-1', 'db-2']) await page.getByRole('option', { name, exact: true }).click();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Add group', exact: true }).click();
    await page.getByLabel('Name of group 2', { exact: true }).fill('Web');
    await page.getByLabel('Members of group 2', { exact: true }).pressSequentially('web-1');
    await page.getByRole('option', { name: 'web-1', exact: true }).click();
    await page.getByLabel('Group 2 needs a go', { exact: true }).check();
    await page.getByRole('button', { name: 'Add black-out', exact: true }).click();
    const blackOut = page.getByRole('group', { name: 'Black-out 1', exact: true });
    await blackOut.getByLabel('First day', { exact: true }).fill('2027-03-26');
    await blackOut.getByLabel('Begin', { exact: true }).fill('18:00');
    await blackOut.getByLabel('Last day', { exact: true }).fill('2027-03-26');
    await blackOut.getByLabel('End', { exact: true }).fill('08:00');
    const refusal = page.getByText('Each black-out needs a day and a time at both ends, and ends after it begins.', {
      exact: true,
    });
    await refusal.waitFor();
    await soon(() => page.getByRole('button', { name: 'Save plan', exact: true }).isEnabled()).toBe(false);
    await blackOut.getByLabel('Last day', { exact: true }).fill('2027-03-27');
    await refusal.waitFor({ state: 'detached' });
    await page.getByLabel('VMs in parallel', { exact: true }).fill('2');
    await page
      .getByLabel('Bandwidth of each execution by time of day', { exact: true })
      .fill('mon-fri 08:00-18:00=20M; *=unlimited');
    // By keyboard alone: web-2 after web-3, and what would wait for ever is refused.
    await page.getByRole('button', { name: 'Add dependency', exact: true }).press('Enter');
    const [dependent, before] = [
      page.getByRole('combobox', { name: 'VM 1', exact: true }),
      page.getByRole('combobox', { name: 'VM 1 starts after', exact: true }),
    ];
    await dependent.pressSequentially('web-1');
    await takeByKeys(page, dependent);
    await before.pressSequentially('web-3');
    await takeByKeys(page, before);
    await before.press('Escape');
    await page.getByText(/^These members wait for each other: /).waitFor();
    await soon(() => page.getByRole('button', { name: 'Save plan', exact: true }).isEnabled()).toBe(false);
    await dependent.fill('web-2');
    await takeByKeys(page, dependent);
    await page.getByText(/^These members wait for each other: /).waitFor({ state: 'detached' });
    await lookAt('wave-plan');
    await page.getByRole('button', { name: 'Save plan', exact: true }).click();
    await page.getByText(/^Sun, Mar 28, 22:00 Europe\/Berlin/).waitFor();
    const { plan } = JSON.parse(
      readFileSync(join(project, 'waves', readdirSync(join(project, 'waves'))[0]!), 'utf8'),
    ) as { plan: unknown };
    expect(plan).toEqual({
      window: { date: '2027-03-28', time: '22:00', zone: 'Europe/Berlin', hours: 4 },
      blackOuts: [
        { fromDate: '2027-03-26', fromTime: '18:00', toDate: '2027-03-27', toTime: '08:00', zone: 'Europe/Berlin' },
      ],
      bandwidth: 'mon-fri 08:00-18:00=20M; *=unlimited',
      atOnce: 2,
      groups: [
        { name: 'Databases', members: ['db-1', 'db-2'] },
        { name: 'Web', needsGo: true, members: ['web-1'] },
      ],
      after: { 'web-2': ['web-3'] },
    });
    await soon(() => page.getByRole('row').filter({ hasText: 'Never synchronised' }).innerText()).toContain('6');
    await lookAt('wave');
  });

  it('synchronises group after group, waits for a go, and ends with all members', async () => {
    await page.getByRole('button', { name: 'Synchronise 6 VMs…', exact: true }).click();
    await lookAt('wave-start');
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await page.getByRole('heading', { name: 'Web waits for your go', exact: true }).waitFor();
    await soon(() =>
      page
        .getByRole('table', { name: 'Members', exact: true })
        .getByRole('row')
        .filter({ hasText: 'db-2' })
        .innerText(),
    ).toContain('Completed');
    await soon(() =>
      page
        .getByRole('table', { name: 'Members', exact: true })
        .getByRole('row')
        .filter({ hasText: 'web-1' })
        .innerText(),
    ).toContain('Waiting');
    await lookAt('wave-go');
    await page.getByRole('button', { name: 'Give go for Web', exact: true }).click();
    await page.getByText('Synchronisation completed', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Rehearse 6 VMs…', exact: true }).waitFor();
    await lookAt('wave-done');
    await page.getByRole('button', { name: 'Estimate…', exact: true }).click();
    // As the plan says, which was saved while this page was open.
    await soon(() => page.getByLabel('VMs in parallel', { exact: true }).inputValue()).toBe('2');
    await page
      .getByRole('table', { name: 'Estimate of each VM', exact: true })
      .getByRole('row')
      .filter({ hasText: 'web-1' })
      .waitFor();
    await page.getByLabel('Price list (CSV)…', { exact: true }).setInputFiles({
      name: 'prices.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from('item,per,price,currency\nserver,month,12.5,EUR\n'),
    });
    await page.getByRole('status').filter({ hasText: '75.00 EUR a month' }).waitFor();
    await lookAt('wave-estimate');
    await go('Waves');
    await page.getByRole('row').filter({ hasText: 'Night 1' }).waitFor();
    await lookAt('waves');
  });

  it('holds members against the quotas of the last catalog, and reads them again', async () => {
    await page.getByRole('link', { name: 'Night 1', exact: true }).first().click();
    await heading('Night 1');
    await page.getByText(/^Quotas of Cloud as of /).waitFor();
    for (const [limit, state] of [
      [2, 'visible'],
      [1000, 'detached'],
    ] as const) {
      lab.quotas = [{ kind: 'servers', limit, usage: 0 }];
      await page.getByRole('button', { name: 'Refresh quotas', exact: true }).click();
      await page
        .getByRole('row')
        .filter({ hasText: /Quota too small: .* at Cloud, \d+ needed, 2 free/ })
        .waitFor({ state });
      if (state === 'visible') await lookAt('wave-quotas');
    }
    await go('Waves');
  });

  it('takes one VM from its rehearsal to its cut-over and back, with who decided it', async () => {
    await page.getByRole('link', { name: 'Night 1', exact: true }).first().click();
    await heading('Night 1');
    const row = page.getByRole('table', { name: 'Members', exact: true }).getByRole('row').filter({ hasText: 'web-1' });
    await row.getByRole('button', { name: 'Rehearse… (web-1)', exact: true }).click();
    await page.getByLabel('Isolated network', { exact: true }).fill('isolated');
    await lookAt('life-rehearse');
    await page.getByRole('button', { name: 'Start rehearsal', exact: true }).click();
    await row.getByRole('button', { name: 'Approve… (web-1)', exact: true }).click();
    await page.getByRole('textbox', { name: 'Your name', exact: true }).fill('Anna Berg');
    await page.getByLabel('Note', { exact: true }).fill('change 4711');
    await page.getByRole('button', { name: 'Approve', exact: true }).click();
    await row.getByText(/^Anna Berg, /).waitFor();
    await lookAt('wave-lives');
    await row.getByRole('link', { name: 'web-1', exact: true }).click();
    await heading('web-1');
    await page.getByRole('button', { name: 'Cut over…', exact: true }).click();
    await page.getByText(/^No checks are defined: /).waitFor();
    await lookAt('life-cut-over');
    await page.getByRole('button', { name: 'Cut over', exact: true }).click();
    await page.getByRole('button', { name: 'Finalise…', exact: true }).waitFor();
    await page.getByText(/^Downtime /).waitFor();
    await lookAt('life-at-destination');
    await page.getByRole('button', { name: 'Roll back…', exact: true }).click();
    await page.getByText(/^Changes that users made at the destination since .* are lost\.$/).waitFor();
    await lookAt('life-roll-back');
    await page.getByRole('button', { name: 'Roll back', exact: true }).click();
    await page.getByRole('status').getByText('Rolled back', { exact: true }).waitFor();
    expect(lab.log.filter((step) => step === 'start')).toHaveLength(1);
    await page.getByRole('button', { name: /^History/ }).click();
    await page
      .getByRole('row')
      .filter({ hasText: 'Approved' })
      .filter({ hasText: 'Anna Berg' })
      .filter({ hasText: 'change 4711' })
      .waitFor();
  });

  it('defines checks, and rolls a cut-over back that one of them failed', async () => {
    await go('Replicas');
    await page.getByRole('link', { name: 'web-2', exact: true }).click();
    await heading('web-2');
    await page.getByRole('button', { name: 'Edit checks…', exact: true }).click();
    await page.getByRole('button', { name: 'Add check', exact: true }).click();
    await page.getByRole('group', { name: 'Check 1', exact: true }).getByLabel('Port', { exact: true }).fill('8443');
    await page.getByRole('button', { name: 'Add check', exact: true }).click();
    await choose(
      page.getByRole('group', { name: 'Check 2', exact: true }).getByLabel('Kind', { exact: true }),
      'Web page (HTTP)',
    );
    await page.getByRole('group', { name: 'Check 2', exact: true }).getByLabel('Path', { exact: true }).fill('health');
    await page.getByText('1 field needs your attention', { exact: true }).waitFor();
    await page.getByRole('group', { name: 'Check 2', exact: true }).getByLabel('Path', { exact: true }).fill('/health');
    await lookAt('checks-edit');
    // What signs in to a guest: each kind as a new user meets it, and away again.
    for (const [place, kind] of [
      'Command by SSH',
      'PowerShell command by WinRM',
      'Script in the guest',
      'Service or agent runs',
    ].entries()) {
      await page.getByRole('button', { name: 'Add check', exact: true }).click();
      await choose(
        page.getByRole('group', { name: `Check ${place + 3}`, exact: true }).getByLabel('Kind', { exact: true }),
        kind,
      );
    }
    const ssh = page.getByRole('group', { name: 'Check 3', exact: true });
    await ssh.getByLabel('Host key', { exact: true }).fill('web-2 ssh-ed25519 AAAA');
    await ssh.getByText(/^As in known_hosts, without the host: /).waitFor();
    await ssh.getByLabel('User name', { exact: true }).focus();
    await page.keyboard.press('Tab');
    await ssh.getByText('Required', { exact: true }).waitFor();
    await page
      .getByRole('group', { name: 'Check 5', exact: true })
      .getByLabel('Script', { exact: true })
      .fill('#!/bin/sh\nsystemctl is-active postgresql');
    await choose(
      page.getByRole('group', { name: 'Check 6', exact: true }).getByLabel('Connection', { exact: true }),
      'WinRM',
    );
    await ssh.scrollIntoViewIfNeeded();
    await lookAt('checks-guest');
    await page.getByRole('group', { name: 'Check 6', exact: true }).scrollIntoViewIfNeeded();
    await takePictures(page, 'checks-guest-end');
    for (const place of [6, 5, 4, 3])
      await page.getByRole('button', { name: `Remove check ${place}`, exact: true }).click();
    await page.getByRole('button', { name: 'Save checks', exact: true }).click();
    await page.getByRole('row').filter({ hasText: 'Port 8443' }).getByText('Not run yet', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Cut over…', exact: true }).click();
    await page.getByRole('button', { name: 'Cut over', exact: true }).click();
    await page.getByRole('status').getByText('Cut-over failed', { exact: true }).waitFor();
    const checks = page.getByRole('table', { name: 'Checks after boot', exact: true });
    await checks.getByRole('row').filter({ hasText: 'Port 8443' }).getByText('Failed', { exact: true }).waitFor();
    await checks.getByRole('row').filter({ hasText: 'HTTP /health' }).getByText('Passed', { exact: true }).waitFor();
    await lookAt('checks-failed');
    await page.getByRole('button', { name: 'Roll back…', exact: true }).click();
    await page.getByRole('button', { name: 'Roll back', exact: true }).click();
    await page.getByRole('status').getByText('Rolled back', { exact: true }).waitFor();
  });

  it('ticks steps of the runbook with who did them', async () => {
    await go('Waves');
    await page.getByRole('link', { name: 'Night 1', exact: true }).first().click();
    await page.getByRole('link', { name: 'Runbook', exact: true }).click();
    await heading('Runbook of Night 1');
    await page.getByText('0 of 30 steps done', { exact: true }).waitFor();
    await page.getByText('Sun, Mar 28, 22:00 Europe/Berlin · 4 h', { exact: true }).waitFor();
    await page
      .getByRole('region', { name: 'db-1', exact: true })
      .getByText('Databases (group 1 of 3)', { exact: true })
      .waitFor();
    await page
      .getByRole('region', { name: 'web-1', exact: true })
      .getByText('Web (group 2 of 3) · waits for a go', { exact: true })
      .waitFor();
    await page
      .getByRole('region', { name: 'web-2', exact: true })
      .getByText('Other members (group 3 of 3) · after web-3', { exact: true })
      .waitFor();
    await page.getByLabel('Go/no-go: state, approval, lag (db-1)', { exact: true }).click();
    await page.getByText('1 of 30 steps done', { exact: true }).waitFor();
    await page
      .getByRole('table', { name: 'Runbook of db-1', exact: true })
      .getByText(/^Anna Berg, /)
      .waitFor();
    await lookAt('runbook');
  });

  it('limits all executions together, by keyboard alone, and shows the limit where they are', async () => {
    await go('Replicas');
    await page.getByRole('button', { name: 'Parallel executions: 4', exact: true }).press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Bandwidth limit', { exact: true }).fill('20X');
    await soon(() => dialog.getByRole('button', { name: 'Save', exact: true }).isEnabled()).toBe(false);
    await dialog.getByLabel('Bandwidth limit', { exact: true }).fill('20M');
    await lookAt('limit-of-all');
    await soon(() => dialog.getByRole('button', { name: 'Save', exact: true }).isEnabled()).toBe(true);
    await dialog.getByRole('button', { name: 'Save', exact: true }).press('Enter');
    await page.getByRole('button', { name: 'Parallel executions: 4 · 20M', exact: true }).press('Enter');
    await dialog.getByLabel('Bandwidth limit', { exact: true }).fill('');
    await dialog.getByRole('button', { name: 'Save', exact: true }).press('Enter');
    await page.getByRole('button', { name: 'Parallel executions: 4', exact: true }).waitFor();
  });

  it('tells on the first page where the project stands, what failed, and what comes next', async () => {
    lab.fail('volumes', new CausewayError('source.disk-not-found', 'no route'));
    await go('Replicas');
    await page.getByRole('button', { name: 'Replicate changes… (web-3)', exact: true }).click();
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await page
      .getByText('Last execution failed', { exact: true })
      .or(page.getByRole('main').getByText('Failed', { exact: true }))
      .first()
      .waitFor();
    // Every day: the plan of Night 1 is for a day that comes nearer, and passes.
    await workbench.ask('wave.create', { wave: 'Nightly', plan: { synchronisation: { time: '02:00', zone: 'UTC' } } });
    await go('Project', 'Data centre');
    await page
      .getByRole('region', { name: 'Needs attention', exact: true })
      .getByRole('link', { name: 'web-3', exact: true })
      .waitFor();
    await page
      .getByRole('region', { name: 'Next windows', exact: true })
      .getByRole('link', { name: 'Nightly', exact: true })
      .first()
      .waitFor();
    await page
      .getByRole('region', { name: 'Migration status', exact: true })
      .getByText('Rolled back', { exact: true })
      .waitFor();
    await page.getByRole('figure', { name: 'Progress by day: 6 of 6 VMs copied, 0 moved', exact: true }).waitFor();
    await lookAt('dashboard');
  });

  it('sets up a webhook, whose address goes to the vault, and says what it answered to a test', async () => {
    const heard: string[] = [];
    const server = createServer(
      (request, response) =>
        void request
          .on('data', (piece: Buffer) => heard.push(piece.toString()))
          .on('end', () => response.writeHead(204).end()),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      await go('Settings');
      await page.getByLabel('Webhook', { exact: true }).check();
      await page
        .getByLabel('Address of the webhook', { exact: true })
        .fill(`http://127.0.0.1:${(server.address() as AddressInfo).port}/room`);
      await page.getByRole('button', { name: 'Save notifications', exact: true }).click();
      await page.getByRole('button', { name: 'Send a test by webhook', exact: true }).click();
      await page.getByText('Sent. The answer was: HTTP 204', { exact: true }).waitFor();
      expect(heard.join('')).toContain('This is a test.');
      await page.getByRole('region', { name: 'Notifications of this project', exact: true }).scrollIntoViewIfNeeded();
      await lookAt('settings-notifications');
      await page.getByLabel('Webhook', { exact: true }).uncheck();
      await page.getByRole('button', { name: 'Save notifications', exact: true }).click();
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });

  it('finalises a VM after it has listed what is released and what stays', async () => {
    await go('Replicas');
    await page.getByRole('link', { name: 'db-1', exact: true }).click();
    await heading('db-1');
    await page.getByRole('button', { name: 'Cut over…', exact: true }).click();
    await page.getByRole('button', { name: 'Cut over', exact: true }).click();
    await page.getByRole('button', { name: 'Finalise…', exact: true }).click();
    await page.getByText(/^Snapshot and change tracking /).waitFor();
    await page.getByText('These stay, as they belong to the VM:', { exact: true }).waitFor();
    await lookAt('life-finalise');
    await page.getByRole('button', { name: 'Finalise', exact: true }).click();
    await page.getByRole('status').getByText('Finalised', { exact: true }).waitFor();
    await soon(() => page.getByRole('button', { name: /^(Replicate|Deploy)/ }).count()).toBe(0);
  });

  it('verifies the journal, lists what was done to each VM, and saves its report', async () => {
    await go('Evidence');
    await page.getByRole('status').getByText('Intact', { exact: true }).waitFor();
    await page.getByRole('row').filter({ hasText: 'db-1' }).getByText('Finalised', { exact: true }).waitFor();
    await lookAt('evidence');
    const saving = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save report (web-2)', exact: true }).click();
    const report = readFileSync(await (await saving).path(), 'utf8');
    expect(sealOf(report)).toBeDefined();
    expect(report).toContain('Port 8443');
    await choose(page.getByLabel('Wave', { exact: true }), 'Night 1');
    const savingWave = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save report of the wave', exact: true }).click();
    const ofWave = readFileSync(await (await savingWave).path(), 'utf8');
    expect(sealOf(ofWave)).toBeDefined();
    for (const name of ['web-2', 'db-1']) expect(ofWave).toContain(name);
    const printing = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Wave as PDF', exact: true }).click();
    expect(
      readFileSync(await (await printing).path())
        .subarray(0, 5)
        .toString(),
    ).toBe('%PDF-');
    await page.getByRole('link', { name: 'db-1', exact: true }).click();
    await heading('Evidence of db-1');
    await page.getByRole('row').filter({ hasText: 'Runbook step done' }).filter({ hasText: 'Anna Berg' }).waitFor();
    await lookAt('evidence-vm');
  });

  it('never violates its content security policy and logs no error', () => {
    expect(workbench.complaints).toEqual([]);
  });
});

async function makeProject(): Promise<void> {
  await makeEmptyProject(project, 'Data centre');
  const client = await openMadeProject(project, { platforms: lab.platforms, connectWorker: lab.connectWorker });
  await client.call('endpoint.add', { name: 'Images', plugin: 'disk-images', connection: { path: root } });
  await client.call('endpoint.add', {
    name: 'Cloud',
    plugin: 'european-cloud',
    connection: { project_id: 'f5c6bd4b-1f0a-4d0e-9f5e-0c2f2f6f0a11', region_name: 'eu01', service_account_key: '{}' },
  });
  lab.quotas = [{ kind: 'servers', limit: 1000, usage: 0 }];
  await client.call('catalog.capture', { endpoint: 'Cloud' });
  for (const name of ['web-1', 'web-2', 'web-3', 'web-4', 'db-1', 'db-2'])
    await client.call('replica.create', {
      name,
      source: 'Images',
      destination: 'Cloud',
      vm: 'web',
      destinationEnvironment,
    });
  await client.close();
}
