import { execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, inject, test } from 'vitest';
import { CausewayError } from '../../../../shared/model/causeway-error.ts';
import type { DeploymentOptions } from '../../../../shared/model/deployment.ts';
import { sealOf } from '../../../../shared/reports/seal.ts';
import { digestDisk } from '../../replication/digest-disk.ts';
import { headFileOf, readHead } from '../../evidence/journal.ts';
import { sha256, verifyJournal } from '../../evidence/verify-journal.ts';
import { deploymentProject, destinationEnvironment } from '../testing/deployment-project.ts';

const project = deploymentProject();
/** As the manual describes it. */
const digestByHand = (disk: Buffer): string => {
  const all = createHash('sha256');
  for (let at = 0; at < disk.length; at += 65_536)
    all.update(
      createHash('sha256')
        .update(disk.subarray(at, at + 65_536))
        .digest()
        .subarray(0, 16),
    );
  return all.digest('hex');
};
const cutOver: DeploymentOptions = { purpose: 'cut-over', execute: { lastPass: true } };
const life = async () => {
  const [found] = await project.core.call('replica.life', { replica: 'web' });
  return found!;
};
const state = async () => (await life()).state;
const kinds = async () =>
  (await project.core.call('evidence.list', { replica: 'web' })).map(
    ({ kind, data }) => `${kind}${data['state'] === undefined ? '' : ` ${data['state'] as string}`}`,
  );
const journalFile = (): string => join(project.folder, '.causeway', 'evidence', 'journal.jsonl');
const isIntact = () => verifyJournal(readFileSync(journalFile()), readHead(headFileOf(journalFile()))).problems;

