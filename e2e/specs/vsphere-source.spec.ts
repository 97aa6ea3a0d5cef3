import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createVsphereSource } from '../../electron/engine/platforms/virtualization-platform/source/index.ts';
import type { LedgerEntry, LedgerScope } from '../../electron/engine/ports/ledger.ts';
import type { Snapshot } from '../../electron/engine/ports/source-platform.ts';
import { firstDifference, readOnto } from '../conformance/read-snapshot.ts';
import { run } from '../rigs/machines/child-process.ts';
import { MemoryDisk } from '../rigs/virtualization-platform/backing.ts';
import { ExportLeases } from '../rigs/virtualization-platform/export-lease/export-leases.ts';
import { startHttpsHost, type HttpsHost } from '../rigs/virtualization-platform/https-host.ts';
import {
  projectMark,
  straightAccess,
  vsphereHarness,
  type VsphereHarness,
} from '../rigs/virtualization-platform/source-harness.ts';
import { sourceSteps } from '../rigs/virtualization-platform/source-steps.ts';
import { canRun } from '../../scripts/test/needs.ts';

const MIB = 2 ** 20;
const signal = new AbortController().signal;
/** Its packages are not seen by another Python that may come first on the search path. */
const debianPython = '/usr/bin/python3';

describe('the virtualization platform as a source', () => {
  let lab: VsphereHarness;
  beforeEach(async () => {
    lab = await vsphereHarness();
  });
  afterEach(() => lab.close());

  const { snapshot, read, called, told } = sourceSteps(() => lab);

  it('takes a crash-consistent snapshot when the guest cannot be quiesced, and says so', async () => {
    lab.vm.failsToQuiesce = true;
    const taken = await snapshot();
    expect(told()).toMatch(/could not be quiesced .*ApplicationQuiesceFault/);
    expect(await lab.leftovers()).toHaveLength(1);
    await lab.platform.discardSnapshot(taken, undefined, signal);
  });

  it('signs in again when the session ends in the middle of an execution', async () => {
    const taken = await snapshot();
    lab.rig.world.expireSessions();
    const before = await lab.content(0);
    expect(firstDifference((await read(taken)).replica, before)).toBeUndefined();
    lab.rig.world.expireSessions();
    await lab.platform.promoteToBase(taken, undefined, signal);
    expect(await lab.leftovers()).toEqual([]);
    expect(called('Login')).toBe(3);
  });

  it('consolidates disks before the first snapshot, and stops when that fails', async () => {
    lab.vm.needsConsolidation = true;
    await lab.platform.prepare(lab.vmId, {}, signal);
    expect([called('ConsolidateVMDisks_Task'), lab.vm.needsConsolidation]).toEqual([1, false]);
    Object.assign(lab.vm, { needsConsolidation: true, failsToConsolidate: true });
    await expect(lab.platform.prepare(lab.vmId, {}, signal)).rejects.toMatchObject({
      code: 'source.consolidation-needed',
    });
    expect(called('CreateSnapshot_Task')).toBe(0);
  });

  it('names the privilege that is missing, in the check and where it is needed', async () => {
    lab.rig.world.withheld.add('VirtualMachine.Provisioning.DiskRandomRead').add('VirtualMachine.State.CreateSnapshot');
    const { steps } = await lab.platform.check(signal);
    expect(
      steps.filter(({ outcome }) => outcome === 'warning').map(({ name, evidence }) => `${name}: ${evidence}`),
    ).toEqual(
      expect.arrayContaining([
        'Privileges: Take and remove snapshots: VMs cannot be replicated until the role has VirtualMachine.State.CreateSnapshot',
        'Privileges: Read disks and what changed on them: VMs cannot be replicated until the role has VirtualMachine.Provisioning.DiskRandomRead',
      ]),
    );
    await expect(snapshot()).rejects.toMatchObject({
      code: 'source.permission-denied',
      details: { privilege: 'VirtualMachine.State.CreateSnapshot' },
    });
    expect(await lab.leftovers()).toEqual([]);
  });

  it('leaves disks out that no snapshot contains, and names them before anything begins', async () => {
    const { world } = lab.rig;
    world.addDisk(lab.vm, new MemoryDisk(MIB), { mode: 'independent_persistent' });
    world.addDisk(lab.vm, new MemoryDisk(MIB), { rawDevice: 'physicalMode' });
    world.addDisk(lab.vm, new MemoryDisk(MIB), { sharing: 'sharingMultiWriter' });
    const told = ((await lab.platform.unsupportedDevices?.(lab.vmId, signal)) ?? []).join('\n');
    for (const part of [
      'Hard disk 3 is replicated only while the VM is off, because it is independent (independent_persistent): executions while the VM runs leave its volume unchanged',
      'Hard disk 4 is not replicated: it is a raw device mapping in physical mode',
      'Hard disk 5 is not replicated: it is shared with other VMs',
    ])
      expect(told).toContain(part);
    expect((await lab.platform.describeVm(lab.vmId, signal)).disks.map(({ id }) => id)).toEqual(lab.diskIds);
    const taken = await snapshot();
    expect(taken.disks.map(({ diskId }) => diskId)).toEqual(lab.diskIds);
    await lab.platform.discardSnapshot(taken, undefined, signal);
    lab.vm.disks.splice(0, 2);
    await expect(lab.platform.prepare(lab.vmId, {}, signal)).rejects.toMatchObject({ code: 'source.unsupported' });
  });

  it('replicates independent disks while the VM is off, and notices when it was started meanwhile', async () => {
    const { world } = lab.rig;
    const id = String(world.addDisk(lab.vm, new MemoryDisk(MIB), { mode: 'independent_persistent' }).key);
    await lab.write(2, 0, 65_536, 0x61);
    const running = await snapshot();
    expect(running.disks.map(({ diskId }) => diskId)).toEqual(lab.diskIds);
    expect(told()).toMatch(/Hard disk 3 is not replicated by this execution, because it is independent/);
    await lab.platform.discardSnapshot(running, undefined, signal);
    world.powerOff(lab.vm);
    expect((await lab.platform.describeVm(lab.vmId, signal)).disks.map((disk) => disk.id)).toEqual([
      ...lab.diskIds,
      id,
    ]);
    const base = await snapshot();
    expect(base.disks.map(({ diskId }) => diskId)).toEqual([...lab.diskIds, id]);
    const contentOf = async (of: Snapshot, before?: Snapshot): Promise<Buffer> => {
      const reader = await lab.platform.openDisk(of, id, before, signal);
      expect(reader.coverage).toBe('allocated');
      const { replica } = await readOnto(reader, undefined, signal);
      await reader.close();
      return replica;
    };
    expect(firstDifference(await contentOf(base), await lab.content(2))).toBeUndefined();
    await lab.platform.assertUnchanged(base, signal);
    await lab.platform.promoteToBase(base, undefined, signal);
    const next = await snapshot(base);
    expect(firstDifference(await contentOf(next, base), await lab.content(2))).toBeUndefined();
    expect(told()).toMatch(/changes of independent disks are not tracked/);
    world.powerOn(lab.vm);
    await expect(lab.platform.assertUnchanged(next, signal)).rejects.toMatchObject({
      code: 'source.changed-while-reading',
    });
    world.powerOff(lab.vm);
    await expect(lab.platform.assertUnchanged(next, signal)).rejects.toMatchObject({
      code: 'source.changed-while-reading',
      message: expect.stringContaining('it was started') as string,
    });
    await lab.platform.discardSnapshot(next, base, signal);
    expect(await lab.leftovers()).toEqual([]);
  });

  it('removes what an earlier execution of the same replica left, and nothing else', async () => {
    const text = (replica: string, execution: string): string =>
      `Temporary. managed-by=causeway replica=${replica} execution=${execution}`;
    await lab.rig.takeSnapshot(lab.vm, 'causeway-old', text('rep-1', 'exe-0'));
    const kept = [
      await lab.rig.takeSnapshot(lab.vm, 'causeway-other', text('rep-2', 'exe-0')),
      await lab.rig.takeSnapshot(lab.vm, 'causeway-like', 'by hand'),
    ];
    await lab.platform.prepare(lab.vmId, {}, signal);
    expect([...lab.vm.snapshots.keys()]).toEqual(kept);
    expect((await lab.platform.listManaged?.(signal))?.map(({ name, replicaId }) => [name, replicaId])).toEqual([
      ['causeway-other', 'rep-2'],
    ]);
    for (const id of kept) await lab.rig.removeSnapshot(lab.vm, id);
  });

  it.each(['snapshot', 'runtime.consolidationNeeded'])(
    'takes %s that it may not read for no answer, and not for nothing',
    async (path) => {
      const taken = await snapshot();
      lab.rig.world.hiddenProperties.add(path);
      const refused = { code: 'source.permission-denied', message: expect.stringContaining(path) as string };
      if (path === 'snapshot') {
        await expect(lab.platform.discardSnapshot(taken, undefined, signal)).rejects.toMatchObject(refused);
        expect(await lab.leftovers()).toHaveLength(1);
      }
      await expect(lab.platform.prepare(lab.vmId, {}, signal)).rejects.toMatchObject(refused);
      lab.rig.world.hiddenProperties.clear();
      await lab.platform.discardSnapshot(taken, undefined, signal);
      expect(await lab.leftovers()).toEqual([]);
    },
  );

  it('removes a snapshot again when the server has forgotten the first removal', async () => {
    const taken = await snapshot();
    lab.rig.world.forgottenRemovals = 2;
    await lab.platform.discardSnapshot(taken, undefined, signal);
    expect(await lab.leftovers()).toEqual([]);
    expect(called('RemoveSnapshot_Task')).toBe(3);
  });

  it('removes nothing of somebody else that has got the id of a recorded snapshot', async () => {
    const taken = await snapshot();
    await lab.platform.promoteToBase(taken, undefined, signal);
    const id = await lab.rig.takeSnapshot(lab.vm, 'by hand');
    const base = { ...taken, id, state: { ...taken.state, snapshot: id } };
    expect(await lab.platform.isAlive(base, signal)).toBe(false);
    await lab.platform.deleteBase(base, signal);
    const entry = {
      entryId: 'res-1',
      endpointId: 'ep-1',
      kind: 'source-snapshot',
      key: 'found',
      name: 'causeway-old',
      lifetime: 'temporary',
      state: 'existing',
      resourceId: id,
      createdAt: '',
      details: { vmId: lab.vmId, tag: 'old' },
    } as const;
    expect(await lab.platform.findResource?.(entry, signal)).toBeUndefined();
    const ledger = {
      release: (of: LedgerEntry, how: { remove(id: string, entry: LedgerEntry, signal: AbortSignal): Promise<void> }) =>
        how.remove(id, of, signal),
    } as unknown as LedgerScope;
    for (const details of [entry.details, { vmId: lab.vmId }, {}])
      await lab.platform.removeResource?.({ ...entry, details }, ledger, signal);
    expect([...lab.vm.snapshots.keys()]).toEqual([id]);
    await lab.rig.removeSnapshot(lab.vm, id);
  });

  it('tells whose snapshot each one is', async () => {
    const taken = await snapshot();
    expect(await lab.platform.listManaged?.(signal)).toMatchObject([
      { id: taken.id, entryId: taken.tag, replicaId: 'rep-1', owner: projectMark },
    ]);
    await lab.platform.discardSnapshot(taken, undefined, signal);
  });

  it('removes the snapshots of tracking that a killed process has left, with whatever else is released', async () => {
    const left = (replica: string, execution: string) =>
      lab.rig.takeSnapshot(
        lab.vm,
        `causeway-tracking-${execution}`,
        `Temporary. managed-by=causeway replica=${replica} execution=${execution}`,
      );
    const base = await snapshot();
    await lab.platform.promoteToBase(base, undefined, signal);
    const [other, former] = [await left('rep-2', 'exe-1'), await left('rep-1', 'exe-0')];
    const release: readonly (() => Promise<void> | undefined)[] = [
      () => lab.platform.discardPending?.({ vmId: lab.vmId, tag: 'never-taken' }, signal),
      () => lab.platform.discardSnapshot(base, undefined, signal),
    ];
    for (const action of release) {
      await left('rep-1', 'exe-1');
      await action();
      expect([...lab.vm.snapshots.keys()]).toEqual([other, former]);
    }
    // With the replica, everything of its executions goes.
    await lab.platform.deleteBase(base, signal);
    expect([...lab.vm.snapshots.keys()]).toEqual([other]);
    await lab.rig.removeSnapshot(lab.vm, other);
  });

  it('shuts the guest down by its tools, and says when it cannot', async () => {
    lab.vm.hasTools = false;
    await expect(lab.platform.shutdown?.(lab.vmId, {}, signal)).rejects.toMatchObject({
      code: 'source.shutdown-refused',
    });
    lab.vm.hasTools = true;
    await lab.platform.shutdown?.(lab.vmId, {}, signal);
    await lab.platform.shutdown?.(lab.vmId, {}, signal);
    expect([lab.vm.isRunning, called('ShutdownGuest')]).toEqual([false, 1]);
  });

  it('powers a VM on that it shut down, once, and says why when the server cannot', async () => {
    await lab.platform.shutdown?.(lab.vmId, {}, signal);
    lab.rig.faults.add({ operation: 'PowerOnVM_Task', effect: 'status-error' });
    await expect(lab.platform.start?.(lab.vmId, {}, signal)).rejects.toMatchObject({ code: 'life.source-not-started' });
    await lab.platform.start?.(lab.vmId, {}, signal);
    await lab.platform.start?.(lab.vmId, {}, signal);
    expect([lab.vm.isRunning, called('PowerOnVM_Task')]).toEqual([true, 2]);
  });

  it('lists everything page by page, with folder and cluster', async () => {
    const before = await lab.platform.listVms(signal);
    lab.rig.world.pageLimit = 1;
    expect(await lab.platform.listVms(signal)).toEqual(before);
    expect(before.map(({ name, folder, cluster }) => [name, folder, cluster])).toEqual([
      ['DC0_H0_VM0', 'DC0', 'DC0_H0'],
      ['DC0_C0_RP0_VM0', 'DC0', 'DC0_C0'],
    ]);
    expect(called('ContinueRetrievePropertiesEx')).toBeGreaterThan(5);
  });

  it('sends no password to a server whose certificate is not trusted', async () => {
    const { ca_certificate: _, ...connection } = lab.rig.connection;
    const source = createVsphereSource(
      connection,
      { scratchFolder: lab.rig.folder },
      { access: () => straightAccess(lab.rig.world) },
    );
    await expect(source.listVms(signal)).rejects.toMatchObject({ code: 'source.tls-refused' });
    await source.close();
    expect(lab.rig.calls).toEqual([]);
    const trusting = createVsphereSource({ ...connection, allow_untrusted: true }, { scratchFolder: lab.rig.folder });
    expect((await trusting.check(signal)).steps[0]).toMatchObject({ name: 'Verify certificates', outcome: 'warning' });
    await trusting.close();
    const mistaken = createVsphereSource(
      { ...lab.rig.connection, password: 'wrong' },
      { scratchFolder: lab.rig.folder },
    );
    await expect(mistaken.listVms(signal)).rejects.toMatchObject({ code: 'source.login-refused' });
    await mistaken.close();
  });

  describe('without the data ports of the hosts', () => {
    let exports: HttpsHost;
    beforeEach(async () => {
      const leases = new ExportLeases({
        origin: () => `https://${exports.host}:${exports.port}`,
        sslThumbprint: () => exports.sslThumbprint,
      });
      exports = await startHttpsHost(leases.handle);
      lab.rig.world.leases = leases;
      for (const port of lab.ports) await port.close();
      lab.ports.splice(0);
      await lab.write(0, 3 * MIB, 2 * MIB, 0x19);
    });
    afterEach(() => exports.stop());

    const overExport = () =>
      createVsphereSource(
        { ...lab.rig.connection, disk_access: 'export' },
        {
          scratchFolder: join(lab.rig.folder, 'export'),
          use: { replicaId: 'rep-1', executionId: 'exe-9', note: (message) => void lab.notes.push(message) },
        },
      );

    it('reads files of the datastore; where those cannot be read, a first copy by an export, and changes only where that was asked for', async () => {
      const base = await snapshot();
      const { replica } = await read(base);
      expect(firstDifference(replica, await lab.content(0))).toBeUndefined();
      expect(told()).toMatch(
        /read through files of the datastore .*because the data port of the host \(NFC\) cannot be used/,
      );
      await lab.platform.promoteToBase(base, undefined, signal);
      // On top of a foreign snapshot the disk is no flat file.
      const foreign = await lab.rig.takeSnapshot(lab.vm, 'by hand');
      await lab.write(0, MIB, 65_536, 0x29);
      const next = await snapshot(base);
      expect(firstDifference((await read(next)).replica, await lab.content(0))).toBeUndefined();
      expect(told()).toMatch(/received as a whole, from its beginning[^]*read through an export of the snapshot/);
      await expect(read(next, base, replica)).rejects.toMatchObject({
        code: 'source.host-unreachable',
        message: expect.stringMatching(
          /data port[^]*stands on an earlier snapshot[^]*an export sends whole disks[^]*Set disk_access/,
        ) as string,
      });
      const exporting = overExport();
      const reader = await exporting.openDisk(next, lab.diskIds[0] ?? '', base, signal);
      const result = await readOnto(reader, replica, signal);
      expect(firstDifference(result.replica, await lab.content(0))).toBeUndefined();
      expect(result).toMatchObject({ coverage: 'changed', dataBytes: 65_536 });
      expect(told()).toMatch(/received as a whole although only its changes are needed/);
      await exporting.close();
      expect(lab.rig.world.leases?.ends().every((end) => end !== undefined)).toBe(true);
      await lab.platform.promoteToBase(next, base, signal);
      await lab.rig.removeSnapshot(lab.vm, foreign);
    });
  });

  it.runIf(canRun('python3', 'python3-pyvmomi'))('speaks as a client of another make understands it', async () => {
    const certificate = join(lab.rig.folder, 'ca.pem');
    await writeFile(certificate, lab.rig.connection.ca_certificate ?? '');
    lab.rig.world.happen('VmRelocatedEvent', lab.vmId);
    const script = fileURLToPath(new URL('../rigs/virtualization-platform/read-with-pyvmomi.py', import.meta.url));
    const { host, port, username } = lab.rig.connection;
    const said: unknown = JSON.parse(
      await run(debianPython, [script, host, String(port), username, String(lab.rig.connection.password), certificate]),
    );
    expect(said).toMatchObject({
      vm: lab.vmId,
      consolidationNeeded: false,
      granted: true,
      events: ['vim.event.VmRelocatedEvent', 'vim.event.TaskEvent'],
      refused: expect.stringContaining('[LocalDS_0]') as string,
      disks: [
        { key: 2000, size: 16 * MIB, areas: [], changeId: expect.stringMatching(/\/1$/) as string },
        { key: 2001, size: 8 * MIB },
      ],
    });
  });
});

it('a single host is a source like a management server', async () => {
  const lab = await vsphereHarness({ singleHost: true });
  try {
    expect((await lab.platform.check(signal)).steps[0]?.evidence).toMatch(/a single host/);
    await lab.write(0, MIB, MIB, 0x21);
    const before = await lab.content(0);
    const taken = await lab.platform.createSnapshot({ vmId: lab.vmId, tag: 'one', environment: {} }, signal);
    const reader = await lab.platform.openDisk(taken, lab.diskIds[0] ?? '', undefined, signal);
    expect(firstDifference((await readOnto(reader, undefined, signal)).replica, before)).toBeUndefined();
    await reader.close();
    await lab.platform.promoteToBase(taken, undefined, signal);
    expect(await lab.leftovers()).toEqual([]);
  } finally {
    await lab.close();
  }
});
