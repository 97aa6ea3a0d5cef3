// needs: installed guests
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright';
import { beforeAll, describe, expect, it } from 'vitest';
import { wallTimeAt } from '../../shared/model/wall-time.ts';
import type { EvidenceEntry } from '../../shared/model/evidence.ts';
import type { MachineLife } from '../../shared/model/machine-life.ts';
import type { WaveDetail } from '../../shared/model/wave.ts';
import { screenSteps } from '../hosts/screen-steps.ts';
import { openInChromium } from '../hosts/workbench-in-browser.ts';
import { openWorkbenchHere, type WorkbenchHere } from '../hosts/workbench-here.ts';
import { closing } from '../rigs/closing.ts';
import { closedAfterAll } from '../rigs/opened.ts';
import { pretendedPreparation } from '../rigs/guests/pretended-preparation.ts';
import { talkingBootSector } from '../rigs/guests/talking-boot-sector.ts';
import { commandLineIn } from '../rigs/project/command-line-in.ts';
import { engineHere } from '../rigs/project/engine-here.ts';
import { quickBoot } from '../rigs/project/lab-options.ts';
import { makeScreenProject, openScreenProject, passphrase } from '../rigs/project/make-screen-project.ts';
import { startScreenLab, type ScreenLab } from '../rigs/project/screen-lab.ts';
import { startAzureLab, stockVm, type AzureLab } from '../rigs/resource-group-cloud/source-lab.ts';

const minute = 60_000;
const zone = 'Europe/Berlin';
/** In the order in which they depend on each other. */
const names = ['db-01', 'app-01', 'web-01'] as const;
const wave = 'Night 1';
const manual = readFileSync(join(import.meta.dirname, '../../docs/manual/evidence.md'), 'utf8');
const out = mkdtempSync(join(tmpdir(), 'causeway-handed-over-'));
const preparation = pretendedPreparation('Debian GNU/Linux 12 web ttyS0\r\n\r\nweb login: ');
let azure: AzureLab;
let lab: ScreenLab;
let workbench: WorkbenchHere;
let page: Page;
let causeway: ReturnType<typeof commandLineIn>;
const { go, heading, lookAt } = screenSteps(() => page);

