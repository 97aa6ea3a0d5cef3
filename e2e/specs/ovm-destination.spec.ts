import { describeDeploymentPlatform } from '../conformance/deployment-platform.ts';
import { describeDestinationPlatform } from '../conformance/destination-platform.ts';
import { deploymentLab, destinationLab } from '../conformance/ovm-labs.ts';

describeDestinationPlatform('server-virtualization-manager', destinationLab);
describeDeploymentPlatform('server-virtualization-manager', deploymentLab, { faults: 2, crashes: 1 });
