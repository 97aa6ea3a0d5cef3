import { describeSourcePlatform } from '../conformance/source-platform.ts';
import { ovmHarness } from '../rigs/server-virtualization-manager/source-harness.ts';

describeSourcePlatform('server-virtualization-manager', () => ovmHarness(), { faults: 2, crashes: 1 });