describe('the life of a VM', () => {
  test('goes from ready to finalised, each step recorded with who did it', async () => {
    await project.core.call('replica.update', { replica: 'web', checks: [{ kind: 'port', port: 443 }] });
    expect(await life()).toMatchObject({ state: 'ready', next: 'execute' });
    await project.execute();
    expect(await life()).toMatchObject({ state: 'in-sync', next: 'rehearse' });
    const rehearsal = await project.deploy({
      purpose: 'rehearsal',
      rehearsal: { network: 'isolated', keepMinutes: 5 },
    });
    expect(rehearsal).toMatchObject({ state: 'completed', checks: [{ name: 'Port 443', outcome: 'passed' }] });
    expect(await life()).toMatchObject({ state: 'rehearsed', next: 'approve', rehearsal: { outcome: 'passed' } });
    expect(await project.core.call('rehearsal.end', { deployment: rehearsal.id })).toMatchObject([
      { outcome: 'deleted' },
    ]);
    expect(await state()).toBe('rehearsed');
    await project.core.call('replica.approve', { replica: 'web', by: 'Anna', note: 'change 4711' });
    expect(await life()).toMatchObject({ state: 'approved', next: 'cut-over', by: 'Anna' });
    const cut = await project.deploy(cutOver);
    expect(cut.state).toBe('completed');
    expect(await life()).toMatchObject({
      state: 'running-at-destination',
      next: 'finalise-or-roll-back',
      cutOver: { sourceStopped: true, downtime: { seconds: expect.any(Number) as number } },
    });
    const before = await project.core.call('replica.finalise', { replica: 'web', dryRun: true });
    expect(before.resources.map(({ kind, outcome }) => `${kind} ${outcome}`)).toEqual([
      'snapshot and change tracking would-release',
      'volume would-release',
      'volume would-release',
    ]);
    expect(before.stays.length).toBeGreaterThan(0);
    const done = await project.core.call('replica.finalise', { replica: 'web', dryRun: false, by: 'Erik' });
    expect(done).toMatchObject({ life: { state: 'finalised', by: 'Erik' } });
    expect([project.lab.snapshots.size, project.lab.things.has(cut.server?.id ?? '')]).toEqual([0, true]);
    await expect(project.core.call('replica.execute', { replica: 'web' })).rejects.toMatchObject({
      code: 'life.finalised',
    });
    expect(await kinds()).toEqual([
      'execution completed',
      'rehearsal-started',
      'deployment completed',
      'deployment-deleted',
      'rehearsal-ended',
      'approved',
      'cut-over-started',
      'execution completed',
      'execution completed',
      'deployment completed',
      'finalise-started',
      'finalised',
    ]);
    const [last] = (await project.core.call('evidence.list', { replica: 'web' })).filter(
      ({ data }) => data['purpose'] === 'cut-over',
    );
    expect(last?.data['deviations']).toEqual([]);
    expect(isIntact()).toEqual([]);
  });

  test('a failed check fails the cut-over, which is rolled back: the VM is deleted, the source started, the replica kept', async () => {
    await project.core.call('replica.update', {
      replica: 'web',
      checks: [
        { kind: 'http', path: '/health' },
        { kind: 'port', port: 22, onFailure: 'warn' },
      ],
    });
    await project.execute();
    project.failingChecks.add('HTTP /health').add('Port 22');
    const cut = await project.deploy(cutOver);
    expect(cut).toMatchObject({
      state: 'failed',
      error: { code: 'deployment.check-failed' },
      resources: [],
      checks: [{ outcome: 'failed' }, { outcome: 'warned' }],
    });
    expect(await life()).toMatchObject({ state: 'cut-over-failed', next: 'roll-back-or-retry' });
    await expect(project.core.call('replica.finalise', { replica: 'web', dryRun: false })).rejects.toMatchObject({
      code: 'life.wrong-state',
    });
    expect(await project.core.call('replica.rollBack', { replica: 'web', by: 'Anna' })).toMatchObject({
      state: 'rolled-back',
      cutOver: { downtime: { endedAt: expect.any(String) as string } },
    });
    expect(project.lab.log.filter((step) => step === 'start')).toHaveLength(1);
    const digests = project.replicaDigests();
    await project.execute();
    expect([await state(), project.replicaDigests()]).toEqual(['in-sync', digests]);
    project.failingChecks.clear();
    expect((await project.deploy(cutOver)).state).toBe('completed');
    expect(await state()).toBe('running-at-destination');
  });

  test('a VM that runs at its destination is rolled back until it is finalised, and an interrupted roll-back is carried on', async () => {
    await project.execute();
    const cut = await project.deploy(cutOver);
    project.lab.fail('start', new CausewayError('source.unreachable', 'no route'));
    await expect(project.core.call('replica.rollBack', { replica: 'web' })).rejects.toMatchObject({
      code: 'source.unreachable',
    });
    expect(await life()).toMatchObject({ state: 'rolling-back', next: 'roll-back-again' });
    expect(project.lab.things.has(cut.server?.id ?? '')).toBe(false);
    await expect(project.core.call('deployment.create', { replica: 'web', options: cutOver })).rejects.toMatchObject({
      code: 'life.wrong-state',
    });
    expect(await project.core.call('replica.rollBack', { replica: 'web' })).toMatchObject({ state: 'rolled-back' });
    await expect(project.core.call('replica.rollBack', { replica: 'web' })).rejects.toMatchObject({
      code: 'life.wrong-state',
    });
  });

  test('a source that cannot start VMs is started by hand', async () => {
    project.lab.canStart = false;
    await project.execute();
    await project.deploy(cutOver);
    await expect(project.core.call('replica.rollBack', { replica: 'web' })).rejects.toMatchObject({
      code: 'life.source-not-started',
    });
    expect(await project.core.call('replica.rollBack', { replica: 'web', sourceStartedByHand: true })).toMatchObject({
      state: 'rolled-back',
    });
  });

  test('finalising says what remains, and goes on after a kill', async () => {
    await project.execute();
    await project.deploy(cutOver);
    project.lab.fail('delete base', new CausewayError('source.unreachable', 'no route'));
    const { resources, life: after } = await project.core.call('replica.finalise', { replica: 'web', dryRun: false });
    expect(resources.map(({ outcome, error }) => [outcome, error])).toEqual([
      ['remains', 'no route'],
      ['released', undefined],
      ['released', undefined],
    ]);
    expect(after).toMatchObject({ state: 'finalising', next: 'finalise-again', problem: '1 resource remains' });
    project.reopen();
    expect(await state()).toBe('finalising');
    expect(await project.core.call('replica.finalise', { replica: 'web', dryRun: false })).toMatchObject({
      resources: [{ outcome: 'released' }],
      life: { state: 'finalised' },
    });
  });

  test('an approval is for the settings that it was given for, and evidence names a cut-over without one', async () => {
    await project.execute();
    await project.core.call('replica.approve', { replica: 'web' });
    await project.core.call('replica.update', { replica: 'web', checks: [{ kind: 'login-prompt' }] });
    expect(await life()).toMatchObject({ state: 'in-sync', approval: { isCurrent: false } });
    await project.deploy(cutOver);
    const deployment = (await project.core.call('evidence.list', { replica: 'web' })).find(
      ({ kind }) => kind === 'deployment',
    );
    expect(deployment?.data['deviations']).toEqual([
      'No rehearsal had passed before the cut-over.',
      'The cut-over was not approved for the settings that it used.',
    ]);
  });

  test('a rehearsal comes into no network that the VM is meant for, and expired ones are deleted by the engine that is opened later', async () => {
    await project.execute();
    for (const rehearsal of [{}, { network: 'net' }, { networks: { other: 'x' } }]) {
      await expect(
        project.core.call('deployment.create', { replica: 'web', options: { purpose: 'rehearsal', rehearsal } }),
      ).rejects.toMatchObject({ code: 'life.rehearsal-network' });
    }
    const networks: unknown[] = [];
    project.lab.onRun = ({ environment }) => void networks.push(environment['network_map']);
    const { id, server } = await project.deploy({
      purpose: 'rehearsal',
      rehearsal: { networks: { default: 'isolated' }, keepMinutes: 1 },
    });
    expect(networks).toEqual([{ default: 'isolated' }]);
    expect(await project.core.call('rehearsal.end', { expired: true })).toEqual([]);
    await project.core.close();
    project.inDatabase((db) =>
      db
        .prepare('UPDATE deployments SET finished_at = ? WHERE id = ?')
        .run(new Date(Date.now() - 120_000).toISOString(), id),
    );
    project.reopen({ endsRehearsals: true });
    await expect
      .poll(async () => (await life()).history.at(-1))
      .toMatchObject({ kind: 'rehearsal-ended', by: 'causeway', details: { why: 'expired' } });
    expect(project.lab.things.has(server?.id ?? '')).toBe(false);
    expect(await state()).toBe('rehearsed');
  });

  test('secrets of checks come from files of other people only when they were accepted here', async () => {
    await project.execute();
    const file = join(project.folder, 'replicas', 'web.json');
    const check = { kind: 'ssh', username: 'root', secret: 'luks', hostKey: 'ssh-ed25519 AAAA', command: 'id' };
    writeFileSync(file, JSON.stringify({ ...(JSON.parse(readFileSync(file, 'utf8')) as object), checks: [check] }));
    await project.core.call('project.sync', {});
    expect(await project.deploy()).toMatchObject({
      state: 'failed',
      error: { code: 'trust.environment-not-accepted' },
    });
    const { token, environments } = await project.core.call('trust.show', {});
    expect(environments).toContainEqual(expect.objectContaining({ value: 'luks as root: id', isAccepted: false }));
    await project.core.call('trust.accept', { token });
    expect(await project.deploy()).toMatchObject({ state: 'completed' });
  });
});

