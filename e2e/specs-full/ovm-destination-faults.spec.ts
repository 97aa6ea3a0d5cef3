import { describeDestinationPlatform } from '../conformance/destination-platform.ts';
import { destinationLab } from '../conformance/ovm-labs.ts';

describeDestinationPlatform('server-virtualization-manager', () => destinationLab('records'));
