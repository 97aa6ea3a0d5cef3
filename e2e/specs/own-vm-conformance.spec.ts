// Volumes that are attached to VMs on which engines run, where devices are told by other things than serials.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { AttachedVolume, DestinationRun } from '../../electron/engine/ports/destination-platform.ts';
import { isOwnVmAttachment } from '../../electron/engine/ports/own-vm.ts';
import { ledgerScope } from '../../electron/engine/store/ledger.ts';
import { openStore } from '../../electron/engine/store/store.ts';
import { connectWorker } from '../../electron/engine/transport/connect-worker.ts';
import { hasDeviceOf, matchDevices } from '../../electron/engine/workers/match-devices.ts';
import { destinationLab as classicMachines, ownVmLab as classicLab } from '../conformance/classic-cloud-labs.ts';
import { destinationLab as compartmentMachines, ownVmLab as compartmentLab } from '../conformance/compartment-cloud-labs.ts';
import { describeOwnVm } from '../conformance/own-vm.ts';
import { destinationLab as resourceGroupMachines, ownVmLab as resourceGroupLab } from '../conformance/resource-group-cloud-labs.ts';
import { hurriedClock } from '../rigs/hurried-clock.ts';

describeOwnVm('resource-group-cloud', resourceGroupLab);
describeOwnVm('compartment-cloud', compartmentLab);
describeOwnVm('classic-infrastructure-cloud', classicLab);

describe.runIf(process.geteuid?.() === 0)('the agent on a VM that runs', () => {
  it.each([
    ['resource-group-cloud', resourceGroupMachines], ['compartment-cloud', compartmentMachines], ['classic-infrastructure-cloud', classicMachines],
  ] as const)('finds the devices of volumes of %s, writes to them, and has them no longer when they were taken back', async (_name, startLab) => {
    const signal = AbortSignal.timeout(170_000);
    const lab = await startLab('machines');
    const folder = mkdtempSync(join(tmpdir(), 'causeway-own-vm-devices-'));
    const store = openStore(folder, undefined, hurriedClock(20));
    const platform = lab.open();
    const run: DestinationRun = {
      replicaId: 'replica', executionId: 'execution', vm: lab.vm, environment: lab.environment, note: () => undefined,
      ledger: ledgerScope(store.ledger, { endpointId: 'endpoint', replicaId: 'replica', executionId: 'execution' }),
    };
    try {
      const volumes = await platform.ensureVolumes(run, lab.vm.disks, signal);
      // A machine of the lab, which stands for a VM of a user's: nothing is asked of it but that it runs.
      const machine = await platform.startWorker(run, 'disk-copy', signal);
      const agent = await connectWorker(machine, 'SSH', {}, signal);
      const notAmong = (await agent.devices(signal)).map(({ path }) => path);
      const attached: AttachedVolume[] = [];
      // Not in the order of the disks.
      for (const volume of volumes.toReversed()) attached.push({ volume, identity: await platform.ownVm!.attachVolume(run, machine.workerId, volume, signal), notAmong });
      const devices = await matchDevices(attached, await agent.devices(signal));
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
      for (const entry of run.ledger.list().filter(isOwnVmAttachment)) await platform.removeResource(entry, run.ledger, signal);
      expect(hasDeviceOf(attached, await agent.devices(signal))).toBe(false);
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
  }, 180_000);
});
