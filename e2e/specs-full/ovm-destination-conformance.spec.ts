import { describeDeploymentPlatform } from '../conformance/deployment-platform.ts';
import { describeDestinationPlatform } from '../conformance/destination-platform.ts';
import { deploymentLab, destinationLab } from '../conformance/ovm-labs.ts';

// Its calls go wrong one by one in the full tier.
describeDestinationPlatform(
  'server-virtualization-manager with machines',
  () => destinationLab('machines'),
  'machines',
);
describeDeploymentPlatform('server-virtualization-manager', deploymentLab, { faults: 3, crashes: 2 });
