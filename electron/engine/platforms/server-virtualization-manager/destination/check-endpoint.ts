import { counted, runChecks } from '../../../endpoint-checks/run-checks.ts';
import type { CheckReport } from '../../../ports/platform-common.ts';
import { signInChecks } from '../client/sign-in-checks.ts';
import type { Manager } from '../client/open-manager.ts';
import { isTemplate } from './environment.ts';

/** Signs in, then lists what a destination needs. Changes nothing. */
export function checkEndpoint(manager: Manager, signal: AbortSignal): Promise<CheckReport> {
  return runChecks(
    [
      ...signInChecks(manager),
      counted('server pools', (within) => manager.serverPools.list(within)),
      counted('repositories', (within) => manager.repositories.list(within)),
      counted('networks', (within) => manager.networks.list(within)),
      {
        name: 'List templates',
        essential: false,
        async run(within) {
          const { length } = (await manager.vms.list(within)).filter(isTemplate);
          return length > 0
            ? `${length} found`
            : { warning: 'no template found: workers are cloned from a Linux template' };
        },
      },
    ],
    signal,
  );
}
