import { CausewayError } from '../../../../shared/model/causeway-error.ts';
import type { BootReport, DeployedServer } from '../../../../shared/model/deployment.ts';
import type { Vm } from '../../../../shared/model/vm.ts';
import { systemClock } from '../../time/clock.ts';
import { watchedBoot } from '../boot-watch.ts';
import { deploymentRun, platformOf, replicaOf, type DeploymentContext } from '../deployment-context.ts';
import type { DeploymentStep } from '../deployment-graph.ts';

const consoleTailLength = 16_000;
/** What of it goes into an error's details. */
const evidenceLength = 4_000;
const windowsPorts = [3389, 5986, 5985] as const;

/** Step 5: the server with the recorded specification, from prepared volumes. */
export function createServer(run: DeploymentContext): DeploymentStep<'create-server'> {
  return async ({ values: { vm, plan, deployedVolumes, nics }, signal }) => {
    const guestName = run.store.deployments.facts(run.deploymentId).guest?.dossier.name;
    const made = await platformOf(run).createServer(
      { ...deploymentRun(run, vm), guestName },
      plan,
      deployedVolumes,
      nics,
      signal,
    );
    const server: DeployedServer = {
      id: made.id,
      name: made.name,
      addresses: [...made.addresses],
      ...(made.isOff === true ? { isOff: true } : {}),
    };
    run.store.deployments.setFacts(run.deploymentId, { server });
    run.event(
      'note',
      `server ${server.name} (${server.id}) is ${server.isOff === true ? 'powered off' : 'running'}${server.addresses.length === 0 ? '' : ` at ${server.addresses.join(', ')}`}`,
      { id: server.id, name: server.name, addresses: [...server.addresses] },
    );
    return { server };
  };
}

/** Watches the console and the network until the guest is up, has stopped, or the time to wait has passed. */
export function checkBoot(run: DeploymentContext): DeploymentStep<'check-boot'> {
  return async ({ values: { vm, server }, signal }) => {
    const options = run.options.bootCheck ?? {};
    const skipped =
      options.mode === 'none'
        ? 'boot check skipped, as requested'
        : 'boot check skipped: the environment asks for a VM that is not powered on';
    if (options.mode === 'none' || server.isOff === true) {
      run.store.deployments.setFacts(run.deploymentId, {
        boot: { outcome: 'not-checked', evidence: skipped, seconds: 0, console: '' },
      });
      return;
    }
    const report = await watchBoot(run, vm, server, signal);
    run.store.deployments.setFacts(run.deploymentId, { boot: report });
    if (report.outcome === 'failed') {
      run.event('guest.console', report.console);
      throw new CausewayError('deployment.boot-failed', report.evidence, {
        details: { serverId: server.id, console: report.console.slice(-evidenceLength) },
        retryable: false,
      });
    }
    run.event(
      'note',
      `${report.outcome === 'up' ? 'the guest has booted' : 'the result of the boot check is inconclusive'}: ${report.evidence}`,
      { seconds: report.seconds },
    );
  };
}

async function watchBoot(
  run: DeploymentContext,
  vm: Vm,
  server: DeployedServer,
  signal: AbortSignal,
): Promise<BootReport> {
  const options = run.options.bootCheck ?? {};
  const begun = performance.now();
  const seconds = (): number => (performance.now() - begun) / 1000;
  const { consoleLog } = platformOf(run);
  const watch = watchedBoot(vm.os_type, options, consoleLog !== undefined, run.bootPatience);
  let { addresses } = server;
  const { firstPauseMs, longestPauseMs } = run.bootPatience;
  for (let pause = firstPauseMs; ; pause = Math.min(longestPauseMs, pause * 1.5)) {
    if (addresses.length === 0) addresses = await lateAddresses(run, server, signal);
    const targets =
      options.mode === 'console'
        ? []
        : addresses.flatMap((host) => portsOf(vm, options.port).map((port) => ({ host, ...port })));
    const askedAt = targets.map(({ host, port }) => `${host}:${port}`);
    const [buffer, answeredAt] = await Promise.all([
      consoleText(run, vm, server.id, signal),
      firstAnswer(run, targets, signal),
    ]);
    signal.throwIfAborted();
    const verdict = watch.observe({ buffer, answeredAt, askedAt, elapsedSeconds: seconds() });
    if (verdict !== undefined) {
      return {
        ...verdict,
        evidence: run.clean(verdict.evidence),
        seconds: seconds(),
        console: run.clean(watch.consoleText().slice(-consoleTailLength)),
      };
    }
    await systemClock.sleep(Math.min(pause, Math.max(50, (watch.endsAtSeconds() - seconds()) * 1000)), signal);
  }
}

/** Addresses that the platform only knows once the guest runs. None, if they can't be read for a moment. */
async function lateAddresses(run: DeploymentContext, server: DeployedServer, signal: AbortSignal): Promise<string[]> {
  try {
    const addresses = [...((await platformOf(run).addresses?.(server.id, signal)) ?? [])];
    if (addresses.length > 0) run.store.deployments.setFacts(run.deploymentId, { server: { ...server, addresses } });
    return addresses;
  } catch {
    return [];
  }
}

function portsOf(
  vm: Vm,
  port: number | undefined,
): readonly { readonly port: number; readonly protocol: 'ssh' | 'tcp' }[] {
  if (port !== undefined) return [{ port, protocol: 'tcp' }];
  if (vm.os_type === 'windows') return windowsPorts.map((each) => ({ port: each, protocol: 'tcp' }));
  return [{ port: 22, protocol: 'ssh' }];
}

/** A console that can't be read for a moment says nothing. */
async function consoleText(run: DeploymentContext, vm: Vm, serverId: string, signal: AbortSignal): Promise<string> {
  try {
    return (await platformOf(run).consoleLog?.(serverId, deploymentRun(run, vm), signal)) ?? '';
  } catch {
    return '';
  }
}

async function firstAnswer(
  run: DeploymentContext,
  targets: readonly { readonly host: string; readonly port: number; readonly protocol: 'ssh' | 'tcp' }[],
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    return await Promise.any(
      targets.map(async (target) => {
        await run.bootProbe(target, signal);
        return `${target.host}:${target.port}`;
      }),
    );
  } catch {
    return undefined;
  }
}

/** The VM is now permanent. In place, the volumes now belong to the deployment. */
export function recordDeployment(run: DeploymentContext): DeploymentStep<'record-deployment'> {
  return async ({ values: { vm, deployedVolumes }, signal }) => {
    if (run.options.inPlace !== true) return;
    await platformOf(run).transferVolumesToDeployment?.(deploymentRun(run, vm), deployedVolumes, signal);
    for (const { diskId } of replicaOf(run).disks) {
      run.replication.deleteTransferState({
        db: run.store.db,
        folder: run.transferFolder,
        replicaId: run.replicaId,
        diskId,
      });
    }
    run.store.replicas.forgetVolumes(run.replicaId);
    run.event('note', "the VM now uses the replica's volumes; the next execution of the replica creates new ones");
  };
}
