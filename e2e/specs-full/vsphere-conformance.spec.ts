import { describeSourcePlatform } from '../conformance/source-platform.ts';
import { vsphereHarness } from '../rigs/virtualization-platform/source-harness.ts';

describeSourcePlatform('virtualization-platform', () => vsphereHarness());
