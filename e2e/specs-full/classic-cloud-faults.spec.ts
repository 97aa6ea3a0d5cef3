import { destinationLab } from '../conformance/classic-cloud-labs.ts';
import { describeDestinationPlatform } from '../conformance/destination-platform.ts';
import { describeSourcePlatform } from '../conformance/source-platform.ts';
import { classicSourceHarness } from '../rigs/classic-infrastructure-cloud/source-harness.ts';
import { labMachines, usualWorkerKind } from '../rigs/machines/kinds.ts';
import { resolveAddress } from '../rigs/machines/reachable-port.ts';

describeDestinationPlatform('classic-infrastructure-cloud', () => destinationLab('records'));
describeSourcePlatform(
  'classic-infrastructure-cloud',
  () =>
    classicSourceHarness({
      cloud: { machines: labMachines({ worker: usualWorkerKind }) },
      connection: { caller_address: '127.0.0.0/8' },
      context: { resolveAddress },
    }),
  { faults: 1, crashes: 1 },
);
