import { toErrorRecord } from '../../../../shared/model/causeway-error.ts';
import { errorText } from '../../../../shared/model/errors/catalogue.ts';
import { callerRanges } from '../../workers/caller-address.ts';
import { counted, runChecks, type EndpointCheck } from '../../endpoint-checks/run-checks.ts';
import type { CheckReport } from '../../ports/platform-common.ts';
import { callerOf } from './cloud-calls.ts';
import type { CloudSession } from './session.ts';

/** Tries, in order, everything that a migration will need of an endpoint, without changing anything there. */
export function checkEndpoint(session: CloudSession, signal: AbortSignal): Promise<CheckReport> {
  return runChecks(checks(session), signal);
}

function checks(session: CloudSession): readonly EndpointCheck[] {
  const { connection } = session;
  const iaas = session.iaas.bind(session);
  return [
    { name: 'Read the service account key', essential: true, run: async () => keySeen(session) },
    {
      name: 'Sign in',
      essential: true,
      async run(signal) {
        await session.signIn(signal);
        return `access token issued for ${session.key().issuer}`;
      },
    },
    {
      name: 'Connect to the project',
      essential: true,
      async run(signal) {
        const project = await iaas().lists.project(signal);
        return project.status === undefined || project.status === 'CREATED' || project.status === 'ACTIVE'
          ? `project ${project.id}`
          : { warning: `project ${project.id} has status ${project.status}` };
      },
    },
    {
      name: 'Connect to the region',
      essential: true,
      async run(signal) {
        const zones = await iaas().lists.availabilityZones(signal);
        return zones.length === 0
          ? { warning: `region ${connection.region} lists no availability zones` }
          : `region ${connection.region}: ${zones.join(', ')}`;
      },
    },
    {
      name: 'Read the quotas',
      essential: false,
      async run(signal) {
        const quotas = await iaas().quotas.read(signal);
        const shown = Object.entries({
          volumes: quotas.volumes,
          'volume GB': quotas.gigabytes,
          vCPUs: quotas.vcpu,
          'public IPs': quotas.publicIps,
        });
        return shown
          .map(([name, quota]) =>
            quota === undefined ? `${name}: unknown` : `${name}: ${quota.usage} of ${quota.limit}`,
          )
          .join(', ');
      },
    },
    counted('networks', (signal) => iaas().networks.list(signal)),
    counted('images', (signal) => iaas().lists.images(false, signal)),
    counted('machine types', (signal) => iaas().lists.machineTypes(signal)),
    counted('volume performance classes', (signal) => iaas().lists.performanceClasses(signal)),
    counted('security groups', (signal) => iaas().securityGroups.list(undefined, signal)),
    counted('affinity groups', (signal) => iaas().lists.affinityGroups(signal)),
    counted('key pairs', (signal) => iaas().lists.keyPairs(signal)),
    counted('volumes', (signal) => iaas().volumes.list({}, signal)),
    counted('servers', (signal) => iaas().servers.list({}, signal)),
    counted('NICs', (signal) => iaas().nics.list({}, signal)),
    counted('public IPs', (signal) => iaas().publicIps.list({}, signal)),
    {
      name: 'Detect the caller address',
      essential: false,
      async run(signal) {
        try {
          const ranges = await callerRanges(callerOf(session), { publicAddress: true, prefixes: [] }, signal);
          return `workers with public addresses accept connections from ${ranges.join(', ')}`;
        } catch (error) {
          const record = toErrorRecord(error);
          if (record.code !== 'cloud.caller-address-unknown') throw error;
          return { warning: `${record.message}. ${errorText(record.code).remedy}` };
        }
      },
    },
  ];
}

function keySeen(session: CloudSession): string | { readonly warning: string } {
  const key = session.key();
  const about = `key ${key.kid} of ${key.issuer}`;
  if (!key.active) return { warning: `${about} is marked inactive` };
  if (key.validUntil === undefined) return about;
  const left = Date.parse(key.validUntil) - session.clock.wallTime();
  return left < 7 * 24 * 3600_000
    ? { warning: `${about} expires on ${key.validUntil.slice(0, 10)}` }
    : `${about}, valid until ${key.validUntil.slice(0, 10)}`;
}
