import { describeSourcePlatform } from '../conformance/source-platform.ts';
import { labMachines } from '../rigs/machines/kinds.ts';
import { ovmHarness } from '../rigs/server-virtualization-manager/source-harness.ts';

describeSourcePlatform(
  'server-virtualization-manager (worker)',
  () => ovmHarness({ hasExporter: false, machines: labMachines({ worker: 'user' }) }),
  { faults: 1, crashes: 1 },
);
