import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { DeploymentOptions } from '../../../shared/model/deployment.ts';
import { UsageError } from '../command-context.ts';
import { readChecks } from './read-checks.ts';
import type { DeployOptions } from './deploy-flags.ts';

/** @throws UsageError */
export async function deploymentOptions(options: DeployOptions): Promise<DeploymentOptions> {
  const scripts = {
    ...(await scriptsOf('beforeMount', options.scriptBeforeMount)),
    ...(await scriptsOf('inGuest', options.scriptInGuest)),
    ...(await scriptsOf('firstBoot', options.scriptFirstBoot)),
  };
  const bootCheck = {
    ...(options.bootCheck === undefined ? {} : { mode: options.bootCheck }),
    ...numberOf('deadlineSeconds', '--boot-deadline', options.bootDeadline, 7200),
    ...numberOf('port', '--boot-port', options.bootPort, 65_535),
  };
  return {
    ...(options.inPlace === true ? { inPlace: true } : {}),
    ...(options.skipMorphing === true ? { skipMorphing: true } : {}),
    ...(Object.keys(bootCheck).length === 0 ? {} : { bootCheck }),
    ...(typeof options.checks === 'string'
      ? { checks: readChecks(options.checks) }
      : options.checks === false
        ? { checks: [] }
        : {}),
    ...(options.onFailedBoot === undefined ? {} : { onFailedBoot: options.onFailedBoot }),
    ...(options.keepWorker === true ? { keepWorkerOnFailure: true } : {}),
    ...(options.acceptInconsistent === true ? { acceptInconsistent: true } : {}),
    ...(options.root === undefined ? {} : { root: options.root }),
    ...(options.luksKey === undefined ? {} : { luksKeys: options.luksKey.map((secret) => ({ secret })) }),
    ...(options.unbindVolumes === true ? { unbindVolumes: true } : {}),
    ...(options.httpProxy === undefined ? {} : { httpProxy: options.httpProxy }),
    ...(options.cloudInit === undefined ? {} : { cloudInit: options.cloudInit }),
    ...(options.packageCache === undefined ? {} : { packageCache: options.packageCache }),
    ...(options.agentPackage === undefined ? {} : { agentPackage: options.agentPackage }),
    ...(options.windowsMode === undefined ? {} : { windowsMode: options.windowsMode }),
    ...(options.virtioDisc === undefined ? {} : { virtioDisc: options.virtioDisc }),
    ...(options.initAgentArchive === undefined ? {} : { initAgentArchive: options.initAgentArchive }),
    ...(Object.keys(scripts).length === 0 ? {} : { scripts }),
  };
}

function numberOf<K extends string>(
  key: K,
  flag: string,
  text: string | undefined,
  most: number,
): { [P in K]?: number } {
  if (text === undefined) return {};
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1 || value > most)
    throw new UsageError(`${flag} must be a number from 1 to ${most}`);
  return { [key]: value } as { [P in K]?: number };
}

async function scriptsOf<K extends string>(
  key: K,
  files: readonly string[] | undefined,
): Promise<{ [P in K]?: { name: string; content: string }[] }> {
  if (files === undefined) return {};
  const scripts = await Promise.all(
    files.map(async (file) => {
      const content = await readFile(file, 'utf8').catch((error: Error) => {
        throw new UsageError(`${file}: ${error.message}`);
      });
      return { name: basename(file), content };
    }),
  );
  return { [key]: scripts } as { [P in K]?: { name: string; content: string }[] };
}
