import { vi } from 'vitest';
import { deploymentLab, destinationLab } from '../conformance/compartment-cloud-labs.ts';
import { describeDeploymentPlatform } from '../conformance/deployment-platform.ts';
import { describeDestinationPlatform } from '../conformance/destination-platform.ts';

// A boot volume alone is some thirty calls, of which each that goes wrong is waited for: on a machine with other work that takes minutes.
vi.setConfig({ testTimeout: process.env['CAUSEWAY_ALL_FAULTS'] === '1' ? 3_600_000 : 600_000 });
describeDestinationPlatform('compartment-cloud', () => destinationLab('records'));
// Deployments from clones are in the usual tier.
describeDeploymentPlatform('compartment-cloud with backups', () => deploymentLab({ deployment_copies: 'backups' }), { faults: 2, crashes: 1 });
