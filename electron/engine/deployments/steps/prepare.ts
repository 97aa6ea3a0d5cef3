import { CausewayError } from '../../../../shared/model/causeway-error.ts';
import type { Nic, Vm } from '../../../../shared/model/vm.ts';
import {
  programLocation,
  windowsMaterial,
  type GuestNic,
  type MorphOptions,
  type MorphOutcome,
  type MorphStepEvent,
  type WindowsDisk,
} from '../../osmorphing/index.ts';
import type { DeployedNic } from '../../ports/deployment-platform.ts';
import type { AttachedVolume, Volume } from '../../ports/destination-platform.ts';
import { connectWatched } from '../../transport/connect-watched.ts';
import type { WorkerWithVolumes } from '../../workers/attach-volumes.ts';
import { loginsOf, matchDevices } from '../../workers/match-devices.ts';
import {
  bootFirst,
  platformOf,
  workerRole,
  type DeploymentContext,
  type ReplicaContext,
} from '../deployment-context.ts';
import type { DeploymentStep } from '../deployment-graph.ts';

/** A guest's package manager can log without end. */
const mostLogLines = 2_000;

/** Step 3: the installation on the volumes is prepared for its new platform. */
export function prepareGuest(run: DeploymentContext): DeploymentStep<'prepare-guest'> {
  return async ({ values: { vm, deployedVolumes, nics, worker }, signal }) => {
    const volumes = bootFirst(vm, deployedVolumes);
    const options = morphOptions(run, vm, nics);
    const outcome =
      workerRole(run, vm) === 'osmorphing-windows'
        ? await prepareOnWindows(run, worker, volumes, options, signal)
        : await prepareOnLinux(run, vm, worker, volumes, options, signal);
    run.store.deployments.setFacts(run.deploymentId, {
      guest: {
        dossier: outcome.dossier,
        diff: outcome.diff,
        steps: [...outcome.steps],
        seconds: outcome.seconds,
        warnings: outcome.warnings.map((warning) => run.clean(warning)),
        scripts: outcome.scripts.map((script) => ({ ...script, output: run.clean(script.output) })),
      },
    });
    checkFixedAddresses(run, nics, outcome);
  };
}

/** A static address that the NIC does not have leaves the VM unreachable: so it is refused before the server is created. */
function checkFixedAddresses(
  run: DeploymentContext,
  nics: readonly DeployedNic[],
  { fixedAddresses }: MorphOutcome,
): void {
  for (const { macAddress, nic: index, addresses } of fixedAddresses) {
    const byMac = nics.find(
      (each) => each.macAddress !== undefined && each.macAddress.toLowerCase() === macAddress?.toLowerCase(),
    );
    const nic = byMac ?? (index === undefined ? undefined : nics[index]);
    if (nic?.ipAddress === undefined || addresses.length === 0 || addresses.includes(nic.ipAddress)) continue;
    const evidence = `the guest configures ${addresses.join(', ')} on the NIC with address ${nic.ipAddress} (source NIC ${nic.sourceNicId})`;
    if (run.policy.preserveFixedIps) {
      throw new CausewayError('deployment.address-differs', evidence, {
        details: { nicId: nic.id, address: nic.ipAddress, guestAddresses: [...addresses] },
        retryable: false,
      });
    }
    run.event(
      'note',
      `${evidence}; change the address in the guest after the deployment, or set preserve_fixed_ips or set_dhcp to true`,
    );
  }
}

async function prepareOnLinux(
  run: DeploymentContext,
  vm: Vm,
  worker: WorkerWithVolumes,
  volumes: readonly Volume[],
  options: MorphOptions,
  signal: AbortSignal,
): Promise<MorphOutcome> {
  const devices = await devicePaths(run, worker, volumes, signal);
  const ssh = await run.guests.openSsh(worker, signal);
  try {
    return await run.guests.morphOf(vm.os_type)({
      ssh,
      devices,
      options,
      ...listener(run),
      signal: AbortSignal.any([signal, ssh.lost]),
    });
  } catch (error) {
    // The reason for the lost connection explains more than the error that followed from it.
    throw ssh.lost.aborted && !signal.aborted ? ssh.lost.reason : error;
  } finally {
    await ssh.close();
  }
}

async function prepareOnWindows(
  run: DeploymentContext,
  { host, username, winrm, attached }: WorkerWithVolumes,
  volumes: readonly Volume[],
  options: MorphOptions,
  signal: AbortSignal,
): Promise<MorphOutcome> {
  if (winrm === undefined)
    throw new CausewayError(
      'osmorphing.not-supported',
      'the destination has no Windows workers; prepare the guest offline',
    );
  const target = { host, username, ...winrm };
  return run.guests.morphOnWindows({
    target,
    disks: windowsDisksOf(attached, volumes),
    options,
    ...listener(run),
    signal,
  });
}

