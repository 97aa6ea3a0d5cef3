// needs: emulated machines
// lease: emulated guests
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { open, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { createCompartmentCloudDestination } from '../../electron/engine/platforms/compartment-cloud/destination/oci-destination.ts';
import type { DestinationPlatform, DestinationRun } from '../../electron/engine/ports/destination-platform.ts';
import { ledgerScope } from '../../electron/engine/store/ledger.ts';
import { openStore, type Store } from '../../electron/engine/store/store.ts';
import { connectWorker } from '../../electron/engine/transport/connect-worker.ts';
import { startWorkerWith } from '../../electron/engine/workers/attach-volumes.ts';
import { loginsOf, matchDevices } from '../../electron/engine/workers/match-devices.ts';
import type { Vm } from '../../shared/model/vm.ts';
import {
  compartmentCloudConnection,
  compartmentCloudContext,
  compartmentCloudEnvironment,
} from '../conformance/compartment-cloud-labs.ts';
import { closeAll } from '../rigs/closing.ts';
import { startCompartmentCloud, type CompartmentCloud } from '../rigs/compartment-cloud/start.ts';
import { hurriedClock } from '../rigs/hurried-clock.ts';
import { IscsiTargets } from '../rigs/machines/iscsi-targets.ts';
import { labMachines } from '../rigs/machines/kinds.ts';
import { resolveAddress } from '../rigs/machines/reachable-port.ts';
import { RigSsh } from '../rigs/rig-ssh.ts';

vi.setConfig({ testTimeout: 1_200_000, hookTimeout: 600_000 });

/** A volume that the compartment cloud attaches by iSCSI: targets of another make, and a worker with a kernel, a device manager and the usual tool. */
const signal = new AbortController().signal;
const gib = 2 ** 30;
const MiB = 2 ** 20;
const vm: Vm = {
  id: 'vm-1',
  name: 'db',
  os_type: 'linux',
  vcpus: 2,
  memory_mb: 2048,
  firmware: 'bios',
  disks: [
    { id: 'root', size_bytes: gib, bootable: true },
    { id: 'network', size_bytes: gib },
    { id: 'plugged', size_bytes: gib },
  ],
  nics: [{ id: 'n0', network: 'lan' }],
};

let folder: string;
let targets: IscsiTargets;
let cloud: CompartmentCloud;
let store: Store;
let platform: DestinationPlatform;
let run: DestinationRun;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'cw-iscsi-'));
  targets = await IscsiTargets.start(join(folder, 't'));
  cloud = await startCompartmentCloud({
    transitionMs: 2,
    portal: targets.portal,
    machines: labMachines({ worker: 'qemu', targets }),
  });
  store = openStore(folder, undefined, hurriedClock(20));
  platform = createCompartmentCloudDestination(compartmentCloudConnection(cloud), {
    ...compartmentCloudContext(10_000),
    resolveAddress,
  });
  run = {
    replicaId: 'replica',
    executionId: 'execution',
    vm,
    note: () => undefined,
    environment: {
      ...compartmentCloudEnvironment(cloud),
      migr_image_map: { linux: 'Debian-12' },
      storage_mappings: { default: 'iscsi', disk_mappings: [{ disk_id: 'plugged', destination: 'paravirtualized' }] },
    },
    ledger: ledgerScope(store.ledger, { endpointId: 'endpoint', replicaId: 'replica', executionId: 'execution' }),
  };
});
afterAll(() =>
  closeAll(
    () => platform?.close(),
    () => cloud?.close(),
    () => targets?.close(),
    () => store?.close(),
    () => rmSync(folder, { recursive: true, force: true }),
  ),
);

/** What systemd does in the platform's images as they start. */
const startServices = [
  'set -e',
  'mkdir -p /run/udev/rules.d && cp /opt/udev/rules.d/* /run/udev/rules.d/',
  'ln -s /opt/udev/udevadm /run/systemd-udevd && /run/systemd-udevd --daemon',
  'modprobe -a sd_mod iscsi_tcp',
  'echo InitiatorName=iqn.1993-08.org.debian:01:lab > /etc/iscsi/initiatorname.iscsi',
  'iscsid',
].join('\n');

it('logs in with the secret, finds the disk by its path, and has every written byte on the volume', async () => {
  const volumes = await platform.ensureVolumes(run, vm.disks.slice(1), signal);
  const worker = await startWorkerWith(platform, run, 'disk-copy', volumes, signal);
  const keyPath = join(folder, 'key');
  await writeFile(keyPath, worker.privateKeyPem, { mode: 0o600 });
  const ssh = new RigSsh({ host: worker.host, port: worker.sshPort, user: worker.username, keyPath });
  // The specs beside this one may leave an emulated machine little of the processors.
  await ssh.waitUntilUp();
  await ssh.text('sudo sh', { input: startServices });

  const session = await connectWorker(worker, 'SSH', {}, signal);
  const [login] = loginsOf(worker.attached);
  const secret = login?.secret ?? '';
  expect(secret).not.toBe('');
  const refused = await session.devices(signal, [{ ...login!, secret: 'another-secret-1' }]).then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(refused).toMatchObject({ code: 'transport.login-failed' });
  expect(JSON.stringify(refused)).not.toContain('another-secret-1');
  // The daemon closes what it refused a moment after its answer.
  await expect.poll(() => targets.sessions()).toEqual([]);

  const devices = await session.devices(signal, [login!]);
  expect(await targets.sessions()).toEqual([login?.target]);
  const matched = await matchDevices(worker.attached, devices);
  expect(volumes.map(({ id }) => matched.get(id)?.path)).toEqual(['/dev/sda', '/dev/vda']);
  // Another time there is nothing to log in to.
  expect(await session.devices(signal, [login!])).toEqual(devices);
  // Not all there is can be read: the status says nothing.
  const filesWith = async (text: string) =>
    (await ssh.execute(`sudo grep -rlsF -e ${text} /etc /var /run /tmp /root`)).stdout;
  expect(await filesWith(login?.target ?? '')).toContain('/etc/iscsi/nodes/');
  expect(await filesWith(`${secret} -e another-secret-1`)).toBe('');

  const written = [
    { at: 0, bytes: randomBytes(MiB) },
    { at: 700 * MiB + 4096, bytes: randomBytes(2 * MiB) },
    { at: 50 * gib - MiB, bytes: randomBytes(MiB) },
  ];
  for (const [index, volume] of volumes.entries()) {
    const target = await session.open(matched.get(volume.id)!, signal);
    for (const { at, bytes } of written) await target.write(at, Buffer.from(bytes.map((byte) => byte ^ index)), signal);
    await target.zero(700 * MiB + 4096, MiB, signal);
    await target.flush(signal);
    await target.close();
  }
  await session.close();

  for (const [index, { id }] of volumes.entries()) {
    await using file = await open(cloud.volumePath(id));
    for (const { at, bytes } of written) {
      const wanted = Buffer.from(bytes.map((byte) => byte ^ index));
      if (at === 700 * MiB + 4096) wanted.fill(0, 0, MiB);
      const found = (await file.read(Buffer.alloc(bytes.length), 0, bytes.length, at)).buffer;
      expect(found.equals(wanted), `${id} at ${at}`).toBe(true);
    }
  }
  await platform.stopWorker(run, 'disk-copy', signal);
  expect(await targets.sessions()).toEqual([]);
  await platform.deleteVolumes(run, signal);
  expect(cloud.world.leftovers()).toEqual([]);
  expect([...new Set(cloud.violations)]).toEqual([]);
});
