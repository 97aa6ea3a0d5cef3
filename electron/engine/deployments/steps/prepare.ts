import { CausewayError } from '../../../../shared/model/causeway-error.ts';
import type { Vm } from '../../../../shared/model/vm.ts';
import { matchVolumes } from '../../executions/match-volumes.ts';
import type { TaskHandler } from '../../jobs/runner.ts';
import { fetchedFrom, windowsMaterial, type MorphOptions, type MorphOutcome, type MorphStepEvent } from '../../osmorphing/index.ts';
import type { DeployedNic } from '../../ports/deployment-platform.ts';
import type { Volume, WorkerAccess } from '../../ports/destination-platform.ts';
import { connectWatched } from '../../transport/connect-watched.ts';
import { bootFirst, deployedVolumesOf, nicsOf, vmOf, workerOf, workerRole, type DeploymentContext } from '../deployment-context.ts';

/** A guest's package manager can be endlessly talkative. */
const mostLogLines = 2_000;

/** Step 3: the installation on the volumes is prepared for its new platform. */
export function prepareGuest(run: DeploymentContext): TaskHandler {
  return async ({ values, signal }) => {
    const vm = vmOf(values);
    const worker = workerOf(values);
    const volumes = bootFirst(vm, deployedVolumesOf(values));
    const options = morphOptions(run, vm, nicsOf(values));
    const outcome = workerRole(run, vm) === 'osmorphing-windows'
      ? await prepareOnWindows(run, worker, volumes, options, signal)
      : await prepareOnLinux(run, vm, worker, volumes, options, signal);
    run.store.deployments.setFacts(run.deploymentId, {
      guest: {
        dossier: outcome.dossier, diff: outcome.diff, steps: [...outcome.steps], seconds: outcome.seconds,
        warnings: outcome.warnings.map((warning) => run.clean(warning)),
        scripts: outcome.scripts.map((script) => ({ ...script, output: run.clean(script.output) })),
      },
    });
  };
}

async function prepareOnLinux(
  run: DeploymentContext, vm: Vm, worker: WorkerAccess, volumes: readonly Volume[], options: MorphOptions, signal: AbortSignal,
): Promise<MorphOutcome> {
  const devices = await devicePaths(run, worker, volumes, signal);
  const ssh = await run.guests.openSsh(worker, signal);
  try {
    return await run.guests.morphOf(vm.os_type)({ ssh, devices, options, ...listener(run), signal: AbortSignal.any([signal, ssh.lost]) });
  } catch (error) {
    // The reason why the connection was lost says more than what its loss did to whoever used it.
    throw ssh.lost.aborted && !signal.aborted ? ssh.lost.reason : error;
  } finally {
    await ssh.close();
  }
}

async function prepareOnWindows(
  run: DeploymentContext, { host, username, winrm }: WorkerAccess, volumes: readonly Volume[], options: MorphOptions, signal: AbortSignal,
): Promise<MorphOutcome> {
  if (winrm === undefined) throw new CausewayError('osmorphing.not-supported', 'the destination has no Windows workers; prepare the guest offline');
  const target = { host, port: winrm.port, username, password: winrm.password };
  return run.guests.morphOnWindows({ target, serials: volumes.map(({ serial }) => serial), options, ...listener(run), signal });
}

function listener(run: DeploymentContext): { onStep: (event: MorphStepEvent) => void; onLog: (line: string) => void } {
  let lines = 0;
  return {
    onStep: (event) => run.event('guest.step', stepText(event), stepDetails(event)),
    onLog: (line) => {
      lines += 1;
      if (lines <= mostLogLines) run.event('guest.log', line);
      else if (lines === mostLogLines + 1) run.event('note', `more than ${mostLogLines} lines of the preparation's log are not kept`);
    },
  };
}

/** Where the volumes are on the worker, by their serials, in the given order. */
async function devicePaths(run: DeploymentContext, worker: WorkerAccess, volumes: readonly Volume[], signal: AbortSignal): Promise<string[]> {
  const session = await connectWatched((within) => run.guests.connectWorker(worker, 'SSH', within), {
    host: worker.host,
    note: (message) => run.event('note', message),
    whyDown: (within) => run.destination.whyWorkerIsDown(run.environment, worker.workerId, within),
  }, signal);
  try {
    const devices = matchVolumes(volumes, await session.devices(signal));
    return volumes.map((volume) => {
      const device = devices.get(volume.id);
      if (device === undefined) throw new CausewayError('general.bug', `volume ${volume.id} has no device`);
      return device.path;
    });
  } finally {
    await session.close();
  }
}

function morphOptions(run: DeploymentContext, vm: Vm, nics: readonly DeployedNic[]): MorphOptions {
  const { options, environment, luksKeys } = run;
  return {
    setDhcp: environment['set_dhcp'] !== false,
    retainUserCredentials: environment['retain_user_credentials'] === true,
    ...(environment['hypervisor_type'] === 'hyperv' ? { hypervisor: 'hyperv' } : {}),
    nics: nics.map((nic) => {
      const source = vm.nics.find((candidate) => candidate.id === nic.sourceNicId);
      return { macAddress: nic.macAddress, sourceMacAddress: source?.mac_address, addresses: (source?.ip_addresses ?? []).filter((address) => !address.includes(':')) };
    }),
    luksKeys,
    root: options.root,
    httpProxy: options.httpProxy,
    packageCache: options.packageCache,
    agent: options.agentPackage === undefined ? undefined : fetchedFrom(options.agentPackage),
    scripts: options.scripts,
    ...(vm.os_type === 'windows' ? { windows: windowsMaterial(environment, { virtioDisc: options.virtioDisc, initAgent: options.initAgentArchive }) } : {}),
    keepMountedOnFailure: options.keepWorkerOnFailure,
  };
}

function stepText(event: MorphStepEvent): string {
  return event.state === 'running' ? `${event.title} …` : `${event.title}: ${event.state}${event.changed === false ? ', nothing to change' : ''}`;
}

function stepDetails(event: MorphStepEvent) {
  return {
    step: event.step,
    title: event.title,
    state: event.state,
    ...(event.seconds === undefined ? {} : { seconds: event.seconds }),
    ...(event.changed === undefined ? {} : { changed: event.changed }),
    ...(event.notes === undefined ? {} : { notes: [...event.notes] }),
  };
}
