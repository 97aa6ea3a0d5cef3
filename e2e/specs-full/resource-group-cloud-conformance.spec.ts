import { describeDeploymentPlatform } from '../conformance/deployment-platform.ts';
import { describeDestinationPlatform } from '../conformance/destination-platform.ts';
import { deploymentLab, destinationLab } from '../conformance/resource-group-cloud-labs.ts';

// Its calls go wrong one by one in the full tier.
describeDestinationPlatform('resource-group-cloud with machines', () => destinationLab('machines'), 'machines');
describeDeploymentPlatform('resource-group-cloud', deploymentLab, { faults: 3, crashes: 2 });
