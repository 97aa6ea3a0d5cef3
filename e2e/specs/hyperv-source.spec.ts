import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { readMachines } from '../../electron/engine/inventory/read-machines.ts';
import type { LedgerEntry, LedgerScope } from '../../electron/engine/ports/ledger.ts';
import type { Snapshot, SourcePlatform } from '../../electron/engine/ports/source-platform.ts';
import { readOnto } from '../conformance/read-snapshot.ts';
import { makeAuthority } from '../rigs/windows-hypervisor/authority.ts';
import {
  hypervHarness,
  type HypervHarness,
  type HypervHarnessOptions,
} from '../rigs/windows-hypervisor/source-harness.ts';

const MIB = 2 ** 20;
const signal = new AbortController().signal;

describe('Hyper-V', () => {
  let lab: HypervHarness;
  let tags = 0;
  const start = async (options: HypervHarnessOptions = {}): Promise<void> => void (lab = await hypervHarness(options));
  afterEach(() => lab.close());

  const snapshot = (base?: Snapshot, environment = lab.environment): Promise<Snapshot> =>
    lab.platform.createSnapshot(
      { vmId: lab.vmId, tag: `tag-${(tags += 1)}`, environment, ...(base === undefined ? {} : { base }) },
      signal,
    );
  const coverage = async (taken: Snapshot, base: Snapshot | undefined, disk = 0): Promise<string> => {
    const reader = await lab.platform.openDisk(taken, lab.diskIds[disk] ?? '', base, signal);
    await reader.close();
    return reader.coverage;
  };
  const promoted = async (base?: Snapshot): Promise<Snapshot> => {
    const taken = await snapshot(base);
    await lab.platform.promoteToBase(taken, base, signal);
    return taken;
  };

  it('describes VMs as the cmdlets do, and names what is not replicated', async () => {
    await start();
    const { facts } = lab.vm;
    facts.drives.push(
      { controller: 'scsi', number: 1, location: 0, path: '', physicalDisk: 3, isShared: false },
      { controller: 'scsi', number: 1, location: 1, path: 'D:\\shared.vhds', physicalDisk: null, isShared: true },
    );
    facts.hasTpm = true;
    facts.devices.push('a PCI device');
    expect(await lab.platform.describeVm(lab.vmId, signal)).toMatchObject({
      name: 'web-01',
      os_type: 'linux',
      firmware: 'uefi',
      secure_boot: true,
      vcpus: 2,
      memory_mb: 2048,
      disks: [
        { id: lab.diskIds[0], size_bytes: 16 * MIB, storage_backend: 'D:', bus: 'scsi', bootable: true },
        { id: lab.diskIds[1], bootable: false },
      ],
      nics: [{ network: 'External VLAN 20', mac_address: '00:15:5d:01:0a:0b', ip_addresses: ['192.0.2.10'] }],
    });
    expect(await lab.platform.unsupportedDevices?.(lab.vmId, signal)).toEqual([
      expect.stringMatching(/^Disk SCSI 1:0 is physical disk 3/),
      expect.stringMatching(/^Disk SCSI 1:1 is a VHD set/),
      expect.stringMatching(/PCI device/),
      expect.stringMatching(/virtual TPM/),
    ]);
    expect(await lab.platform.listVms(signal)).toMatchObject([
      { name: 'web-01', power: 'running', diskCount: 2, totalBytes: 24 * MIB, cluster: '127.0.0.1' },
    ]);
    facts.isShielded = true;
    await expect(lab.platform.prepare(lab.vmId, {}, signal)).rejects.toMatchObject({
      code: 'source.unsupported',
      message: expect.stringContaining('shielded') as string,
    });
    facts.isShielded = false;
    facts.state = 'saved';
    await expect(lab.platform.prepare(lab.vmId, {}, signal)).rejects.toMatchObject({ code: 'source.vm-busy' });
    expect(await lab.leftovers()).toEqual([]);
  });

  it('takes a crash-consistent checkpoint only where the environment allows it, as text or boolean; of a VM that is off always', async () => {
    await start();
    lab.vm.facts.hasIntegrationServices = false;
    for (const refused of [
      {},
      { fallback_to_crash_consistent_snapshots: 'no' },
      { fallback_to_crash_consistent_snapshots: false },
    ]) {
      await expect(snapshot(undefined, refused)).rejects.toMatchObject({ code: 'source.guest-not-ready' });
    }
    expect(await lab.leftovers()).toEqual([]);
    for (const allowed of ['Yes', true]) {
      const taken = await snapshot(undefined, { fallback_to_crash_consistent_snapshots: allowed });
      await lab.platform.discardSnapshot(taken, undefined, signal);
    }
    expect(lab.notes.filter((note) => note.includes('crash-consistent'))).toHaveLength(2);
    lab.vm.facts.state = 'off';
    await lab.platform.discardSnapshot(await snapshot(undefined, {}), undefined, signal);
  });

  it('verifies the certificate of the RCT service unless verify_rct_server says no', async () => {
    await start();
    const taken = await snapshot(undefined, { verify_rct_server: 'yes' });
    await expect(coverage(taken, undefined)).rejects.toMatchObject({ code: 'cloud.certificate-not-trusted' });
    expect((await lab.platform.check(signal)).steps.find(({ name }) => name === 'Read disks')).toMatchObject({
      outcome: 'warning',
      evidence: expect.stringContaining('verify_rct_server') as string,
    });
    await lab.platform.discardSnapshot(taken, undefined, signal);
  });

  it('keeps one reference point between executions, and waits for merges', async () => {
    await start();
    const first = await promoted();
    expect([lab.vm.referencePoints.length, lab.vm.checkpoints.length, lab.vm.merging]).toEqual([1, 0, 0]);
    const second = await promoted(first);
    expect(lab.vm.referencePoints).toHaveLength(1);
    const third = await snapshot(second);
    expect(await coverage(third, second)).toBe('changed');
    await lab.platform.discardSnapshot(third, second, signal);
    await lab.platform.deleteBase(second, signal);
    expect(await lab.leftovers()).toEqual([]);
  });

  it.each([
    [
      'the host lost power',
      ({ takenAt }: Snapshot): void =>
        void lab.rig.world.history.set('127.0.0.1', { powerLosses: [new Date(Date.parse(takenAt) + 1).toISOString()] }),
      /lost power/,
    ],
    [
      'the account may not read whether the host lost power',
      (): void =>
        void lab.rig.world.history.set('127.0.0.1', { problem: 'Attempted to perform an unauthorized operation.' }),
      /not known: Attempted/,
    ],
    [
      'a node of the cluster is down, where the VM may have been',
      (): void => {
        lab.rig.world.clusterName = 'CL1';
        lab.rig.world.nodesDown.push('HV2');
      },
      /node HV2 of the cluster is down/,
    ],
    [
      'the reference point is gone',
      (): void => lab.vm.removeReferencePoint(lab.vm.referencePoints[0]?.id ?? ''),
      /reference point .* is gone/,
    ],
    [
      'the disk was moved',
      (): void => void lab.vm.disks.forEach((disk) => (disk.path = disk.path.replace('D:', 'E:'))),
      /was moved/,
    ],
    [
      'Windows does not know the id',
      (): void => lab.vm.disks.forEach((disk) => disk.resetTracking()),
      /does not know what changed/,
    ],
  ])('compares the whole disk, and says why, when %s', async (_what, happens, why) => {
    await start();
    const base = await promoted();
    happens(base);
    await lab.write(0, 3 * MIB, MIB, 0x77);
    const taken = await snapshot(base);
    const reader = await lab.platform.openDisk(taken, lab.diskIds[0] ?? '', base, signal);
    const { replica } = await readOnto(reader, undefined, signal);
    await reader.close();
    expect(reader.coverage).toBe('allocated');
    expect(replica.equals(await lab.content(0))).toBe(true);
    expect(lab.notes.filter((note) => why.test(note)).length).toBeGreaterThan(0);
    await lab.platform.promoteToBase(taken, base, signal);
    lab.rig.world.history.clear();
    lab.rig.world.nodesDown.length = 0;
    const next = await snapshot(taken);
    expect(await coverage(next, taken)).toBe('changed');
    await lab.platform.discardSnapshot(next, taken, signal);
  });

  it('goes on with changes where people take checkpoints, and compares the disk where they apply or remove one', async () => {
    await start();
    const [disk] = lab.vm.disks;
    if (disk === undefined) throw new Error('no disk');
    const root = disk.path;
    const file = (number: number): string =>
      root.replace('.vhdx', `_0000000${number}-0000-4000-8000-000000000000.avhdx`);
    const next = async (path: string, chain: readonly string[], base?: Snapshot): Promise<Snapshot> => {
      Object.assign(disk, { path, chain });
      return snapshot(base);
    };
    const first = await next(file(1), [root]);
    await lab.platform.promoteToBase(first, undefined, signal);
    const second = await next(file(2), [file(1), root], first);
    expect(await coverage(second, first)).toBe('changed');
    await lab.platform.promoteToBase(second, first, signal);
    const applied = await next(file(3), [root], second);
    expect([await coverage(applied, second), await coverage(applied, second, 1)]).toEqual(['allocated', 'changed']);
    expect(lab.notes.join('\n')).toMatch(/disk SCSI 0:0 no longer builds on the file/);
    await lab.platform.discardSnapshot(applied, second, signal);
  });

  it('lists the other VMs when one cannot be read, and says why it cannot; boots from what its boot order says', async () => {
    await start();
    lab.vm.facts.bootsFrom = 'SCSI 0:1';
    const sick = lab.rig.world.addVm('broken-\u00e9\u{1f4a5}');
    sick.facts.problem = 'Generic failure';
    expect((await lab.platform.listVms(signal)).map(({ name, diskCount }) => [name, diskCount])).toEqual([
      ['web-01', 2],
      ['broken-\u00e9\u{1f4a5}', 0],
    ]);
    expect((await lab.platform.describeVm(lab.vmId, signal)).disks.map(({ bootable }) => bootable)).toEqual([
      false,
      true,
    ]);
    expect((await lab.platform.check(signal)).steps.find(({ name }) => name === 'List VMs')).toMatchObject({
      outcome: 'warning',
      evidence: expect.stringContaining('cannot be read: Generic failure') as string,
    });
    await expect(lab.platform.describeVm(sick.id, signal)).rejects.toMatchObject({
      code: 'source.request-refused',
      message: expect.stringContaining('Generic failure') as string,
    });
  });

  it('tries a conversion again that failed, and compares whole disks the next time when it goes on failing', async () => {
    await start();
    const failing = async (times: number, base?: Snapshot): Promise<Snapshot> => {
      const taken = await snapshot(base);
      let left = times;
      lab.rig.effects = ({ name }) =>
        name === 'Send convert-checkpoint' && (left -= 1) >= 0 ? 'fails-later' : 'serve';
      await lab.platform.promoteToBase(taken, base, signal);
      lab.rig.effects = () => 'serve';
      return taken;
    };
    const first = await failing(1);
    const second = await failing(3, first);
    expect([lab.vm.checkpoints, lab.vm.referencePoints]).toEqual([[], []]);
    expect(lab.notes.join('\n')).toMatch(
      /could not be converted to a reference point .* the next execution compares whole disks/,
    );
    const third = await snapshot(second);
    expect(await coverage(third, second)).toBe('allocated');
    await lab.platform.discardSnapshot(third, second, signal);
    // The first one was converted by the second attempt.
    expect(lab.notes.filter((note) => note.includes('could not be converted'))).toHaveLength(1);
  });

  it('lists what the other nodes have when one is down and one does not answer, and names both', async () => {
    await start({ nodes: ['127.0.0.1', '127.0.0.2', '127.0.0.3'], nodePatienceMs: 1000 });
    Object.assign(lab.rig.world, { clusterName: 'CL1', nodesDown: ['HV9'] });
    lab.rig.world.addVm('db-01', '127.0.0.3');
    lab.rig.effects = ({ node }) => (node === '127.0.0.2' ? 'never-answer' : 'serve');
    const { machines, failed } = await readMachines(lab.platform, undefined, signal);
    expect(machines.map(({ vm }) => vm.name).sort()).toEqual(['db-01', 'web-01']);
    expect(failed.map(({ name, error }) => [name, error.code, error.message])).toEqual([
      ['HV9', 'source.unreachable', expect.stringContaining('node HV9 of the cluster is down')],
      ['127.0.0.2', 'source.unreachable', expect.stringContaining('did not answer within 1 s')],
    ]);
    const listing = (await lab.platform.check(signal)).steps.find(({ name }) => name === 'List VMs');
    expect(listing).toMatchObject({
      outcome: 'warning',
      evidence: expect.stringMatching(
        /^2 VMs on 2 hosts.*node HV9 of the cluster is down.*node 127\.0\.0\.2 cannot be managed/,
      ) as string,
    });
    // Nobody waits for it again, and what is on no node may be on that one.
    const before = lab.rig.calls.length;
    await expect(lab.platform.describeVm('11111111-2222-4333-8444-555555555555', signal)).rejects.toMatchObject({
      code: 'source.unreachable',
      message: expect.stringContaining('127.0.0.2') as string,
    });
    expect(lab.rig.calls.slice(before).filter(({ node }) => node === '127.0.0.2')).toEqual([]);
  });

  it('finds a VM on the node that it has moved to, and compares its disks', async () => {
    await start({ nodes: ['127.0.0.1', '127.0.0.2'] });
    lab.rig.world.clusterName = 'CL1';
    const base = await promoted();
    expect(await lab.platform.listVms(signal)).toMatchObject([{ cluster: 'CL1' }]);
    lab.vm.node = '127.0.0.2';
    const taken = await snapshot(base);
    expect(await coverage(taken, base)).toBe('allocated');
    expect(lab.notes.join('\n')).toMatch(/has moved from host 127\.0\.0\.1 to 127\.0\.0\.2/);
    lab.vm.node = '127.0.0.1';
    await lab.platform.promoteToBase(taken, base, signal);
    expect(lab.vm.checkpoints).toEqual([]);
    // A node that nobody can reach hides no VM of another one, but a VM that is nowhere else may be there.
    lab.rig.world.nodes.splice(1, 0, '127.0.0.9');
    lab.vm.node = '127.0.0.2';
    const later = lab.reopen();
    expect((await later.describeVm(lab.vmId, signal)).name).toBe('web-01');
    lab.vm.node = '127.0.0.9';
    await expect(later.describeVm(lab.vmId, signal)).rejects.toMatchObject({ code: 'source.unreachable' });
    await later.close();
  });

  it('uses a checkpoint that an earlier process took and could not name, and removes it when that is given up', async () => {
    await start();
    lab.rig.effects = ({ name }) => (name === 'Send take-checkpoint' ? 'cut-before' : 'serve');
    await expect(
      lab.platform.createSnapshot({ vmId: lab.vmId, tag: 'cut', environment: {} }, signal),
    ).rejects.toMatchObject({ code: 'source.connection-lost' });
    lab.rig.effects = () => 'serve';
    const { id } = lab.vm.takeCheckpoint();
    const later = lab.reopen();
    expect((await later.createSnapshot({ vmId: lab.vmId, tag: 'cut', environment: {} }, signal)).id).toBe(id);
    await later.discardPending?.({ vmId: lab.vmId, tag: 'cut' }, signal);
    await later.close();
    expect(await lab.leftovers()).toEqual([]);
  });

  it('never takes the checkpoint of another program for its own, however a call ended before it', async () => {
    await start();
    lab.rig.effects = ({ name }) => (name === 'Send take-checkpoint' ? 'cut-before' : 'serve');
    for (const tag of ['again', 'given-up'])
      await expect(lab.platform.createSnapshot({ vmId: lab.vmId, tag, environment: {} }, signal)).rejects.toMatchObject(
        { code: 'source.connection-lost' },
      );
    lab.rig.effects = () => 'serve';
    // A backup that began an hour later.
    const foreign = lab.vm.takeCheckpoint(new Date(Date.now() + 3_600_000).toISOString());
    await lab.platform.discardPending?.({ vmId: lab.vmId, tag: 'given-up' }, signal);
    const taken = await lab.platform.createSnapshot({ vmId: lab.vmId, tag: 'again', environment: {} }, signal);
    expect(taken.id).not.toBe(foreign.id);
    await lab.platform.discardSnapshot(taken, undefined, signal);
    expect(lab.vm.checkpoints).toEqual([foreign]);
    // Of two that are new, nobody knows which one is whose.
    const later = lab.reopen();
    lab.rig.effects = ({ name }) => (name === 'Send take-checkpoint' ? 'cut-before' : 'serve');
    await expect(later.createSnapshot({ vmId: lab.vmId, tag: 'two', environment: {} }, signal)).rejects.toMatchObject({
      code: 'source.connection-lost',
    });
    lab.rig.effects = () => 'serve';
    const both = [lab.vm.takeCheckpoint(), lab.vm.takeCheckpoint()];
    await expect(later.createSnapshot({ vmId: lab.vmId, tag: 'two', environment: {} }, signal)).rejects.toMatchObject({
      code: 'source.vm-busy',
    });
    await later.discardPending?.({ vmId: lab.vmId, tag: 'two' }, signal);
    expect(lab.vm.checkpoints).toEqual([foreign, ...both]);
    await later.close();
  });

  it('never takes the reference point of another program for that of its checkpoint, whose moment is an earlier one', async () => {
    await start();
    const taken = await snapshot();
    // Somebody removes the checkpoint, and another program makes a reference point.
    lab.vm.removeCheckpoint(taken.id);
    const foreign = lab.vm.takeCheckpoint();
    lab.vm.convert(foreign.id);
    await lab.write(0, 3 * MIB, MIB, 0x55);
    await lab.platform.promoteToBase(taken, undefined, signal);
    const next = await snapshot(taken);
    expect(await coverage(next, taken)).toBe('allocated');
    await lab.platform.discardSnapshot(next, taken, signal);
    await lab.platform.deleteBase(taken, signal);
    expect(lab.vm.referencePoints).toHaveLength(1);
  });

  it('leaves checkpoints of other programs alone, and removes those of its own replica that an execution has left', async () => {
    await start();
    lab.vm.takeCheckpoint();
    const left = await snapshot();
    const entry: LedgerEntry = {
      entryId: 'e',
      endpointId: 'end-1',
      kind: 'source-snapshot',
      key: 'k',
      name: left.tag,
      lifetime: 'temporary',
      state: 'existing',
      details: { vmId: lab.vmId, tag: left.tag },
      createdAt: left.takenAt,
    };
    expect((await lab.platform.findResource?.(entry, signal))?.id).toBe(left.id);
    expect(await lab.platform.listManaged?.(signal)).toMatchObject([
      { kind: 'source-snapshot', id: left.id, replicaId: 'rep-1', details: { vmId: lab.vmId } },
    ]);
    const next = lab.nextExecution();
    await next.prepare(lab.vmId, {}, signal);
    expect(await lab.leftovers()).toHaveLength(1);
    expect(lab.notes.join('\n')).toMatch(/left by an earlier execution[\s\S]*of another program/);
    const release = {
      release: async (of: LedgerEntry, how: Parameters<LedgerScope['release']>[1]) => how.remove('gone', of, signal),
    } as unknown as LedgerScope;
    await next.removeResource?.(entry, release, signal);
    await next.close();
  });

  it('signs in by Basic where nothing else is offered, and sends no password to a host with another certificate', async () => {
    await start({ authentication: 'basic', connection: { authentication: 'auto' } });
    expect(
      (await lab.platform.check(signal)).steps.find(({ name }) => name === 'Sign in and run PowerShell'),
    ).toMatchObject({ outcome: 'passed' });
    const { actions } = lab.rig.hosts[0] ?? { actions: [] };
    const before = actions.length;
    await lab.close();
    await start({ connection: { certificate_sha256: ['ab'.repeat(32)] } });
    expect((await lab.platform.check(signal)).steps).toMatchObject([
      { outcome: 'failed', code: 'source.tls-refused' },
      { outcome: 'skipped' },
    ]);
    expect([before > 0, lab.rig.hosts[0]?.requests()]).toEqual([true, 0]);
  });

  it('trusts an authority for the certificates of hosts, for the names that they are made for, and signs in bound to them', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'causeway-hyperv-authority-'));
    try {
      const issue = await makeAuthority(folder);
      const first = async (): Promise<unknown> =>
        (await lab.platform.check(signal)).steps.find(({ name }) => name === 'Sign in and run PowerShell');
      const trusting = { certificate_sha256: undefined, ca_certificate: issue.authority };
      await start({ certificate: await issue('IP:127.0.0.1'), connection: trusting });
      expect(await first()).toMatchObject({ outcome: 'passed' });
      await lab.close();
      await start({ certificate: await issue('DNS:other.example.com'), connection: trusting });
      expect([await first(), lab.rig.hosts[0]?.requests()]).toMatchObject([
        { outcome: 'failed', code: 'source.tls-refused' },
        0,
      ]);
      await lab.close();
      await start({ connection: trusting });
      expect([await first(), lab.rig.hosts[0]?.requests()]).toMatchObject([
        { outcome: 'failed', code: 'source.tls-refused' },
        0,
      ]);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('shows no password by Basic to a host that it cannot verify, unless told to, and names a port without TLS', async () => {
    await start({
      authentication: 'basic',
      connection: { authentication: 'auto', certificate_sha256: undefined, allow_untrusted: true },
    });
    const step = async (platform: SourcePlatform): Promise<unknown> =>
      (await platform.check(signal)).steps.find(({ name }) => name === 'Sign in and run PowerShell');
    expect(await step(lab.platform)).toMatchObject({
      outcome: 'failed',
      code: 'source.login-refused',
      evidence: expect.stringContaining('offers only Basic') as string,
    });
    const plain = createServer((_request, response) => void response.end());
    await new Promise<void>((resolve) => plain.listen(0, '127.0.0.1', resolve));
    const [told, elsewhere] = [
      lab.open({ authentication: 'basic' }),
      lab.open({ port: (plain.address() as AddressInfo).port }),
    ];
    try {
      expect(await step(told)).toMatchObject({ outcome: 'passed' });
      expect(await step(elsewhere)).toMatchObject({
        outcome: 'failed',
        code: 'source.unreachable',
        evidence: expect.stringContaining('does not speak TLS') as string,
      });
    } finally {
      for (const platform of [told, elsewhere]) await platform.close();
      plain.closeAllConnections();
      await new Promise((resolve) => plain.close(resolve));
    }
  });

  it('says in the check what a host lacks', async () => {
    await start();
    lab.rig.world.history.set('127.0.0.1', { problem: 'Attempted to perform an unauthorized operation.' });
    expect((await lab.platform.check(signal)).steps.find(({ name }) => name === 'Read the event log')).toMatchObject({
      outcome: 'warning',
      evidence: expect.stringContaining('Event Log Readers') as string,
    });
    const kerberos = lab.open({ authentication: 'kerberos' });
    expect((await kerberos.check(signal)).steps[0]).toMatchObject({
      outcome: 'failed',
      code: 'transport.kerberos-unavailable',
      evidence: expect.stringContaining('127.0.0.1 is an address: a domain knows its hosts by name') as string,
    });
    await kerberos.close();
    lab.rig.world.languageMode = 'ConstrainedLanguage';
    const restricted = lab.reopen();
    expect((await restricted.check(signal)).steps[0]).toMatchObject({
      outcome: 'failed',
      code: 'source.host-restricted',
      evidence: expect.stringContaining('ConstrainedLanguage mode') as string,
    });
    await restricted.close();
    await lab.close();
    await start();
    lab.rig.world.hostFacts['build'] = 9600;
    const { steps, passed } = await lab.platform.check(signal);
    expect(passed).toBe(false);
    expect(steps.find(({ name }) => name === 'Find Hyper-V')).toMatchObject({
      outcome: 'failed',
      code: 'source.unsupported',
    });
    expect(lab.platform.policy?.().flatMap(({ privileges }) => privileges)).toContain(
      'BUILTIN\\Hyper-V Administrators',
    );
  });

  it('shuts a guest down by its integration services, and waits until it is off', async () => {
    await start();
    await lab.platform.shutdown?.(lab.vmId, {}, signal);
    expect(lab.vm.facts.state).toBe('off');
  });
});
