import { describeSourcePlatform } from '../conformance/source-platform.ts';
import { azureHarness } from '../rigs/resource-group-cloud/source-harness.ts';

describeSourcePlatform('resource-group-cloud', () => azureHarness(), { faults: 3, crashes: 2 });