/** Three VMs that run in one cloud, and boot in another one on QEMU; each step needs the ones before. */
describe('a cut-over night of three VMs that depend on each other', { timeout: 10 * minute }, () => {
  const opened = closedAfterAll();
  opened.defer(() => rmSync(out, { recursive: true, force: true }));
  beforeAll(async () => {
    azure = opened.adopt(await startAzureLab(), closing);
    const { cloud } = azure;
    for (const name of names) await stockVm(cloud, { name, disks: [{ name: `${name}-os`, sizeBytes: 16 * 2 ** 20 }] });
    for (const { id } of cloud.world.disks.values()) await boots(cloud.volumePath(id));
    lab = opened.adopt(await startScreenLab(0), closing);
    await makeScreenProject(lab, { replicas: [] });
    await describeReplicas();
    workbench = opened.use(
      await openWorkbenchHere(
        engineHere({ guests: preparation.guests, bootPatience: quickBoot }, { carriesOutCalendar: true }),
        lab.project,
      ),
    );
    page = workbench.page;
    await workbench.ask('vault.unlock', { passphrase });
    await page.reload();
    causeway = commandLineIn({ folder: lab.project, keyFile: '', cloudFolder: '' });
  }, 5 * minute);

  it('is synchronised, rehearsed beside the running sources in an isolated network, and approved', async () => {
    expect(
      await causeway(
        'wave',
        'plan',
        wave,
        '--rehearsal-network',
        'backup',
        '--after',
        'app-01=db-01',
        '--after',
        'web-01=app-01',
        '--at-once',
        '2',
      ),
    ).toMatchObject({ status: 0 });
    expect(await causeway('wave', 'start', wave)).toMatchObject({ status: 0 });
    // web-01 has a check that no destination can pass: it fails its rehearsal, and is cut over all the same.
    expect(await causeway('wave', 'start', wave, '--action', 'rehearse')).toMatchObject({ status: 1 });
    expect(await statesOfSources()).toEqual({ 'db-01': 'running', 'app-01': 'running', 'web-01': 'running' });
    const rehearsals = (await workbench.ask('deployment.list', {})) as unknown as {
      options: { purpose: string; rehearsal: unknown };
    }[];
    expect(rehearsals.map(({ options }) => options)).toEqual(
      names.map(() => expect.objectContaining({ purpose: 'rehearsal', rehearsal: { network: 'backup' } }) as unknown),
    );
    // Executions and rehearsals were measured: the night can be estimated.
    const estimate = await causeway('wave', 'estimate', wave, '--limit', '100M');
    expect(estimate, estimate.output).toMatchObject({
      output: expect.stringMatching(/longest downtime +\d/) as unknown,
    });
    for (const name of names)
      expect(await causeway('cutover', 'approve', name, '--by', 'Anna Berg', '--note', 'change 4711')).toMatchObject({
        status: 0,
      });
    await go('Waves');
    await page.getByRole('link', { name: wave, exact: true }).first().click();
    await heading(wave);
    await lookAt('night-approved');
  });

  it('begins by the calendar, stops each source, moves the VMs in their order, and tells of the check that failed', async () => {
    const { date, time } = wallTimeAt(Date.now() + minute, zone);
    expect(
      await causeway(
        'wave',
        'plan',
        wave,
        '--window',
        `${date} ${time} ${zone}`,
        '--hours',
        '1',
        '--starts-with',
        'cut-over',
      ),
    ).toMatchObject({ status: 0 });
    await page
      .getByText('Cut-over in progress', { exact: true })
      .or(page.getByText('Cutting over', { exact: true }))
      .first()
      .waitFor({ timeout: 4 * minute });
    await lookAt('night-running');
    await page
      .getByRole('button', { name: 'Retry 1', exact: true })
      .or(page.getByText(/^Cut-over failed|ended with failures\.?$/))
      .first()
      .waitFor({ timeout: 6 * minute });
    const detail = (await workbench.ask('wave.show', { wave })) as unknown as WaveDetail;
    expect(Object.fromEntries(detail.memberList.map(({ name, state }) => [name, state]))).toEqual({
      'db-01': 'completed',
      'app-01': 'completed',
      'web-01': 'failed',
    });
    expect(await statesOfSources()).toEqual({ 'db-01': 'stopped', 'app-01': 'stopped', 'web-01': 'stopped' });
    const lives = await livesOf();
    // Each began only after what it depends on was up.
    const began = names.map((name) => Date.parse(lives[name].cutOver?.downtime?.stoppedAt ?? ''));
    const ended = names.slice(0, 2).map((name) => Date.parse(lives[name].cutOver?.downtime?.endedAt ?? ''));
    expect([began[1]! >= ended[0]!, began[2]! >= ended[1]!]).toEqual([true, true]);
    await lookAt('night-one-failed');
  });

  it('offers to roll back what failed, and starts its source again', async () => {
    const row = page
      .getByRole('table', { name: 'Members', exact: true })
      .getByRole('row')
      .filter({ hasText: 'web-01' });
    await row.getByRole('button', { name: 'Roll back… (web-01)', exact: true }).click();
    await lookAt('night-roll-back');
    await page.getByRole('textbox', { name: 'Your name', exact: true }).fill('Anna Berg');
    await page.getByRole('button', { name: 'Roll back', exact: true }).click();
    await row.getByText('Rolled back', { exact: true }).waitFor();
    expect(await statesOfSources()).toEqual({ 'db-01': 'stopped', 'app-01': 'stopped', 'web-01': 'running' });
    expect(
      [...lab.cloud.world.servers.values()]
        .map(({ name }) => name)
        .filter((name) => (names as readonly string[]).includes(name))
        .sort(),
    ).toContain('db-01');
    await lookAt('night-rolled-back');
  });

  it('measures the downtime between the stop and the start that the clouds recorded', async () => {
    const lives = await livesOf();
    for (const name of names) {
      const { stoppedAt, endedAt, seconds } = lives[name].cutOver?.downtime ?? { stoppedAt: '' };
      const stop = callTo('deallocate', name);
      expect(Date.parse(stoppedAt), name).toBeLessThanOrEqual(stop);
      expect(Date.parse(endedAt ?? ''), name).toBeGreaterThan(stop);
      expect(seconds, name).toBeCloseTo((Date.parse(endedAt ?? '') - Date.parse(stoppedAt)) / 1000, 0);
    }
    expect(Date.parse(lives['web-01'].cutOver?.downtime?.endedAt ?? '')).toBeGreaterThanOrEqual(
      callTo('start', 'web-01'),
    );
  });

  it('hands over a report of each VM and the journal, which people without Causeway open and verify', async () => {
    await go('Evidence');
    await page.getByRole('status').getByText('Intact', { exact: true }).waitFor();
    for (const name of names) {
      const saving = page.waitForEvent('download');
      await page.getByRole('button', { name: `Save report (${name})`, exact: true }).click();
      writeFileSync(join(out, `${name}.html`), readFileSync(await (await saving).path()));
    }
    await lookAt('night-evidence');
    expect(
      await causeway('evidence', 'report', '--wave', wave, '--output', join(out, 'wave.html'), '--pdf'),
    ).toMatchObject({ status: 0 });
    expect(readFileSync(join(out, 'wave.pdf')).subarray(0, 5).toString()).toBe('%PDF-');
    expect(await causeway('evidence', 'export', join(out, 'evidence.jsonl'))).toMatchObject({ status: 0 });
    for (const name of [...names, 'wave']) {
      const verified = await alone(
        'evidence',
        'verify',
        join(out, `${name}.html`),
        '--journal',
        join(out, 'evidence.jsonl'),
      );
      expect(verified, verified.output).toMatchObject({
        status: 0,
        output: expect.stringContaining('intact') as unknown,
      });
    }
    expect(byPython(/```python\n(import hashlib, json.*?)```/s, 'evidence.jsonl', 'evidence.jsonl.head')).toMatch(
      /intact$/,
    );
    for (const name of [...names, 'wave'])
      expect(JSON.parse(byShell({ 'web-01.html': `${name}.html` }))).toMatchObject({ kind: 'report' });
    // Both sources that stay off can still be read: their content is what the report says.
    const journal = readFileSync(join(out, 'evidence.jsonl'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as EvidenceEntry);
    for (const name of names.slice(0, 2)) {
      const last = journal.findLast(({ kind, replica }) => kind === 'execution' && replica?.name === name);
      const [recorded] = (last?.data['digests'] ?? []) as { sha256: string }[];
      expect(byPython(/```python\n(import hashlib, sys.*?)```/s, sourceDisk(name)), name).toBe(recorded?.sha256);
      expect(readFileSync(join(out, `${name}.html`), 'utf8')).toContain(recorded?.sha256);
    }
    for (const [name, text] of [
      ['db-01', 'Running at destination'],
      ['web-01', 'Rolled back'],
      ['wave', '2 of 3 VMs run at the destination'],
    ] as const) {
      const reader = await openInChromium(pathToFileURL(join(out, `${name}.html`)).href);
      try {
        await reader.context.setOffline(true);
        await reader.page.getByText(text, { exact: true }).first().waitFor();
        page = reader.page;
        await reader.page.reload();
        await lookAt(`night-report-${name}`);
        expect(reader.complaints).toEqual([]);
      } finally {
        page = workbench.page;
        await reader.close();
      }
    }
  });

  it('shows a report in which one sign was changed, and a journal in which a line was taken out', async () => {
    const report = join(out, 'web-01.html');
    writeFileSync(join(out, 'changed.html'), readFileSync(report, 'utf8').replace('Rolled back', 'Moved over'));
    expect(
      await alone('evidence', 'verify', join(out, 'changed.html'), '--journal', join(out, 'evidence.jsonl')),
    ).toMatchObject({ status: 1, output: expect.stringContaining('CHANGED') as unknown });
    expect(() => byShell({ 'web-01.html': 'changed.html' })).toThrow('Command failed');
    const lines = readFileSync(join(out, 'evidence.jsonl'), 'utf8').split('\n');
    writeFileSync(join(out, 'shorter.jsonl'), lines.toSpliced(3, 1).join('\n'));
    writeFileSync(join(out, 'shorter.jsonl.head'), readFileSync(join(out, 'evidence.jsonl.head')));
    expect(await alone('evidence', 'verify', join(out, 'shorter.jsonl'))).toMatchObject({ status: 1 });
    expect(() => byPython(/```python\n(import hashlib, json.*?)```/s, 'shorter.jsonl', 'shorter.jsonl.head')).toThrow(
      /does not continue the chain/,
    );
    expect(workbench.complaints).toEqual([]);
  });
});

async function boots(disk: string): Promise<void> {
  await using file = await open(disk, 'r+');
  const sector = talkingBootSector('Gave up waiting for root file system device.\r\n(initramfs) ');
  await file.write(sector, 0, sector.length, 0);
}

async function describeReplicas(): Promise<void> {
  const { cloud, connection } = azure;
  const client = await openScreenProject(lab);
  await client.call('endpoint.add', { name: 'Azure', plugin: 'resource-group-cloud', connection });
  await client.call('wave.create', { wave });
  for (const name of names) {
    await client.call('replica.create', {
      name,
      source: 'Azure',
      destination: 'Cloud',
      vm: `${cloud.resourceGroup}/${name}`,
      wave,
      sourceEnvironment: { location: cloud.location, resource_group: cloud.resourceGroup },
      destinationEnvironment: {
        network_map: { 'production/default': 'production' },
        availability_zone: 'eu01-1',
        machine_type: 'g1.1',
        migr_network: 'migration',
        migr_machine_type: 'g1.2',
        migr_image_map: { linux: 'Debian 12' },
      },
      checks: [
        { kind: 'login-prompt', timeoutSeconds: 60 },
        ...(name === 'web-01'
          ? [{ kind: 'http' as const, port: 8080, path: '/health', text: 'the shop is open', timeoutSeconds: 1 }]
          : []),
      ],
    });
  }
  await client.close();
}

async function livesOf(): Promise<Readonly<Record<(typeof names)[number], MachineLife>>> {
  const lives = (await workbench.ask('replica.life', {})) as unknown as MachineLife[];
  return Object.fromEntries(lives.map((life) => [life.replicaName, life])) as Record<
    (typeof names)[number],
    MachineLife
  >;
}

async function statesOfSources(): Promise<Record<string, string>> {
  const { world } = azure.cloud;
  return Object.fromEntries(
    [...world.virtualMachines.values()].map(({ id, name }) => [
      name,
      world.inner.get(id.toLowerCase())?.power === 'running' ? 'running' : 'stopped',
    ]),
  );
}

/** When the source's cloud was last asked for this of a VM. */
function callTo(what: string, name: string): number {
  return (
    azure.recorded.findLast(
      ({ method, path }) => method === 'POST' && path.split('?')[0]?.endsWith(`/virtualMachines/${name}/${what}`),
    )?.at ?? NaN
  );
}

function sourceDisk(name: string): string {
  const disk = [...azure.cloud.world.disks.values()].find((one) => one.name === `${name}-os`);
  return azure.cloud.volumePath(disk?.id ?? '');
}

/** The command line somewhere else: with no project. */
async function alone(...argv: string[]): Promise<{ status: number; output: string }> {
  const folder = join(out, 'elsewhere');
  mkdirSync(folder, { recursive: true });
  try {
    return {
      status: 0,
      output: execFileSync(process.execPath, [join(import.meta.dirname, '../../out/main/cli.js'), ...argv], {
        cwd: folder,
        encoding: 'utf8',
      }),
    };
  } catch (error) {
    const { status, stdout } = error as { status: number; stdout: string };
    return { status, output: stdout };
  }
}

/** The manual's one line for a report, with its files by other names. */
function byShell(names: Readonly<Record<string, string>>): string {
  const line = /```bash\n(grep .*)\n```/.exec(manual)?.[1] ?? '';
  const own = Object.entries(names).reduce((before, [from, to]) => before.replaceAll(from, to), line);
  return execFileSync('bash', ['-c', own], { cwd: out, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();
}

/** What the manual gives to people who have no Causeway. */
function byPython(script: RegExp, ...files: string[]): string {
  const source = script.exec(manual)?.[1] ?? '';
  return execFileSync('python3', ['-c', source, ...files], {
    cwd: out,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  }).trim();
}
