import { toErrorRecord } from '../../../../../shared/model/causeway-error.ts';
import { errorText } from '../../../../../shared/model/errors/catalogue.ts';
import { counted, runChecks, type EndpointCheck } from '../../../endpoint-checks/run-checks.ts';
import type { CheckReport } from '../../../ports/platform-common.ts';
import { callerRanges } from '../../../workers/caller-address.ts';
import { listLocations } from './catalog.ts';
import { networkCalls, nicCalls, publicIpCalls, securityGroupCalls } from './network-calls.ts';
import { quotaWords, readOffers, readQuotas } from './offers.ts';
import { destinationPrivileges, missingPrivileges } from './permissions.ts';
import { callerOf, type AzureSession } from './session.ts';

/** Tries, in order, everything that a migration will need of an endpoint, without changing anything there. */
export function checkEndpoint(session: AzureSession, signal: AbortSignal): Promise<CheckReport> {
  return runChecks(checks(session), signal);
}

function checks(session: AzureSession): readonly EndpointCheck[] {
  const { connection, profile } = session;
  const group = connection.defaultResourceGroup;
  return [
    {
      name: 'Sign in',
      essential: true,
      async run(signal) {
        await session.signIn(signal);
        return `access token issued for ${connection.clientId ?? connection.signIn} at ${new URL(profile.activeDirectory).hostname}`;
      },
    },
    {
      name: 'Connect to the subscription',
      essential: true,
      async run(signal) {
        const locations = await listLocations(session, signal);
        return locations.length === 0
          ? { warning: `subscription ${connection.subscriptionId} has no regions` }
          : `subscription ${connection.subscriptionId} with ${locations.length} regions`;
      },
    },
    ...(group === undefined
      ? []
      : [
          {
            name: 'Find the default resource group',
            essential: true,
            async run(signal: AbortSignal) {
              const { resourceGroups } = await session.resources();
              const found = await session.call(
                `read resource group ${group}`,
                (options) => resourceGroups.get(group, options),
                signal,
              );
              return `resource group ${found.name ?? group} in ${found.location}`;
            },
          },
        ]),
    {
      name: 'Check the permissions',
      essential: false,
      async run(signal) {
        const missing = await missingPrivileges(session, group, signal);
        if (missing.length === 0) return `everything that ${destinationPrivileges.length} features need is allowed`;
        return {
          warning: missing.map(({ feature, privileges }) => `${feature}: missing ${privileges.join(', ')}`).join('; '),
        };
      },
    },
    ...(group === undefined ? [] : groupChecks(session, group)),
    {
      name: 'Detect the caller address',
      essential: false,
      async run(signal) {
        try {
          const ranges = await callerRanges(
            callerOf(session),
            { publicAddress: connection.workerUsePublicIp, prefixes: [] },
            signal,
          );
          return `workers accept connections from ${ranges.join(', ')}`;
        } catch (error) {
          const record = toErrorRecord(error);
          if (record.code !== 'cloud.caller-address-unknown') throw error;
          return { warning: `${record.message}. ${errorText(record.code).remedy}` };
        }
      },
    },
  ];
}

/** What only a resource group, which is in one region, can be asked for. */
function groupChecks(session: AzureSession, group: string): readonly EndpointCheck[] {
  const location = async (signal: AbortSignal): Promise<string> => {
    const { resourceGroups } = await session.resources();
    return (await session.call(`read resource group ${group}`, (options) => resourceGroups.get(group, options), signal))
      .location;
  };
  return [
    {
      name: 'Read the quotas',
      essential: false,
      async run(signal) {
        const quotas = await readQuotas(session, await location(signal), signal);
        const shown = [
          'cores',
          'virtualMachines',
          'PremiumDiskCount',
          'StandardSSDDiskCount',
          'StandardSkuPublicIpAddresses',
        ];
        return shown
          .map((name) => {
            const quota = quotas[name];
            return `${quotaWords[name] ?? name} ${quota === undefined ? 'unknown' : `${quota.usage} of ${quota.limit}`}`;
          })
          .join(', ');
      },
    },
    counted('sizes', async (signal) => (await readOffers(session, await location(signal), signal)).sizes),
    counted('virtual networks', (signal) => networkCalls(session).list(group, signal)),
    counted('network interfaces', (signal) => nicCalls(session).list(group, signal)),
    counted('network security groups', (signal) => securityGroupCalls(session).list(group, signal)),
    counted('public IPs', (signal) => publicIpCalls(session).list(group, signal)),
    counted('disks', async (signal) => {
      const { disks } = await session.compute();
      return session.list(`list disks of ${group}`, (options) => disks.listByResourceGroup(group, options), signal);
    }),
    counted('VMs', async (signal) => {
      const { virtualMachines } = await session.compute();
      return session.list(`list VMs of ${group}`, (options) => virtualMachines.list(group, options), signal);
    }),
  ];
}
