import { connectAgentHere } from '../../electron/engine/transport/agent-here.ts';
import { describe, expect, it } from 'vitest';
import { describeSourcePlatform } from '../conformance/source-platform.ts';
import { knownMachines, startOwnInstance } from '../rigs/large-public-cloud/own-vm.ts';
import { awsHarness } from '../rigs/large-public-cloud/source-harness.ts';
import { labMachines, usualWorkerKind } from '../rigs/machines/kinds.ts';
import { resolveAddress } from '../rigs/machines/reachable-port.ts';

const asked = {
  connection: { disk_access: 'worker', caller_address: '127.0.0.0/8' },
  environment: { migr_image_map: { linux: 'ami-0a1b2c3d4e5f60718' }, worker_instance_type: 't3.medium' },
  source: { resolveAddress },
};

describeSourcePlatform(
  'large-public-cloud (worker)',
  () => awsHarness({ ...asked, cloud: { machines: labMachines({ worker: usualWorkerKind }) } }),
  { faults: 1, crashes: 1 },
);

function onOwnVm() {
  const { machines, known } = knownMachines();
  return awsHarness({
    ...asked,
    cloud: { machines },
    async ownVm({ world }) {
      const { vmId, agentHere } = await startOwnInstance(world, known(), 'mover');
      return {
        vmId,
        vmName: 'mover',
        lease: () => true,
        giveBack: () => undefined,
        connect: (signal) =>
          connectAgentHere({ purpose: `${vmId} rep-1 source`, epoch: 0, ...agentHere, isRoot: false }, signal),
      };
    },
  });
}

// In there, only native workers can be entered.
if (usualWorkerKind === 'native') {
  describeSourcePlatform('large-public-cloud (a VM that the engine runs on)', onOwnVm, { faults: 3, crashes: 4 });

  describe('a VM that the engine runs on', () => {
    it('is in the place of a worker', async () => {
      const harness = await onOwnVm();
      try {
        const signal = new AbortController().signal;
        const snapshot = await harness.platform.createSnapshot(
          { vmId: harness.vmId, tag: 'here', environment: harness.environment },
          signal,
        );
        for (const id of harness.diskIds)
          await (await harness.platform.openDisk(snapshot, id, undefined, signal)).close();
        expect(harness.cloud.calls.map(({ operation }) => operation)).not.toContain('RunInstances');
        expect(harness.notes).toContainEqual(expect.stringContaining('attached to VM mover of the source'));
        await harness.platform.discardSnapshot(snapshot, undefined, signal);
        expect(await harness.leftovers()).toEqual([]);
      } finally {
        await harness.close();
      }
    });
  });
}
