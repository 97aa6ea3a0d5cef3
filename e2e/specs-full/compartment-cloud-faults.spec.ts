import { destinationLab } from '../conformance/compartment-cloud-labs.ts';
import { describeDestinationPlatform } from '../conformance/destination-platform.ts';

// Every call going wrong takes too long for the usual tier: a boot volume alone is some thirty calls.
describeDestinationPlatform('compartment-cloud', () => destinationLab('records'));
