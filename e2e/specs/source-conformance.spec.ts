import { diskImagesHarness } from '../conformance/disk-images-harness.ts';
import { qemuHarness } from '../conformance/qemu-harness.ts';
import { describeSourcePlatform } from '../conformance/source-platform.ts';

describeSourcePlatform('disk-images', diskImagesHarness);
describeSourcePlatform('qemu-hypervisor', () => qemuHarness());
describeSourcePlatform('qemu-hypervisor (backup jobs, for QEMU before 7.1)', () => qemuHarness({ fleecing: 'job' }));
