import { describeSourcePlatform } from '../conformance/source-platform.ts';
import { awsHarness } from '../rigs/large-public-cloud/source-harness.ts';
import { labMachines, usualWorkerKind } from '../rigs/machines/kinds.ts';
import { resolveAddress } from '../rigs/machines/reachable-port.ts';

describeSourcePlatform('large-public-cloud (worker)', () => awsHarness({
  cloud: { machines: labMachines({ worker: usualWorkerKind }) },
  connection: { disk_access: 'worker', caller_address: '127.0.0.0/8' },
  environment: { migr_image_map: { linux: 'ami-0a1b2c3d4e5f60718' }, worker_instance_type: 't3.medium' },
  source: { resolveAddress },
}), { faults: 1, crashes: 1 });
