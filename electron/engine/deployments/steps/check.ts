import { CausewayError } from '../../../../shared/model/causeway-error.ts';
import type { Execution } from '../../../../shared/model/execution.ts';
import { vmSchema, type Vm } from '../../../../shared/model/vm.ts';
import type { Finding } from '../../../../shared/schema/finding.ts';
import { releaseAttachments } from '../../executions/own-vm-attachments.ts';
import { throwOnErrors } from '../../executions/throw-on-errors.ts';
import type { Volume, WorkerRole } from '../../ports/destination-platform.ts';
import {
  deploymentRun,
  platformOf,
  replicaOf,
  workerRole,
  type DeploymentContext,
  type ReplicaContext,
} from '../deployment-context.ts';
import type { DeploymentStep } from '../deployment-graph.ts';

/** The description that the deployed execution recorded, and volumes that are its copy. */
export function checkReplica(run: DeploymentContext): DeploymentStep<'check-replica'> {
  return async ({ signal }) => {
    const { vm, volumes } = await synchronisedVolumes(run, signal);
    run.store.deployments.setFacts(run.deploymentId, { vm });
    return { vm, volumes };
  };
}

/** Of the replica's last successful execution. @throws CausewayError `deployment.never-executed`, `deployment.inconsistent`, `deployment.volume-gone` */
export async function synchronisedVolumes(
  run: ReplicaContext,
  signal: AbortSignal,
): Promise<{ readonly vm: Vm; readonly volumes: readonly Volume[]; readonly execution: Execution }> {
  const execution = lastSuccess(run);
  // An engine that was killed may have left them attached to the VM that it ran on.
  await releaseAttachments(
    { ...run, note: (message, details) => run.event('note', message, details) },
    undefined,
    signal,
  );
  const vm = recordedVm(run, execution);
  const replica = replicaOf(run);
  const missing = vm.disks.filter(
    (disk) => replica.disks.find((known) => known.diskId === disk.id)?.synchronisedBy !== execution.id,
  );
  if (missing.length > 0) {
    throw new CausewayError(
      'deployment.never-executed',
      `execution ${execution.id} did not complete the volumes of ${missing.map((disk) => disk.id).join(', ')}`,
    );
  }
  refuseHalfWritten(run, execution, vm);
  return { vm, volumes: await existingVolumes(run, vm, signal), execution };
}

/** Everything that can be refused is refused here, before anything is created. */
export function checkDestination(run: DeploymentContext): DeploymentStep<'check-destination'> {
  return async ({ values: { vm, volumes }, signal }) => {
    const note = (message: string, rule: string): void => run.event('note', message, { rule });
    const judged = (findings: readonly Finding[]): readonly Finding[] => forWorker(findings, workerRole(run, vm), vm);
    throwOnErrors(judged(await run.findings(vm)), note);
    if (run.options.inPlace === true && platformOf(run).transferVolumesToDeployment === undefined) {
      throw new CausewayError(
        'deployment.not-supported',
        "the destination cannot attach a replica's own volumes to a VM",
      );
    }
    if (run.options.bootCheck?.mode === 'console' && platformOf(run).consoleLog === undefined) {
      throw new CausewayError(
        'deployment.not-supported',
        'the destination provides no console log; check the boot over the network instead',
      );
    }
    const plan = await platformOf(run).plan(deploymentRun(run, vm), volumes, signal);
    throwOnErrors(judged(await run.destination.checkEnvironment(run.environment, vm, signal)), note);
    run.event('note', `machine type of the VM: ${plan.machineType}`, { machineType: plan.machineType });
    if (vm.os_type === 'windows' && run.options.skipMorphing !== true && platformOf(run).agentPackage !== undefined) {
      run.event(
        'note',
        'the destination platform agent is not installed: no package is available for Windows. Install it in the guest after the deployment',
      );
    }
    return { plan };
  };
}

/** An image for a Windows worker is not needed by a guest that a Linux worker prepares, but another worker needs it. */
function forWorker(findings: readonly Finding[], role: WorkerRole, vm: Vm): readonly Finding[] {
  if (vm.os_type !== 'windows') return findings;
  const isAboutImage = (finding: Finding): boolean =>
    finding.rule.endsWith('image-missing') && /image for windows|windows worker image/i.test(finding.message);
  if (role === 'osmorphing-linux') return findings.filter((finding) => !isAboutImage(finding));
  return findings.map((finding) => (isAboutImage(finding) ? { ...finding, severity: 'error' } : finding));
}

function lastSuccess(run: ReplicaContext): Execution {
  const success = run.store.executions
    .list({ replicaId: run.replicaId, limit: 1000 })
    .find((execution) => execution.state === 'completed');
  if (success === undefined)
    throw new CausewayError('deployment.never-executed', `replica ${replicaOf(run).name} has no completed execution`);
  return success;
}

function recordedVm(run: ReplicaContext, execution: Execution): Vm {
  const described = run.store.tasks.list(execution.id).find((task) => task.id === 'describe-vm')?.result?.['vm'];
  const parsed = vmSchema.safeParse(described);
  if (!parsed.success)
    throw new CausewayError('deployment.never-executed', `execution ${execution.id} recorded no description of the VM`);
  return parsed.data;
}

/** A later execution that wrote and failed left a mix of two states. */
function refuseHalfWritten(run: ReplicaContext, success: Execution, vm: Vm): void {
  const later = run.store.executions
    .list({ replicaId: run.replicaId, limit: 1000 })
    .filter((execution) => execution.number > success.number)
    .find((execution) =>
      run.store.tasks.list(execution.id).some((task) => task.id === 'replicate-disks' && task.attempts > 0),
    );
  if (later === undefined) return;
  const base = run.store.snapshots
    .list(run.replicaId)
    .find((stored) => stored.role === 'base' && stored.executionId === success.id);
  const doubtful = vm.disks
    .filter((disk) => base === undefined || !holds(run, disk.id, base.tag))
    .map((disk) => disk.id);
  if (doubtful.length === 0) return;
  const evidence = `execution ${later.id} (${later.state}) started writing to ${doubtful.join(', ')}`;
  if (run.options.acceptInconsistent !== true) throw new CausewayError('deployment.inconsistent', evidence);
  run.event('note', `${evidence}; deployed anyway, as requested`);
}

function holds(run: ReplicaContext, diskId: string, tag: string): boolean {
  const sizeBytes = replicaOf(run).disks.find((disk) => disk.diskId === diskId)?.sizeBytes ?? 0;
  return run.replication
    .openTransferState({ db: run.store.db, folder: run.transferFolder, replicaId: run.replicaId, diskId, sizeBytes })
    .isSynchronised(tag);
}

async function existingVolumes(run: ReplicaContext, vm: Vm, signal: AbortSignal): Promise<readonly Volume[]> {
  const known = replicaOf(run).disks;
  const volumes = await run.destination.ensureVolumes(deploymentRun(run, vm), vm.disks, signal);
  for (const volume of volumes) {
    const expected = known.find((disk) => disk.diskId === volume.diskId)?.volumeId;
    if (volume.createdByThisCall || volume.id !== expected) {
      throw new CausewayError('deployment.volume-gone', `volume ${expected ?? '?'} of disk ${volume.diskId}`, {
        details: { diskId: volume.diskId },
      });
    }
  }
  return volumes;
}
