import { deploymentLab, destinationLab } from '../conformance/classic-cloud-labs.ts';
import { describeDeploymentPlatform } from '../conformance/deployment-platform.ts';
import { describeDestinationPlatform } from '../conformance/destination-platform.ts';

// Its calls go wrong one by one in the full tier.
describeDestinationPlatform('classic-infrastructure-cloud with machines', () => destinationLab('machines'), 'machines');
describeDeploymentPlatform('classic-infrastructure-cloud', deploymentLab, { faults: 3, crashes: 2 });
