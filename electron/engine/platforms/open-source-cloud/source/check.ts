import { toErrorRecord } from '../../../../../shared/model/causeway-error.ts';
import { runChecks, type EndpointCheck } from '../../../endpoint-checks/run-checks.ts';
import type { CheckReport } from '../../../ports/platform-common.ts';
import type { OpenStackCloud } from '../client/open-cloud.ts';
import { signInCheck, trustChecks } from '../destination/check-endpoint.ts';
import { missingTools } from './rbd/local-tools.ts';
import { openCluster } from './rbd/storage-cluster.ts';
import type { SourceContext } from './source-context.ts';

/** Signs in, then tries each service that exporting servers needs, and names the export mechanisms that need what is missing. */
export function checkSource(context: SourceContext, signal: AbortSignal): Promise<CheckReport> {
  const { cloud } = context;
  return runChecks([...trustChecks(cloud), signInCheck(cloud), ...needed(cloud), ...byMechanism(context)], signal);
}

/** Without these, nothing is exported. */
function needed(cloud: OpenStackCloud): readonly EndpointCheck[] {
  const check = (name: string, run: EndpointCheck['run']): EndpointCheck => ({ name, essential: false, run });
  return [
    check('Servers', async (signal) => `${(await cloud.compute.servers.list({}, signal)).length} servers`),
    check('Volumes', async (signal) => {
      const { projectId } = await cloud.identity(signal);
      const quotas = await cloud.volume.quotas(projectId, signal);
      const volumes = await cloud.volume.volumes.list({}, signal);
      const left = (name: string): string => quotaText(quotas[name]);
      const seen = `${volumes.length} volumes; quota available for ${left('snapshots')} snapshots, ${left('volumes')} volumes, ${left('gigabytes')} GiB, ${left('backups')} backups`;
      const usedUp = ['snapshots', 'volumes', 'gigabytes', 'backups'].filter((name) => left(name) === '0');
      return usedUp.length === 0
        ? seen
        : { warning: `${seen}: exports need ${usedUp.join(', ')}, which are exhausted` };
    }),
    check('Networks', async (signal) => `${(await cloud.network.networks({}, signal)).length} networks`),
    check('Images', async (signal) => `${(await cloud.image.list({}, signal)).length} images`),
  ];
}

/** Services that only some export mechanisms need. */
function byMechanism({ cloud, storage }: SourceContext): readonly EndpointCheck[] {
  const check = (name: string, consequence: string, run: EndpointCheck['run']): EndpointCheck => ({
    name,
    essential: false,
    run: (signal) =>
      run(signal).catch((error: unknown) => {
        signal.throwIfAborted();
        return { warning: `${toErrorRecord(error).message}; ${consequence}` };
      }),
  });
  return [
    check(
      'Volume backups',
      'objectstore_backups and distributed_backups cannot be used',
      async (signal) => `${(await cloud.volume.backups.list({}, signal)).length} backups`,
    ),
    check(
      'Object store',
      'objectstore_backups cannot be used',
      async (signal) => `${(await cloud.objectStore.containers(signal)).length} containers`,
    ),
    check('Distributed storage', 'distributed_snapshots and distributed_backups cannot be used', async (signal) => {
      const missing = await missingTools(signal);
      if (missing.length > 0)
        return {
          warning: `${missing.join('; ')}: instead of by distributed_snapshots and distributed_backups, servers are read through an export worker, which service_backups_options has to describe`,
        };
      const cluster = await openCluster(storage);
      try {
        const pool = storage.pool ?? 'volumes';
        const images: unknown = JSON.parse(await cluster.rbd(['ls', '--format', 'json', pool], signal));
        return `pool ${pool} has ${Array.isArray(images) ? images.length : 0} images`;
      } finally {
        await cluster.close();
      }
    }),
  ];
}

function quotaText(
  quota: { readonly limit: number; readonly in_use: number; readonly reserved: number } | undefined,
): string {
  return quota === undefined || quota.limit < 0
    ? 'unlimited'
    : String(Math.max(0, quota.limit - quota.in_use - quota.reserved));
}
