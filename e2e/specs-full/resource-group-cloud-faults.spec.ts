import { describeDestinationPlatform } from '../conformance/destination-platform.ts';
import { destinationLab } from '../conformance/resource-group-cloud-labs.ts';

describeDestinationPlatform('resource-group-cloud', () => destinationLab());
