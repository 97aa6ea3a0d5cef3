import { vsphereHarness } from '../rigs/virtualization-platform/source-harness.ts';
import { describeSourcePlatform } from '../conformance/source-platform.ts';

describeSourcePlatform('virtualization-platform', () => vsphereHarness());
