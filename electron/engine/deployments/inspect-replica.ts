import { toErrorRecord } from '../../../shared/model/causeway-error.ts';
import type { GuestFound } from '../../../shared/model/guest-inspection.ts';
import type { InspectOptions } from '../osmorphing/index.ts';
import { startWorkerWith } from '../workers/attach-volumes.ts';
import { bootFirst, deploymentRun, type ReplicaContext } from './deployment-context.ts';
import { synchronisedVolumes } from './steps/check.ts';
import { devicePaths, sourceNic } from './steps/prepare.ts';
import { detachFromWorkers } from './steps/worker.ts';

// Windows guests can be read from outside as well.
const role = 'osmorphing-linux';
const cleanUpDeadlineMs = 600_000;

/**
 * Attaches a replica's own volumes to a worker, which can only read them there, and inspects the guest on them. The worker is deleted
 * in any case.
 *
 * @param onStep told what goes on
 * @returns also the number of the execution whose content it is
 * @throws `deployment.never-executed`, `deployment.inconsistent`, `deployment.volume-gone`, `osmorphing.*`, `cloud.*`, `transport.*`, or the signal's reason
 */
export async function inspectReplica(
  run: ReplicaContext,
  options: InspectOptions,
  onStep: (step: string) => void,
  signal: AbortSignal,
): Promise<{ readonly found: GuestFound; readonly executionNumber: number }> {
  onStep('Check the replica');
  const { vm, volumes, execution } = await synchronisedVolumes(run, signal);
  const asRun = deploymentRun(run, vm);
  try {
    onStep('Start the OSMorphing worker');
    const worker = await startWorkerWith(run.destination, asRun, role, bootFirst(vm, volumes), signal);
    const devices = await devicePaths(run, worker, bootFirst(vm, volumes), signal);
    const ssh = await run.guests.openSsh(worker, signal);
    try {
      onStep('Inspect the guest');
      const {
        warnings: _,
        candidates: _roots,
        devices: _devices,
        ...found
      } = await run.guests
        .inspect({
          ssh,
          devices,
          options: { ...options, ...asDeployed(run), ...onPlatform(run), nics: vm.nics.map(sourceNic) },
          onStep: ({ title, state }) => state === 'running' && onStep(title),
          signal: AbortSignal.any([signal, ssh.lost]),
        })
        .catch((error: unknown) => {
          throw ssh.lost.aborted && !signal.aborted ? ssh.lost.reason : error;
        });
      return { found, executionNumber: execution.number };
    } finally {
      await ssh.close();
    }
  } finally {
    onStep('Delete the OSMorphing worker');
    await stopInspectionWorker(run, asRun, volumes);
  }
}

/** What of the environment decides on what a deployment changes. */
const asDeployed = ({
  policy: { hypervisor, diskBuses, setDhcp, retainUserCredentials, guestDatasources },
}: ReplicaContext): InspectOptions => ({
  hypervisor,
  diskBuses,
  setDhcp,
  retainUserCredentials,
  datasources: guestDatasources,
});

/** What the platform does for its servers. */
const onPlatform = ({
  destination: { deployment },
}: ReplicaContext): Pick<InspectOptions, 'macAddressesAtBoot' | 'platformAgent'> => ({
  macAddressesAtBoot: deployment?.macAddressesAtBoot,
  platformAgent: deployment?.agentPackage,
});

/** Not ended by a cancel: the volumes have to be free again. What cannot be deleted stays in the ledger. */
async function stopInspectionWorker(
  run: ReplicaContext,
  asRun: ReturnType<typeof deploymentRun>,
  volumes: Parameters<typeof detachFromWorkers>[2],
): Promise<void> {
  const signal = AbortSignal.timeout(cleanUpDeadlineMs);
  try {
    await run.destination.stopWorker(asRun, role, signal);
  } catch (error) {
    await detachFromWorkers(run, asRun, volumes, signal);
    run.event(
      'note',
      `the OSMorphing worker could not be deleted and stays in the ledger. No volume is attached to it: ${toErrorRecord(error).message}`,
    );
  }
}

/** Deletes the worker that an interrupted inspection left. */
export async function cleanUpInspection(run: ReplicaContext, signal: AbortSignal): Promise<void> {
  const { vm, volumes } = await synchronisedVolumes(run, signal);
  await stopInspectionWorker(run, deploymentRun(run, vm), volumes);
}
