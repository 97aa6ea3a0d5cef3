import { deploymentLab, destinationLab } from '../conformance/compartment-cloud-labs.ts';
import { describeDeploymentPlatform } from '../conformance/deployment-platform.ts';
import { describeDestinationPlatform } from '../conformance/destination-platform.ts';

describeDestinationPlatform('compartment-cloud', () => destinationLab('records'));
// Deployments from clones are in the usual tier.
describeDeploymentPlatform('compartment-cloud with backups', () => deploymentLab({ deployment_copies: 'backups' }), {
  faults: 2,
  crashes: 1,
});
