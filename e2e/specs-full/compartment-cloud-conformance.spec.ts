import { deploymentLab, destinationLab } from '../conformance/compartment-cloud-labs.ts';
import { describeDeploymentPlatform } from '../conformance/deployment-platform.ts';
import { describeDestinationPlatform } from '../conformance/destination-platform.ts';

// Its calls go wrong one by one in the full tier.
describeDestinationPlatform('compartment-cloud with machines', () => destinationLab('machines'), 'machines');
describeDeploymentPlatform('compartment-cloud', () => deploymentLab(), { faults: 3, crashes: 2 });
