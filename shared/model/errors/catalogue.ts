import { awsErrors } from './aws.ts';
import { cloudErrors } from './cloud.ts';
import { deploymentErrors } from './deployment.ts';
import { engineErrors } from './engine.ts';
import type { ErrorText } from './error-text.ts';
import { fleetErrors } from './fleet.ts';
import { generalErrors } from './general.ts';
import { inventoryErrors } from './inventory.ts';
import { lifeErrors } from './life.ts';
import { notificationErrors } from './notifications.ts';
import { moverErrors } from './mover.ts';
import { openstackErrors } from './openstack.ts';
import { osmorphingErrors } from './osmorphing.ts';
import { replicationErrors } from './replication.ts';
import { secretsErrors } from './secrets.ts';
import { sourceErrors } from './source.ts';
import { storeErrors } from './store.ts';
import { trustErrors } from './trust.ts';
import { transportErrors } from './transport.ts';
import { vsphereNfcErrors } from './vsphere-nfc.ts';
import { vsphereErrors } from './vsphere.ts';
import { waveErrors } from './waves.ts';

/** Every error code with its text for people. The code is the interface; the text may change. */
export const errorCatalogue = {
  ...generalErrors,
  ...engineErrors,
  ...storeErrors,
  ...replicationErrors,
  ...sourceErrors,
  ...transportErrors,
  ...cloudErrors,
  ...openstackErrors,
  ...vsphereNfcErrors,
  ...vsphereErrors,
  ...awsErrors,
  ...secretsErrors,
  ...trustErrors,
  ...osmorphingErrors,
  ...deploymentErrors,
  ...lifeErrors,
  ...inventoryErrors,
  ...notificationErrors,
  ...waveErrors,
  ...moverErrors,
  ...fleetErrors,
} as const;

export type ErrorCode = keyof typeof errorCatalogue;

/** A code that is not in the catalogue, e.g. a newer version's that was checked nowhere, reads as a defect. */
export function errorText(code: ErrorCode): ErrorText {
  return Object.hasOwn(errorCatalogue, code) ? errorCatalogue[code] : errorCatalogue['general.bug'];
}
