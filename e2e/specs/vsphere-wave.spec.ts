import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { usualHostLimits } from '../../electron/engine/platforms/virtualization-platform/nfc/host-slots.ts';
import { createVsphereSource } from '../../electron/engine/platforms/virtualization-platform/source/index.ts';
import { firstDifference, readOnto } from '../conformance/read-snapshot.ts';
import { hurriedClock } from '../rigs/hurried-clock.ts';
import { MemoryDisk } from '../rigs/virtualization-platform/backing.ts';
import { startNfcServer, type NfcServer } from '../rigs/virtualization-platform/nfc-server/nfc-server.ts';
import { startVsphere } from '../rigs/virtualization-platform/start.ts';
import type { RigVm } from '../rigs/virtualization-platform/world.ts';

const signal = new AbortController().signal;
/** More for each host than it serves at a time. */
const disksOfVm = 6;
const diskBytes = 256 * 1024;

it('30 VMs of three hosts are read in one wave within what their hosts allow: disks wait, and none is refused', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'causeway-vsphere-wave-'));
  // In a host of its own, and in a cluster.
  const rig = await startVsphere({ machines: 15 });
  const ports: NfcServer[] = [];
  const notes: string[] = [];
  try {
    const hostIds = [...rig.hosts.keys()].slice(0, 3);
    for (const [index, hostId] of hostIds.entries()) {
      const port = await startNfcServer({ host: `127.0.0.${index + 2}`, disks: rig.world });
      ports.push(port);
      rig.world.dataPorts.set(hostId, { host: port.host, port: port.port, sslThumbprint: port.thumbprint });
    }
    const vms = rig.vms.slice(0, 30);
    expect(vms).toHaveLength(30);
    for (const [index, vm] of vms.entries()) {
      vm.hostId = hostIds[index % hostIds.length] ?? '';
      for (let disk = 0; disk < disksOfVm; disk += 1) {
        rig.world.addDisk(vm, new MemoryDisk(diskBytes));
        rig.world.memory(vm, disk).write(0, randomBytes(diskBytes));
      }
    }
    const execute = async (vm: RigVm): Promise<void> => {
      const source = createVsphereSource(
        rig.connection,
        {
          scratchFolder: join(folder, vm.id),
          use: { replicaId: `rep-${vm.id}`, executionId: `exe-${vm.id}`, note: (message) => void notes.push(message) },
        },
        {
          clock: hurriedClock(5),
          random: () => 0.5,
          backOff: { attempts: 6, firstMs: 5, capMs: 100 },
        },
      );
      try {
        await source.prepare(vm.id, {}, signal);
        const taken = await source.createSnapshot({ vmId: vm.id, tag: `wave-${vm.id}`, environment: {} }, signal);
        await Promise.all(
          taken.disks.map(async ({ diskId }, index) => {
            const reader = await source.openDisk(taken, diskId, undefined, signal);
            try {
              expect(
                firstDifference(
                  (await readOnto(reader, undefined, signal)).replica,
                  rig.world.memory(vm, index).content,
                ),
                `disk ${diskId} of ${vm.name}`,
              ).toBeUndefined();
            } finally {
              await reader.close();
            }
          }),
        );
        await source.promoteToBase(taken, undefined, signal);
      } finally {
        await source.close();
      }
    };
    await Promise.all(vms.map(execute));
    for (const { state } of ports) {
      expect(state.opened).toHaveLength((vms.length / ports.length) * disksOfVm);
      expect(state.mostConnections).toBeLessThanOrEqual(usualHostLimits.connections);
      expect(state.mostReads).toBeLessThanOrEqual(usualHostLimits.reads);
      expect(state.violations).toEqual([]);
    }
    // More than one VM of a host at a time, or the wave would be a queue.
    expect(Math.max(...ports.map(({ state }) => state.mostConnections))).toBeGreaterThan(disksOfVm);
    expect(notes.filter((note) => /was lost|Trying again/.test(note))).toEqual([]);
    expect(vms.flatMap(({ snapshots }) => [...snapshots.keys()])).toEqual([]);
    expect(rig.world.problems).toEqual([]);
  } finally {
    for (const port of ports) await port.close();
    await rig.close();
    await rm(folder, { recursive: true, force: true });
  }
});