describe('evidence', () => {
  test('is completed by the next engine when a process was killed before it could write it', async () => {
    await project.execute();
    const journal = readFileSync(journalFile());
    const head = readFileSync(headFileOf(journalFile()));
    await project.execute();
    await project.core.close();
    writeFileSync(journalFile(), journal);
    writeFileSync(headFileOf(journalFile()), head);
    project.reopen();
    expect(await kinds()).toEqual(['execution completed', 'execution completed']);
    expect(isIntact()).toEqual([]);
  });

  test('has the digest of each disk, which anybody can compute again from the disk', async () => {
    await project.execute();
    project.lab.disks.get('disk-0')?.fill(7, 70_000, 80_000);
    await project.execute();
    const last = (await project.core.call('evidence.list', { replica: 'web' })).at(-1);
    const digests = [...project.lab.disks].map(([diskId, bytes]) => ({ diskId, sha256: digestByHand(bytes) }));
    expect(last?.data['digests']).toEqual(digests);
    const { html } = await project.core.call('evidence.report', { replica: 'web' });
    const script =
      /```python\n(import hashlib, sys.*?)```/s.exec(
        readFileSync(join(import.meta.dirname, '../../../../docs/manual/evidence.md'), 'utf8'),
      )?.[1] ?? '';
    for (const { diskId, sha256 } of digests) {
      const file = join(project.folder, `${diskId}.raw`);
      writeFileSync(file, project.lab.disks.get(diskId) ?? '');
      expect(html).toContain(sha256);
      expect((await digestDisk(file, new AbortController().signal)).sha256).toBe(sha256);
      if (process.platform !== 'win32' && !inject('lacking').includes('python3'))
        expect(execFileSync('python3', ['-c', script, file], { encoding: 'utf8' }).trim()).toBe(sha256);
    }
  });

  test('that cannot be written is caught up with, and stops nothing', async () => {
    await project.execute();
    rmSync(headFileOf(journalFile()));
    mkdirSync(headFileOf(journalFile()));
    expect((await project.execute()).state).toBe('completed');
    rmSync(headFileOf(journalFile()), { recursive: true });
    await project.execute();
    expect(await kinds()).toEqual(['execution completed', 'execution completed', 'execution completed']);
    expect(isIntact()).toEqual([]);
  });

  test('is in a report that needs no script, escapes what is hostile, and is sealed and recorded', async () => {
    await project.core.call('replica.update', {
      replica: 'web',
      checks: [{ kind: 'port', port: 1, name: '<script>alert(1)</script>', onFailure: 'warn' }],
    });
    project.failingChecks.add('<script>alert(1)</script>');
    await project.execute();
    await project.deploy(cutOver);
    const { html, digest, name, head } = await project.core.call('evidence.report', { replica: 'web' });
    expect(html).not.toContain('<script');
    expect(html).toContain('Running at destination');
    expect(name).toBe('web-report.html');
    const seal = sealOf(html);
    expect([sha256(seal?.sealed ?? ''), seal?.head, sha256(html)]).toEqual([seal?.sha256, head, digest]);
    expect((await project.core.call('evidence.list', {})).at(-1)).toMatchObject({
      kind: 'report',
      data: { sha256: digest },
    });
    const { document } = await project.core.call('replica.runbook', { replicas: ['web'], format: 'markdown' });
    expect(document).toContain('causeway cutover rollback web');
  });

  test('the runbook of a wave has its window, owners, order and expected times, and nothing of a hostile name', async () => {
    const { core } = project;
    for (const name of ['db', 'app'])
      await core.call('replica.create', { name, source: 'from', destination: 'to', vm: 'web', destinationEnvironment });
    await core.call('inventory.save', {
      name: 'list',
      origin: { kind: 'file', name: 'list.csv' },
      machines: [
        {
          vm: { id: 'vm-1', name: 'web', os_type: 'linux', disks: [], nics: [] },
          power: 'running',
          labels: { owner: 'Eva | <b>' },
        },
      ],
    });
    await core.call('wave.create', {
      wave: 'night',
      replicas: ['app', 'db', 'web'],
      plan: {
        owner: 'Anna',
        window: { date: '2030-10-26', time: '23:00', zone: 'Europe/Berlin', hours: 6 },
        groups: [
          { name: 'Databases', members: ['db'] },
          { name: 'Web', needsGo: true, members: ['web'] },
        ],
        after: { app: ['web'] },
      },
    });
    // Enough to take a rate from.
    project.lab.disks.set('disk-0', randomBytes(5 * 1024 ** 2));
    await project.execute();
    await project.deploy();
    const replicas = (await core.call('replica.list', {})).map(({ id }) => id);
    const { document } = await core.call('replica.runbook', { replicas, format: 'markdown' });
    expect(document).toContain('- Owner: Anna\n- Window: 2030-10-26 23:00 Europe/Berlin, 6 h');
    expect(document.match(/^## .*$/gm)).toEqual(['## db', '## web', '## app']);
    expect(document).toContain('- Order: Web (group 2 of 3); waits for a go');
    expect(document).toContain('- Order: Other members (group 3 of 3); after web');
    expect(document).toMatch(/- Expected: 2030-10-26 23:0\d to 2030-10-26 23:\d\d, downtime \d+ (s|min)/);
    expect(document).toContain('- Owner: Eva \\| \\<b\\>');
    const html = (await core.call('replica.runbook', { replicas, format: 'html' })).document;
    expect(html).toContain('Window: 2030-10-26 23:00 Europe/Berlin, 6 h');
    expect(html).toContain('Eva | &lt;b&gt;');
    expect(html).not.toContain('<b>Eva');
  });
});
