import { diskImagesHarness } from '../conformance/disk-images-harness.ts';
import { qemuHarness } from '../conformance/qemu-harness.ts';
import { describeSourcePlatform } from '../conformance/source-platform.ts';

describeSourcePlatform('disk-images', diskImagesHarness);
describeSourcePlatform('qemu-hypervisor', () => qemuHarness());
// The usual tier has these jobs in qemu-hypervisor.spec.ts.
if (process.env['CAUSEWAY_EVERY_STEP'] === '1' || process.env['CAUSEWAY_ALL_FAULTS'] === '1')
  describeSourcePlatform('qemu-hypervisor (backup jobs, for QEMU before 7.1)', () => qemuHarness({ fleecing: 'job' }));
