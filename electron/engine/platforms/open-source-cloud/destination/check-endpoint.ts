import { toErrorRecord } from '../../../../../shared/model/causeway-error.ts';
import { errorText } from '../../../../../shared/model/errors/catalogue.ts';
import { callerRanges } from '../../../workers/caller-address.ts';
import { counted, runChecks, type EndpointCheck } from '../../../endpoint-checks/run-checks.ts';
import type { CheckReport } from '../../../ports/platform-common.ts';
import { spokenVersions, type OpenStackCloud } from '../client/open-cloud.ts';
import type { OpenStackSession } from './context.ts';
import { findPool } from './networks.ts';
import { quotaWords, readQuotas } from './quotas.ts';
import { callerOf } from './worker-plan.ts';

/** Tries, in order, everything that a migration will need of an endpoint, without changing anything there. */
export function checkEndpoint(session: OpenStackSession, signal: AbortSignal): Promise<CheckReport> {
  const { cloud } = session;
  return runChecks(
    [...trustChecks(cloud), ...cloudChecks(cloud), destinationQuotas(cloud), callerCheck(session)],
    signal,
  );
}

/** The warning for connections to servers that are not verified. */
export function trustChecks({ connection }: OpenStackCloud): readonly EndpointCheck[] {
  const { allowUntrusted, allowUntrustedObjectStore } = connection;
  if (!allowUntrusted && !allowUntrustedObjectStore) return [];
  const whose = allowUntrusted ? 'the cloud' : 'the object store';
  return [
    {
      name: 'Verify certificates',
      essential: false,
      run: async () => ({
        warning: `certificates of ${whose} are NOT verified: anyone on the network path can read and change the password and all data. Specify the certificate authority instead`,
      }),
    },
  ];
}

/** The signed-in user, and whether its roles allow changes. */
export function signInCheck(cloud: OpenStackCloud): EndpointCheck {
  return {
    name: 'Sign in',
    essential: true,
    async run(signal) {
      const { userName, projectName, projectId, roles } = await cloud.identity(signal);
      const seen = `${userName} in project ${projectName} (${projectId}) with ${roles.length === 0 ? 'no role' : `the roles ${roles.join(', ')}`}`;
      const works = roles.some((role) => !['reader', 'heat_stack_user'].includes(role.toLowerCase()));
      return works
        ? seen
        : { warning: `${seen}: a role that can create servers and volumes is needed, usually member` };
    },
  };
}

/** Signing in, the services with their versions, and what a member of the project can list. */
export function cloudChecks(cloud: OpenStackCloud): readonly EndpointCheck[] {
  const { servers } = cloud.compute;
  const service = (kind: 'compute' | 'volume' | 'network' | 'image'): EndpointCheck => ({
    name: `Find the ${kind} service`,
    essential: false,
    run: async (signal) => await cloud.url(kind, signal),
  });
  return [
    signInCheck(cloud),
    ...(['compute', 'volume', 'network', 'image'] as const).map(service),
    {
      name: 'Compare the version of compute',
      essential: false,
      async run(signal) {
        const newest = await cloud.compute.newestVersion(signal);
        return olderThan(newest, spokenVersions.compute)
          ? {
              warning: `the compute service supports ${newest === '' ? 'no versions' : newest}, but ${spokenVersions.compute} is needed`,
            }
          : `${newest}, ${spokenVersions.compute} is needed`;
      },
    },
    counted('networks', (signal) => cloud.network.networks({}, signal)),
    counted('external networks', (signal) => cloud.network.networks({ external: true }, signal)),
    counted('images', (signal) => cloud.image.list({}, signal)),
    counted('flavors', (signal) => cloud.compute.flavors(signal)),
    counted('volume types', (signal) => cloud.volume.types(signal)),
    counted('security groups', (signal) => cloud.network.securityGroups({}, signal)),
    counted('server groups', (signal) => cloud.compute.serverGroups(signal)),
    counted('key pairs', (signal) => cloud.compute.keyPairs(signal)),
    counted('volumes', (signal) => cloud.volume.volumes.list({}, signal)),
    counted('snapshots', (signal) => cloud.volume.snapshots.list({}, signal)),
    counted('servers', (signal) => servers.list({}, signal)),
    counted('ports', (signal) => cloud.network.ports({}, signal)),
    counted('floating IPs', (signal) => cloud.network.floatingIps({}, signal)),
  ];
}

/** What a disk copy worker with one volume takes at least, so that a project without room is known before. */
const least: Readonly<Record<string, number>> = {
  instances: 1,
  cores: 1,
  ram: 256,
  volumes: 1,
  gigabytes: 1,
  snapshots: 1,
  port: 1,
  security_group: 1,
  security_group_rule: 4,
};

function destinationQuotas(cloud: OpenStackCloud): EndpointCheck {
  return {
    name: 'Read the quotas',
    essential: false,
    async run(signal) {
      const quotas = await readQuotas(cloud, signal);
      const short = Object.entries(least).filter(([name, needed]) => {
        const quota = quotas[name];
        return quota !== undefined && quota.limit >= 0 && quota.limit - quota.usage < needed;
      });
      const shown = Object.keys(least).map((name) => {
        const quota = quotas[name];
        return `${quotaWords[name] ?? name} ${quota === undefined ? 'unknown' : `${quota.usage} of ${quota.limit < 0 ? 'any number' : quota.limit}`}`;
      });
      const said = shown.join(', ');
      return short.length === 0
        ? said
        : { warning: `exhausted: ${short.map(([name]) => quotaWords[name] ?? name).join(', ')} (${said})` };
    },
  };
}

function callerCheck(session: OpenStackSession): EndpointCheck {
  return {
    name: 'Detect the caller address',
    essential: false,
    async run(signal) {
      try {
        const [only, ...others] = await session.cloud.network.networks({ external: true }, signal);
        const pool =
          only === undefined || others.length > 0
            ? undefined
            : await findPool(session.cloud, 'migr_fip_pool_name', only.id, signal);
        const ranges = await callerRanges(callerOf(session, { pool }), { publicAddress: true, prefixes: [] }, signal);
        return `workers with a floating IP accept connections from ${ranges.join(', ')}`;
      } catch (error) {
        const record = toErrorRecord(error);
        if (record.code !== 'cloud.caller-address-unknown') throw error;
        return { warning: `${record.message}. ${errorText(record.code).remedy}` };
      }
    },
  };
}

function olderThan(version: string, wanted: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [wantedMajor = 0, wantedMinor = 0] = wanted.split('.').map(Number);
  return major < wantedMajor || (major === wantedMajor && minor < wantedMinor);
}
