// needs: native workers, slirp4netns
import { X509Certificate } from 'node:crypto';
import { chmod, mkdir, open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ExecutionDetail } from '../../shared/model/execution.ts';
import { closeAll } from '../rigs/closing.ts';
import { ExportLeases } from '../rigs/virtualization-platform/export-lease/export-leases.ts';
import { startGuestLab, type GuestLab } from '../rigs/virtualization-platform/guest-lab.ts';
import { startHttpsHost } from '../rigs/virtualization-platform/https-host.ts';
import { buildStandIn, vddkPlugin } from '../rigs/virtualization-platform/vendor-library/vddk-plugin.ts';
import { VsphereWorld } from '../rigs/virtualization-platform/world.ts';

// An emulated system that boots, and one for each deployment: minutes of processor time, so that it runs when it is asked for.
const isAskedFor = process.env['CAUSEWAY_FULL_CHAIN'] === '1';
const minute = 60_000;
const MiB = 2 ** 20;

describe.runIf(isAskedFor)('a guest that runs on QEMU, presented as a VM of the virtualization platform', () => {
  let on: GuestLab;
  const closing: (() => Promise<void>)[] = [];

  beforeAll(async () => {
    on = await startGuestLab({ outbound: true });
  }, 20 * minute);
  afterAll(() => closeAll(...closing, () => on?.close()));

  /** Writes mebibytes to the second disk, from a place on. */
  const write = (count: number, at: number) =>
    on.guest.ssh.text(
      `dd if=/dev/urandom of=${on.device} bs=1M count=${count} seek=${at} oflag=direct status=none; sync`,
    );
  /** That the second disk has arrived whole, having cost its changes and little more. */
  async function expectSent(replica: string, execution: ExecutionDetail, bytes: number): Promise<void> {
    expect(execution).toMatchObject({ state: 'completed', leftBehind: 0 });
    const crossed = await on.sent(execution);
    expect(crossed['2001']).toBeGreaterThanOrEqual(bytes);
    expect(crossed['2001']).toBeLessThanOrEqual(1.1 * bytes);
    expect(await on.lab.difference(replica, { 2001: on.dataDisk })).toBeUndefined();
    expect([on.vm.snapshots.size, on.rig.world.problems]).toEqual([0, []]);
  }
  async function expectMoved(replica: string): Promise<void> {
    const late = await on.guest.ssh.text(
      'head -c 3000000 /dev/urandom > /srv/data/late && sync && sha256sum < /srv/data/late',
    );
    expect(await on.lab.execute(replica)).toMatchObject({ state: 'completed', leftBehind: 0 });
    const { deployment, ssh } = await on.deploy(replica);
    expect(deployment).toMatchObject({ leftBehind: 0, boot: { outcome: 'up' } });
    const shown = await ssh.text('hostname; sha256sum < /srv/data/late; findmnt -no SOURCE /', {
      timeoutMs: 3 * minute,
    });
    expect(shown.split('\n')).toEqual(['source-vm', late, '/dev/vda1']);
    await on.lab.use((core) => core.call('deployment.delete', { deployment: deployment.id, dryRun: false }));
  }

  describe('through the data ports of its hosts', () => {
    it(
      'is replicated in full, and then by what it has changed',
      async () => {
        await on.addEndpoint('vcenter');
        await on.createReplica('guest', 'vcenter');
        expect(await on.lab.execute('guest', { verify: 'all' })).toMatchObject({ state: 'completed', leftBehind: 0 });
        expect(on.vm.isTracked).toBe(true);
        await write(2, 20);
        await expectSent('guest', await on.lab.execute('guest'), 2 * MiB);
      },
      20 * minute,
    );

    it(
      'costs nothing but a repeated read when its host falls silent within one, and it is on another host and the session has ended when the connection breaks',
      async () => {
        const { rig, vm, ports } = on;
        await write(8, 30);
        const hostIds = [...rig.hosts.keys()];
        const otherId = hostIds.find((id) => id !== vm.hostId) ?? '';
        const [from, to] = [ports[hostIds.indexOf(vm.hostId)], ports[hostIds.indexOf(otherId)]];
        if (from === undefined || to === undefined) throw new Error('a host has no data port');
        const openedBefore = to.state.opened.length;
        from.faults.add({ kind: 'silence', afterBytes: MiB, times: 1 });
        const engine = on.lab.start('guest');
        // The host stops in the middle of what was asked for: from here on nothing moves until the connection breaks.
        await expect.poll(() => from.faults.find('silence'), { timeout: 5 * minute, interval: 250 }).toBeUndefined();
        rig.world.expireSessions();
        rig.world.move(vm, otherId);
        from.dropAll();
        const execution = await engine.ended;
        if (execution === undefined) throw new Error('the engine ended before its execution');
        await expectSent('guest', execution, 8 * MiB);
        expect(to.state.opened.length).toBeGreaterThan(openedBefore);
        expect(await on.told(execution)).toMatch(/was lost while/);
      },
      20 * minute,
    );

    it(
      'is compared after a reset of tracking, and only what differs is sent',
      async () => {
        await write(1, 50);
        on.rig.world.resetTracking(on.vm);
        const execution = await on.lab.execute('guest');
        await expectSent('guest', execution, MiB);
        expect(await on.told(execution)).toMatch(/change tracking was reset since the last execution/);
      },
      20 * minute,
    );

    it('is deployed, boots and answers with the data that it had last', () => expectMoved('guest'), 40 * minute);
  });

  it.each([
    ['datastore_files', /files of the datastore/, async () => ({})],
    ['export', /an export of the snapshot/, serveExports],
    ['vendor_library', /the vendor's library/, installLibrary],
  ] as const)(
    'through %s, is replicated, deployed, boots and answers as well',
    async (access, way, setUp) => {
      await on.addEndpoint(access, { disk_access: access, ...(await setUp()) });
      await on.createReplica(access, access);
      const first = await on.lab.execute(access, { verify: 'all' });
      expect(first).toMatchObject({ state: 'completed', leftBehind: 0 });
      expect(await on.told(first)).toMatch(way);
      await write(1, 10);
      await expectSent(access, await on.lab.execute(access), MiB);
      await expectMoved(access);
    },
    60 * minute,
  );

  async function serveExports(): Promise<object> {
    const leases: ExportLeases = new ExportLeases({
      origin: () => `https://${host.host}:${host.port}`,
      sslThumbprint: () => host.sslThumbprint,
    });
    const host = await startHttpsHost(leases.handle);
    closing.push(() => host.stop());
    on.rig.world.leases = leases;
    return {};
  }

  /** The stand-in for the vendor's library, which serves what each snapshot has frozen, and nbdkit as it is where the library's plugin is installed. */
  async function installLibrary(): Promise<object> {
    const { world, connection } = on.rig;
    const [library, images, programs] = ['library', 'library/images', 'programs'].map((name) =>
      join(on.folder, name),
    ) as [string, string, string];
    for (const made of [library, images, programs]) await mkdir(made);
    const imageOf = (key: number): string => join(images, `${key}.raw`);
    const freeze = world.freeze.bind(world);
    world.freeze = async (vm, snapshotId) => {
      await freeze(vm, snapshotId);
      for (const { disk, content } of vm.snapshots.get(snapshotId) ?? []) {
        const image = await open(imageOf(disk.key), 'w');
        await image.truncate(content.sizeBytes);
        for (const { offset, length, kind } of await content.allocated()) {
          for (let at = offset; kind === 'data' && at < offset + length; at += 4 * MiB)
            await image.write(await content.read(at, Math.min(4 * MiB, offset + length - at)), 0, undefined, at);
        }
        await image.close();
      }
    };
    await buildStandIn(library, '8.0.2', {
      log: join(library, 'calls.log'),
      user: connection.username,
      password: String(connection.password),
      thumbprint: new X509Certificate(connection.ca_certificate ?? '').fingerprint,
      disks: Object.fromEntries(on.vm.disks.map((disk) => [VsphereWorld.link(disk, 0), imageOf(disk.key)])),
    });
    const nbdkit = join(programs, 'nbdkit');
    await writeFile(
      nbdkit,
      `#!/bin/sh\nfor word; do shift; [ "$word" = vddk ] && word=${await vddkPlugin()}; set -- "$@" "$word"; done\nexec /usr/bin/nbdkit "$@"\n`,
    );
    await chmod(nbdkit, 0o755);
    const path = process.env['PATH'];
    process.env['PATH'] = `${programs}:${path ?? ''}`;
    closing.push(async () => void (process.env['PATH'] = path));
    return { disk_library_folder: library };
  }
});
