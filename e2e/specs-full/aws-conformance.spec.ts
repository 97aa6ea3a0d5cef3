import { describeSourcePlatform } from '../conformance/source-platform.ts';
import { awsHarness } from '../rigs/large-public-cloud/source-harness.ts';

describeSourcePlatform('large-public-cloud', () => awsHarness(), { faults: 2, crashes: 1 });
