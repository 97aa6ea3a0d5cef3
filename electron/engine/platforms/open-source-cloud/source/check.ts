import { toErrorRecord } from '../../../../../shared/model/causeway-error.ts';
import type { CheckReport, CheckStep } from '../../../ports/platform-common.ts';
import { openCluster } from './rbd/storage-cluster.ts';
import type { SourceContext } from './source-context.ts';

/** What a step saw; `undefined` in `warns`: it has to work. */
interface Trial {
  readonly name: string;
  /** What cannot be done without it; without this, the endpoint is of no use. */
  readonly warns?: string;
  run(): Promise<string>;
}

/** Signs in, then tries each service that exporting servers needs, and says which export mechanisms stand on what is missing. */
export async function checkSource(context: SourceContext, signal: AbortSignal): Promise<CheckReport> {
  const { cloud } = context;
  const steps: CheckStep[] = [];
  const attempt = async (trial: Trial): Promise<boolean> => {
    try {
      steps.push({ name: trial.name, outcome: 'passed', evidence: await trial.run() });
      return true;
    } catch (error) {
      signal.throwIfAborted();
      const { message } = toErrorRecord(error);
      const consequence = trial.warns === undefined ? '' : `; ${trial.warns}`;
      steps.push({ name: trial.name, outcome: trial.warns === undefined ? 'failed' : 'warning', evidence: message + consequence });
      return false;
    }
  };
  const signedIn = await attempt({
    name: 'Sign in',
    run: async () => {
      const { userName, projectName, roles } = await cloud.identity(signal);
      return `${userName} in project ${projectName}, roles ${roles.join(', ') || 'none'}`;
    },
  });
  if (cloud.connection.allowUntrusted) steps.push({ name: 'TLS', outcome: 'warning', evidence: 'certificates are not verified: whoever is in between can read and change everything (allow_untrusted)' });
  const trials: readonly Trial[] = [
    { name: 'Servers', run: async () => `${(await cloud.compute.servers.list({}, signal)).length} servers` },
    {
      name: 'Volumes',
      run: async () => {
        const { projectId } = await cloud.identity(signal);
        const quotas = await cloud.volume.quotas(projectId, signal);
        const volumes = await cloud.volume.volumes.list({}, signal);
        const left = (name: string): string => quotaText(quotas[name]);
        return `${volumes.length} volumes; left by quota: ${left('snapshots')} snapshots, ${left('volumes')} volumes, ${left('gigabytes')} GiB, ${left('backups')} backups`;
      },
    },
    { name: 'Networks', run: async () => `${(await cloud.network.networks({}, signal)).length} networks` },
    { name: 'Images', run: async () => `${(await cloud.image.list({}, signal)).length} images` },
    {
      name: 'Volume backups',
      warns: 'objectstore_backups and distributed_backups cannot be used',
      run: async () => `${(await cloud.volume.backups.list({}, signal)).length} backups`,
    },
    {
      name: 'Object store',
      warns: 'objectstore_backups cannot be used',
      run: async () => `${(await cloud.objectStore.containers(signal)).length} containers`,
    },
    {
      name: 'Distributed storage',
      warns: 'distributed_snapshots and distributed_backups cannot be used',
      run: async () => {
        const cluster = await openCluster(context.storage);
        try {
          const pool = context.storage.pool ?? 'volumes';
          const images: unknown = JSON.parse(await cluster.rbd(['ls', '--format', 'json', pool], signal));
          return `pool ${pool} has ${Array.isArray(images) ? images.length : 0} images`;
        } finally {
          await cluster.close();
        }
      },
    },
  ];
  for (const trial of trials) {
    if (signedIn) await attempt(trial);
    else steps.push({ name: trial.name, outcome: 'skipped', evidence: 'not signed in' });
  }
  return { passed: steps.every((step) => step.outcome !== 'failed'), steps };
}

function quotaText(quota: { readonly limit: number; readonly in_use: number; readonly reserved: number } | undefined): string {
  return quota === undefined || quota.limit < 0 ? 'any number of' : String(Math.max(0, quota.limit - quota.in_use - quota.reserved));
}
