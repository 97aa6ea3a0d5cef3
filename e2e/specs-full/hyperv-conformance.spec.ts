import { describeSourcePlatform } from '../conformance/source-platform.ts';
import { hypervHarness } from '../rigs/windows-hypervisor/source-harness.ts';

describeSourcePlatform('windows-hypervisor', () => hypervHarness());
