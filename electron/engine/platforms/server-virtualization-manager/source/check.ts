import { toErrorRecord } from '../../../../../shared/model/causeway-error.ts';
import { counted, runChecks } from '../../../endpoint-checks/run-checks.ts';
import type { CheckReport } from '../../../ports/platform-common.ts';
import type { Manager } from '../client/open-manager.ts';
import { nameOfObject } from '../client/shapes.ts';
import { signInChecks } from '../client/sign-in-checks.ts';

/** Signs in, then reads what a source needs, and says on which servers there is an exporter. Changes nothing. */
export function checkSource(manager: Manager, signal: AbortSignal): Promise<CheckReport> {
  return runChecks(
    [
      ...signInChecks(manager),
      counted('VMs', async (within) =>
        (await manager.vms.list(within)).filter(({ vmRunState }) => vmRunState !== 'TEMPLATE'),
      ),
      counted('repositories', (within) => manager.repositories.list(within)),
      {
        name: 'List templates',
        essential: false,
        async run(within) {
          const { length } = (await manager.vms.list(within)).filter(({ vmRunState }) => vmRunState === 'TEMPLATE');
          return length > 0
            ? `${length} found`
            : {
                warning:
                  'no template found: without an exporter service, disks are read by a worker, which is cloned from a template',
              };
        },
      },
      counted('networks', (within) => manager.networks.list(within)),
      { name: 'Connect to exporters', essential: false, run: (within) => exporters(manager, within) },
    ],
    signal,
  );
}

async function exporters(manager: Manager, signal: AbortSignal): Promise<string | { readonly warning: string }> {
  const [servers, [vm]] = await Promise.all([manager.servers.list(signal), manager.vms.list(signal)]);
  const [present, absent]: [string[], string[]] = [[], []];
  await Promise.all(
    servers.map(async (server) => {
      const address = server.hostname ?? server.ipAddress ?? nameOfObject(server);
      try {
        // Any question will do: an answer shows that the service is there and accepts the account.
        await manager.exporter(address).knows(vm?.id.value ?? 'none', signal);
        present.push(address);
      } catch (error) {
        signal.throwIfAborted();
        absent.push(`${address} (${toErrorRecord(error).message})`);
      }
    }),
  );
  if (present.length > 0)
    return `on ${present.toSorted().join(', ')}${absent.length === 0 ? '' : `; not on ${absent.toSorted().join(', ')}`}`;
  return {
    warning: `no server has the exporter service, so that disks are read by a temporary worker: ${absent.toSorted().join(', ') || 'there are no servers'}`,
  };
}
