import { runChecks } from '../../../endpoint-checks/run-checks.ts';
import type { CheckReport } from '../../../ports/platform-common.ts';
import type { Classic } from '../client/open-classic.ts';
import { endpointChecks } from '../cloud/endpoint-checks.ts';

/** Tries, in order, everything that a migration will need of an endpoint, without changing anything there. */
export function checkEndpoint(classic: Classic, signal: AbortSignal): Promise<CheckReport> {
  return runChecks(
    endpointChecks(classic, [
      ['volumes', (s) => classic.storage.volumes(s)],
      ['instances', (s) => classic.compute.instances(s)],
      ['shapes', (s) => classic.compute.shapes(s)],
      ['image lists', (s) => classic.compute.imageLists(s)],
      ['IP networks', (s) => classic.network.ipNetworks(s)],
      ['security lists', (s) => classic.network.security('seclist', s)],
      ['address reservations', (s) => classic.network.reservations(s)],
    ]),
    signal,
  );
}
