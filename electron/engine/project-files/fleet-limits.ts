import { join } from 'node:path';
import { fleetLimitsSchema, type FleetLimits } from '../../../shared/model/fleet.ts';
import { readProjectFile, stableText, writeProjectFile } from './named-files.ts';

/** In the project folder, and shared with the fleet. */
export const limitsFile = 'fleet-limits.json';

/** How many executions may use something at the same time. @throws CausewayError `general.invalid-input` when the file is damaged */
export function readFleetLimits(projectFolder: string): FleetLimits {
  return readProjectFile(join(projectFolder, limitsFile), fleetLimitsSchema, 'general.invalid-input') ?? {};
}

export function writeFleetLimits(projectFolder: string, limits: FleetLimits): void {
  writeProjectFile(join(projectFolder, limitsFile), stableText(limits));
}
