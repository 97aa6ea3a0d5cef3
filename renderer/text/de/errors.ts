import type { ErrorWords } from '../catalogue.ts';
import { cloudErrors } from './errors-cloud.ts';
import { deploymentErrors } from './errors-deployment.ts';
import { engineErrors } from './errors-engine.ts';
import { fleetErrors } from './errors-fleet.ts';
import { generalErrors } from './errors-general.ts';
import { notificationErrors } from './errors-notifications.ts';
import { moverErrors } from './errors-mover.ts';
import { osmorphingErrors } from './errors-osmorphing.ts';
import { replicationErrors } from './errors-replication.ts';
import { secretsErrors } from './errors-secrets.ts';
import { sourceErrors } from './errors-source.ts';
import { storeErrors } from './errors-store.ts';
import { transportErrors } from './errors-transport.ts';
import { trustErrors } from './errors-trust.ts';
import { virtualizationPlatformErrors } from './errors-virtualization-platform.ts';
import { wavesErrors } from './errors-waves.ts';

/** German texts of the error catalogue. A code that is not here is shown in English. */
export const germanErrors: Readonly<Record<string, ErrorWords>> = {
  ...cloudErrors,
  ...deploymentErrors,
  ...engineErrors,
  ...generalErrors,
  ...notificationErrors,
  ...moverErrors,
  ...fleetErrors,
  ...osmorphingErrors,
  ...replicationErrors,
  ...secretsErrors,
  ...sourceErrors,
  ...storeErrors,
  ...transportErrors,
  ...trustErrors,
  ...virtualizationPlatformErrors,
  ...wavesErrors,
};

export function germanErrorWords(code: string, english: ErrorWords): ErrorWords {
  return germanErrors[code] ?? english;
}