/** A Windows worker finds disks by their serials or LUNs; where the platform sets neither, it takes all that are not its own, by their sizes. */
export function windowsDisksOf(
  attached: readonly AttachedVolume[],
  volumes: readonly Pick<Volume, 'id'>[],
): readonly WindowsDisk[] {
  const ofSize = new Map<number, number>();
  return volumes.map(({ id }) => {
    const identity = attached.find(({ volume }) => volume.id === id)?.identity;
    if (identity === undefined) throw new CausewayError('general.bug', `volume ${id} is not attached`);
    if (identity.kind === 'serial') return { serial: identity.serial };
    if (identity.kind === 'lun') return { lun: identity.lun, sizeBytes: identity.sizeBytes };
    const { sizeBytes } = identity;
    const among = ofSize.get(sizeBytes) ?? 0;
    ofSize.set(sizeBytes, among + 1);
    return { among, sizeBytes };
  });
}

function listener(run: DeploymentContext): { onStep: (event: MorphStepEvent) => void; onLog: (line: string) => void } {
  let lines = 0;
  return {
    onStep: (event) => run.event('guest.step', stepText(event), stepDetails(event)),
    onLog: (line) => {
      lines += 1;
      if (lines <= mostLogLines) run.event('guest.log', line);
      else if (lines === mostLogLines + 1)
        run.event('note', `the preparation log has more than ${mostLogLines} lines; the rest is not stored`);
    },
  };
}

/** Where the volumes are on the worker, in the given order. */
export async function devicePaths(
  run: ReplicaContext,
  worker: WorkerWithVolumes,
  volumes: readonly Volume[],
  signal: AbortSignal,
): Promise<string[]> {
  const session = await connectWatched(
    (within) =>
      run.guests.connectWorker(worker, 'SSH', within, {
        note: (message) => run.event('note', message),
        epoch: run.store.ledger.epoch(run.replicaId),
      }),
    {
      host: worker.host,
      note: (message) => run.event('note', message),
      whyDown: (within) => run.destination.workerFailure(run.environment, worker.workerId, within),
    },
    signal,
  );
  try {
    const devices = await matchDevices(worker.attached, await session.devices(signal, loginsOf(worker.attached)));
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
  const { options, policy, luksKeys } = run;
  return {
    setDhcp: policy.setDhcp,
    retainUserCredentials: policy.retainUserCredentials,
    hypervisor: policy.hypervisor,
    datasources: policy.guestDatasources,
    nics: nics.map((nic) => {
      const source = vm.nics.find((candidate) => candidate.id === nic.sourceNicId);
      return { macAddress: nic.macAddress, ...sourceNic(source) };
    }),
    luksKeys,
    unbindVolumes: options.unbindVolumes,
    root: options.root,
    cloudInit: cloudInitNeed(options.cloudInit, policy.retainUserCredentials, vm.os_type),
    httpProxy: options.httpProxy,
    packageCache: options.packageCache,
    agent: agentOf(run),
    diskBuses: policy.diskBuses,
    scripts: options.scripts,
    ...(vm.os_type === 'windows'
      ? { windows: windowsMaterial(policy, { virtioDisc: options.virtioDisc, initAgent: options.initAgentArchive }) }
      : {}),
    keepMountedOnFailure: options.keepWorkerOnFailure,
  };
}

/** With retained credentials it lets nobody in; addresses, drivers and first-boot scripts of Linux guests work without it. */
export function cloudInitNeed(
  given: MorphOptions['cloudInit'],
  retainUserCredentials: boolean,
  osType: Vm['os_type'],
): NonNullable<MorphOptions['cloudInit']> {
  return given ?? (retainUserCredentials && osType !== 'windows' ? 'if-possible' : 'required');
}

/** What of the source's NIC identifies its interface in the guest. */
export function sourceNic(nic: Nic | undefined): Omit<GuestNic, 'macAddress'> {
  return {
    sourceMacAddress: nic?.mac_address,
    addresses: (nic?.ip_addresses ?? []).filter((address) => !address.includes(':')),
  };
}

/** The one that was given, else the platform's own; `none` for neither. */
function agentOf(run: DeploymentContext): MorphOptions['agent'] {
  const { agentPackage } = run.options;
  if (agentPackage === 'none') return undefined;
  return agentPackage === undefined ? platformOf(run).agentPackage : programLocation(agentPackage);
}

function stepText(event: MorphStepEvent): string {
  return event.state === 'running'
    ? `${event.title} …`
    : `${event.title}: ${event.state}${event.changed === false ? ', nothing to change' : ''}`;
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
