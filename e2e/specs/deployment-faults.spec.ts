import { createHash, randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { recordingMorph } from '../../electron/engine/core/testing/recording-morph.ts';
import { guestPreparation } from '../../electron/engine/deployments/guest-preparation.ts';
import type { MorphRequest } from '../../electron/engine/osmorphing/index.ts';
import { connectWorker } from '../../electron/engine/transport/connect-worker.ts';
import { shellQuoted } from '../../electron/engine/transport/ssh-connection.ts';
import { CausewayError } from '../../shared/model/causeway-error.ts';
import type { DeploymentDetail, DeploymentOptions } from '../../shared/model/deployment.ts';
import { throughFaults, unclear, type FaultOutcome } from '../conformance/every-fault.ts';
import { endHanging, faultCases, Peaks, type FaultCase } from '../rigs/european-cloud/fault-cases.ts';
import { bootText, talkingBootSector, textOffset } from '../rigs/guests/talking-boot-sector.ts';
import { startProjectLab, type ProjectLab } from '../rigs/project/lab-project.ts';

/**
 * Whole deployments in which one call of the cloud's API goes wrong: each call of a good one, and of one that is undone,
 * in each way that it can. `CAUSEWAY_EVERY_FAULT=1` goes through all of them, else a sample of `CAUSEWAY_FAULT_CASES` by
 * `CAUSEWAY_FAULT_SEED`.
 */
const MiB = 1024 * 1024;
const sizeBytes = 2 * MiB;
const byConsole: DeploymentOptions = { bootCheck: { mode: 'console', deadlineSeconds: 60 } };
const noRoom = new CausewayError('osmorphing.initramfs', 'no room on the boot file system', { retryable: false });

let lab: ProjectLab;
const peaks = new Peaks();
let fails: boolean;
let files: Record<string, string>;

/** Writes into the guest's boot disk through the worker, as the real preparation does. */
async function makeBootable({ ssh, devices, signal }: MorphRequest): Promise<void> {
  const text = bootText('Debian GNU/Linux 12 web ttyS0\r\n\r\nweb login: ');
  await ssh.exec(`sudo -n dd of=${shellQuoted(devices[0] ?? '')} bs=1 seek=${textOffset} conv=notrunc,fsync`, { signal, timeoutMs: 60_000, input: text });
  if (fails) throw noRoom;
}

beforeAll(async () => {
  const { guests } = recordingMorph(makeBootable);
  const own = guestPreparation((access, mechanism, signal) => connectWorker(access, mechanism, {}, signal));
  lab = await startProjectLab({
    core: { guests: { morphOf: guests.morphOf, openSsh: own.openSsh } },
    onCall: () => peaks.look(lab.cloud.world),
    patience: { cloud: { requestMs: 2_000, volumeMs: 2_000, attachMs: 2_000, serverMs: 8_000, removeMs: 2_000 } },
  });
  const folder = join(lab.images, 'web');
  await mkdir(folder);
  files = { 'a.raw': join(folder, 'a.raw'), 'b.raw': join(folder, 'b.raw') };
  for (const [name, head] of [['a.raw', talkingBootSector('(initramfs) ')], ['b.raw', randomBytes(MiB)]] as const) {
    const path = files[name] ?? '';
    const handle = await open(path, 'w');
    await handle.write(head, 0, head.length, 0);
    await handle.close();
    await truncate(path, sizeBytes);
  }
  await lab.createReplica('web', 'web', 'SSH');
  await synchronise();
});
afterAll(() => lab.close());

/** The replica's volumes as its disks are. */
async function synchronise(): Promise<void> {
  const { id } = await lab.use((core) => core.call('replica.execute', { replica: 'web' }));
  expect(await lab.use((core) => core.call('execution.show', { execution: id }))).toMatchObject({ state: 'completed' });
}

async function deploy(options: DeploymentOptions): Promise<DeploymentDetail> {
  const { id } = await lab.use((core) => core.call('deployment.create', { replica: 'web', options }));
  return lab.use((core) => core.call('deployment.show', { deployment: id }));
}

async function replicaVolumes(): Promise<string[]> {
  const { disks } = await lab.use((core) => core.call('replica.show', { replica: 'web' }));
  return disks.flatMap((disk) => disk.volumeId ?? []);
}

/** What the replica's volumes hold where the disks' content is. */
async function content(): Promise<string[]> {
  return Promise.all((await replicaVolumes()).map(async (volume) => {
    const hash = createHash('sha256');
    for await (const piece of createReadStream(lab.cloud.volumePath(volume), { end: sizeBytes - 1 })) hash.update(piece as Buffer);
    return hash.digest('hex');
  }));
}

/** What is there beside the volumes of the replica, in the cloud or in the ledger. */
async function leftOver(): Promise<string[]> {
  const own = await replicaVolumes();
  const entries = await lab.use((core) => core.call('ledger.list', {}));
  return [
    ...[...lab.cloud.world.volumes.values()].filter((volume) => !own.includes(volume.id)).map((volume) => `volume ${volume.name}`),
    ...own.filter((id) => !lab.cloud.world.volumes.has(id)).map((id) => `the replica has lost volume ${id}`),
    ...lab.cloud.world.leftovers().filter((line) => !line.startsWith('volume ')),
    ...entries.filter((entry) => entry.lifetime !== 'replica').map((entry) => `in the ledger: ${entry.kind} ${entry.state}`),
  ];
}

const ways = {
  'on new volumes': { options: byConsole, fails: false, sample: 12 },
  'in place': { options: { ...byConsole, inPlace: true }, fails: false, sample: 6 },
  'undone': { options: byConsole, fails: true, sample: 6 },
  'in place, undone': { options: { ...byConsole, inPlace: true }, fails: true, sample: 6 },
} as const;

/** A deployment and what is wrong with what it leaves. One that succeeded is deleted. */
async function checked(way: (typeof ways)[keyof typeof ways], allowed: Readonly<Record<string, number>>, hanging: boolean): Promise<{ deployment: DeploymentDetail; wrong: string[] }> {
  const before = await content();
  const deployment = await deploy(way.options);
  const { state, error, boot, leftBehind, id } = deployment;
  // Spoilt volumes of the replica are there until those have been made that take their place.
  const restored = way.options.inPlace === true && !way.fails && state !== 'completed' ? 2 : 0;
  const wrong = peaks.beyond({ ...allowed, volumes: (allowed['volumes'] ?? 0) + restored });
  if (state === 'completed') {
    if (fails) wrong.push('completed, although the guest could not be prepared');
    if (boot?.outcome !== 'up') wrong.push(`the guest is ${boot?.outcome}`);
    if (error !== undefined) wrong.push(`completed with ${error.code}: ${error.message}`);
  } else {
    const problem = unclear(error);
    if (problem !== undefined) wrong.push(problem);
  }
  if (hanging) {
    // What hangs can't be removed before it has come to its end; the ledger knows it.
    await endHanging(lab.cloud.world);
    // Twice: a spoilt volume can't go before its snapshot.
    for (let pass = 0; pass < 2; pass += 1) await lab.use((core) => core.call('ledger.remove', { dryRun: false }));
  } else if (leftBehind > 0) {
    wrong.push(`${leftBehind} left behind`);
  }
  if (state === 'completed') await lab.use((core) => core.call('deployment.delete', { deployment: id, dryRun: false }));
  // What could not be put back, because it hangs, is put right by the next execution.
  if (hanging && state !== 'completed' && way.options.inPlace === true) await synchronise();
  const after = await content();
  if (state === 'completed' && way.options.inPlace === true) await synchronise();
  else if (after.join() !== before.join()) wrong.push('the replica\'s volumes have changed');
  wrong.push(...(await leftOver()));
  return { deployment, wrong };
}

describe.each(Object.keys(ways) as (keyof typeof ways)[])('every call of a deployment going wrong once: %s', (name) => {
  it('ends well or with a clear error, makes nothing twice, is undone, and can be repeated', { timeout: 6 * 3_600_000 }, async () => {
    const way = ways[name];
    fails = way.fails;
    const from = lab.cloud.calls.length;
    peaks.take();
    const before = await content();
    const good = await deploy(way.options);
    const allowed = peaks.take();
    const cases = faultCases(lab.cloud.calls.slice(from));
    expect(good).toMatchObject(fails ? { state: 'failed', error: { code: noRoom.code } } : { state: 'completed' });
    if (!fails) await lab.use((core) => core.call('deployment.delete', { deployment: good.id, dryRun: false }));
    if (way.options.inPlace === true && !fails) await synchronise();
    expect(await content()).toEqual(before);
    expect(await leftOver()).toEqual([]);

    const tally = await throughFaults(name, cases, way.sample, async (fault: FaultCase): Promise<FaultOutcome> => {
      fails = way.fails;
      peaks.take();
      lab.cloud.faults.add(fault);
      const { deployment, wrong } = await checked(way, allowed, fault.effect === 'hang');
      const hit = lab.cloud.faults.pending().length === 0;
      lab.cloud.faults.clear();
      if (deployment.state !== 'completed') {
        fails = false;
        peaks.take();
        const again = await checked(way, { ...allowed, servers: 1 }, false);
        wrong.push(...again.wrong.map((text) => `the next one: ${text}`));
        if (again.deployment.state !== 'completed') wrong.push(`the next one is ${again.deployment.state}: ${again.deployment.error?.message}`);
      }
      return { state: deployment.state, error: deployment.error, hit, wrong };
    });
    expect(tally.wrong).toEqual([]);
    expect(lab.cloud.violations).toEqual([]);
  });
});
