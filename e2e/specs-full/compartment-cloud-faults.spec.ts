import { vi } from 'vitest';
import { destinationLab } from '../conformance/compartment-cloud-labs.ts';
import { describeDestinationPlatform } from '../conformance/destination-platform.ts';

// A boot volume alone is some thirty calls, of which each that goes wrong is waited for: on a machine with other work that takes minutes.
vi.setConfig({ testTimeout: 600_000 });
describeDestinationPlatform('compartment-cloud', () => destinationLab('records'));
