// Volumes that are attached to VMs on which engines run, where devices are told by other things than serials.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { AttachedVolume, DestinationRun } from '../../electron/engine/ports/destination-platform.ts';
import { isOwnVmAttachment } from '../../electron/engine/ports/own-vm.ts';
import { ledgerScope } from '../../electron/engine/store/ledger.ts';
import { openStore } from '../../electron/engine/store/store.ts';
import { systemClock } from '../../electron/engine/time/clock.ts';
import { connectWorker } from '../../electron/engine/transport/connect-worker.ts';
import { hasDeviceOf, matchDevices } from '../../electron/engine/workers/match-devices.ts';
import { awaitNewDevices, tryOut } from '../../electron/engine/workers/new-devices.ts';
import { destinationLab as classicMachines, ownVmLab as classicLab } from '../conformance/classic-cloud-labs.ts';
import {
  destinationLab as compartmentMachines,
  ownVmLab as compartmentLab,
} from '../conformance/compartment-cloud-labs.ts';
import { describeOwnVm } from '../conformance/own-vm.ts';
import {
  destinationLab as resourceGroupMachines,
  ownVmLab as resourceGroupLab,
} from '../conformance/resource-group-cloud-labs.ts';
import { hurriedClock } from '../rigs/hurried-clock.ts';
import { canRun } from '../../scripts/test/needs.ts';

describeOwnVm('resource-group-cloud', resourceGroupLab);
describeOwnVm('compartment-cloud', compartmentLab);
describeOwnVm('classic-infrastructure-cloud', classicLab);

describe.runIf(canRun('native workers'))('the agent on a VM that runs', () => {
  it.each([
    ['resource-group-cloud', resourceGroupMachines],
    ['compartment-cloud', compartmentMachines],
    ['classic-infrastructure-cloud', classicMachines],
  ] as const)(
    'finds the devices of volumes of %s, writes to them, and has them no longer when they were taken back',
    async (_name, startLab) => {
      const signal = AbortSignal.timeout(170_000);
      const lab = await startLab('machines');
      const folder = mkdtempSync(join(tmpdir(), 'causeway-own-vm-devices-'));
      const store = openStore(folder, undefined, hurriedClock(20));
      const platform = lab.open();
      const run: DestinationRun = {
        replicaId: 'replica',
        executionId: 'execution',
        vm: lab.vm,
        environment: lab.environment,
        note: () => undefined,
        ledger: ledgerScope(store.ledger, { endpointId: 'endpoint', replicaId: 'replica', executionId: 'execution' }),
      };
      try {
        const volumes = await platform.ensureVolumes(run, lab.vm.disks, signal);
        // A machine of the lab, which stands for a VM of a user's: nothing is asked of it but that it runs.
        const machine = await platform.startWorker(run, 'disk-copy', signal);
        const agent = await connectWorker(machine, 'SSH', {}, signal);
        const before = await agent.devices(signal);
        const attached: AttachedVolume[] = [];
        // Not in the order of the disks.
        for (const volume of volumes.toReversed())
          attached.push({
            volume,
            identity: await platform.ownVm!.attachVolume(run, machine.workerId, volume, signal),
          });
        const wait = {
          look: (within: AbortSignal) => agent.devices(within),
          plan: { deadlineMs: 20_000, firstMs: 100, capMs: 500 },
          clock: systemClock,
        };
        const paired = await awaitNewDevices(attached, before, wait, signal);
        const devices = await matchDevices(paired, await agent.devices(signal));
        expect([...devices.keys()].toSorted()).toEqual(volumes.map(({ id }) => id).toSorted());
        for (const { id, sizeBytes } of volumes) {
          const device = devices.get(id)!;
          expect(Math.floor(device.sizeBytes / 2 ** 30)).toBe(await lab.volumeGib(id));
          expect(device.sizeBytes).toBeGreaterThanOrEqual(sizeBytes);
          const writer = await agent.open(device, signal);
          await writer.write(0, Buffer.from(id), signal);
          await writer.flush(signal);
          const back = Buffer.alloc(id.length);
          await writer.read(0, back, signal);
          await writer.close();
          expect(back.toString()).toBe(id);
        }
        const detach = async () => {
          for (const entry of run.ledger.list().filter(isOwnVmAttachment))
            await platform.removeResource(entry, run.ledger, signal);
        };
        await detach();
        expect(hasDeviceOf(attached, await agent.devices(signal))).toBe(false);
        // This machine is the one that they are attached to, and it is seen.
        const [first] = volumes;
        expect(
          await tryOut(
            async () => ({
              volume: first!,
              identity: await platform.ownVm!.attachVolume(run, machine.workerId, first!, signal),
            }),
            detach,
            wait,
            signal,
          ),
        ).toBeUndefined();
        // What appears beside one is refused with it: it may be of anybody.
        const alone = await agent.devices(signal);
        const two = await Promise.all(
          volumes.slice(0, 2).map(async (volume) => ({
            volume,
            identity: await platform.ownVm!.attachVolume(run, machine.workerId, volume, signal),
          })),
        );
        await expect(awaitNewDevices(two.slice(0, 1), alone, wait, signal)).rejects.toThrowError(
          /1 volume was attached, and 2 devices appeared/,
        );
        await detach();
        await agent.close();
        await platform.stopWorker(run, 'disk-copy', signal);
        await platform.deleteVolumes(run, signal);
        expect([run.ledger.list(), lab.violations()]).toEqual([[], []]);
      } finally {
        await platform.close();
        store.close();
        await lab.close();
        rmSync(folder, { recursive: true, force: true });
      }
    },
  );
});
