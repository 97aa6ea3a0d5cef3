import type { CoreOptions } from '../../../electron/engine/core/core.ts';
import { openProject } from '../../../electron/engine/core/open-project.ts';
import { probePort } from '../../../electron/engine/deployments/boot-probe.ts';
import { usualBootPatience, type BootPatience } from '../../../electron/engine/deployments/boot-verdict.ts';
import { createClassicDestination } from '../../../electron/engine/platforms/classic-infrastructure-cloud/destination/classic-destination.ts';
import { createClassicSource } from '../../../electron/engine/platforms/classic-infrastructure-cloud/source/classic-source.ts';
import { createCompartmentCloudDestination } from '../../../electron/engine/platforms/compartment-cloud/destination/oci-destination.ts';
import { createEuropeanCloudDestination } from '../../../electron/engine/platforms/european-cloud/european-cloud-destination.ts';
import { createAzureDestination } from '../../../electron/engine/platforms/resource-group-cloud/destination/azure-destination.ts';
import { createAzureSource } from '../../../electron/engine/platforms/resource-group-cloud/source/index.ts';
import { createAwsSource } from '../../../electron/engine/platforms/large-public-cloud/source/index.ts';
import { createOvmDestination } from '../../../electron/engine/platforms/server-virtualization-manager/destination/ovm-destination.ts';
import { createOvmSource } from '../../../electron/engine/platforms/server-virtualization-manager/source/index.ts';
import { platforms } from '../../../electron/engine/platforms/registry.ts';
import * as replication from '../../../electron/engine/replication/index.ts';
import { connectAgentHere } from '../../../electron/engine/transport/agent-here.ts';
import { takeTurnHere } from '../../../electron/engine/transport/turn-here.ts';
import { connectWorker } from '../../../electron/engine/transport/connect-worker.ts';
import { keyFileWrapper } from '../../../electron/secrets/key-file-wrapper.ts';
import { openVault } from '../../../electron/secrets/vault.ts';
import type { CoreClient } from '../../../shared/contract/core-client.ts';
import { canRun, forNativeWorkers } from '../../../scripts/test/needs.ts';
import { hurriedClock } from '../hurried-clock.ts';
import { resolveAddress } from '../machines/reachable-port.ts';

/** A project in the lab, as a test and an engine in a process of its own both open it. */
export interface LabProject {
  readonly folder: string;
  readonly keyFile: string;
  /** Where the volumes of workers lie that run as this user. */
  readonly cloudFolder: string;
  /** What stands for the computer that the engine runs on, if that is a VM of the cloud: where its agent is, and how it is run there by a user who may use sudo. */
  readonly agentHere?: { readonly within: string[]; readonly agentPath: string } | undefined;
  /** Shorter (or longer) patience with links than the product's. */
  readonly patience?: LabPatience;
}

/** Times in milliseconds. */
export interface LabPatience {
  /** How long a worker that was lost may take to answer again. Default 3,000. */
  readonly workerMs?: number | undefined;
  /** How long a worker may take to let us in for the first time. */
  readonly loginMs?: number | undefined;
  /** How long a silent link may take for a sign of life. */
  readonly linkMs?: number | undefined;
  /** Silence after which the agent on a worker ends by itself. */
  readonly agentMs?: number | undefined;
  /** `quick`: for guests that say at once all that they will say. */
  readonly boot?: 'quick' | undefined;
  /** The longest that acknowledged work stays without a checkpoint. */
  readonly checkpointMs?: number | undefined;
  /** How long a call of the cloud's API may take, and its resources to become what was asked for; pauses between looks, which the lab's clock divides by 20. */
  readonly cloud?:
    | Readonly<
        Partial<
          Record<'requestMs' | 'volumeMs' | 'serverMs' | 'attachMs' | 'removeMs' | 'pollFirstMs' | 'pollCapMs', number>
        >
      >
    | undefined;
}

/** For guests that say at once all that they will say. */
export const quickBoot: BootPatience = {
  ...usualBootPatience,
  stopSeconds: 0.5,
  loginSeconds: 0.3,
  firstPauseMs: 50,
  longestPauseMs: 250,
};

/** Opens the project for a moment; closing it waits for what runs. */
export async function withLabProject<T>(project: LabProject, work: (core: CoreClient) => Promise<T>): Promise<T> {
  const { client } = await openProject(labCore(project), new AbortController().signal);
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}

/** The product's own core, but for shorter pauses and the lab's ports. */
export function labCore(project: LabProject): CoreOptions {
  const { workerMs = 3_000, loginMs, linkMs, agentMs, checkpointMs, cloud, boot } = project.patience ?? {};
  const link = {
    allowPaths: allowed(project),
    ...(loginMs === undefined ? {} : { deadlineMs: loginMs }),
    ...(linkMs === undefined ? {} : { lostAfterMs: linkMs }),
    ...(agentMs === undefined ? {} : { idleMs: agentMs }),
  };
  const clock = hurriedClock(20);
  return {
    // Attempts of tasks are further apart than calls: what they wait for, e.g. a worker that comes back, takes real time in the lab too.
    clock: hurriedClock(1_000),
    projectFolder: project.folder,
    vault: openVault(`${project.folder}/.causeway/vault.json`, async () => keyFileWrapper(project.keyFile)),
    platforms: {
      ...platforms,
      'resource-group-cloud': {
        ...platforms['resource-group-cloud'],
        source: (connection, context) =>
          createAzureSource(connection, context, {
            clock,
            resolveAddress,
            timing: { pollFirstMs: 10, pollCapMs: 50, requestMs: 10_000, ...cloud },
          }),
        destination: (connection) =>
          createAzureDestination(connection, {
            clock,
            resolveAddress,
            timing: { pollFirstMs: 10, pollCapMs: 50, requestMs: 10_000, ...cloud },
          }),
      },
      'european-cloud': {
        destination: (connection) =>
          createEuropeanCloudDestination(connection, {
            clock,
            resolveAddress,
            timing: { pollFirstMs: 10, pollCapMs: 50, requestMs: 10_000, ...cloud },
          }),
      },
      'classic-infrastructure-cloud': {
        source: (connection, context) =>
          createClassicSource(connection, context, {
            clock,
            resolveAddress,
            timing: { pollFirstMs: 10, pollCapMs: 50, requestMs: 10_000, ...cloud },
          }),
        destination: (connection) =>
          createClassicDestination(connection, {
            clock,
            resolveAddress,
            timing: { pollFirstMs: 10, pollCapMs: 50, requestMs: 10_000, ...cloud },
          }),
      },
      'compartment-cloud': {
        destination: (connection) =>
          createCompartmentCloudDestination(connection, {
            clock,
            resolveAddress,
            timing: { pollFirstMs: 10, pollCapMs: 50, requestMs: 10_000, ...cloud },
          }),
      },
      'server-virtualization-manager': {
        // The lab's manager has the exporters of its servers behind its own address.
        source: (connection, context) =>
          createOvmSource(connection, context, {
            clock,
            reached: resolveAddress,
            exporterUrl: () => `https://${String(connection['host'])}:${String(connection['port'])}/api/v1`,
            timing: { pollFirstMs: 10, pollCapMs: 50 },
          }),
        destination: (connection) =>
          createOvmDestination(connection, {
            clock,
            reached: resolveAddress,
            timing: { pollFirstMs: 10, pollCapMs: 50, requestMs: 10_000, ...cloud },
          }),
      },
      'large-public-cloud': {
        source: (connection, context) =>
          createAwsSource(connection, context, { clock, resolveAddress, timing: { pollFirstMs: 10, pollCapMs: 50 } }),
      },
    },
    bootProbe: (target, signal) => probePort({ ...target, ...resolveAddress(target.host, target.port) }, signal),
    ...(boot === undefined ? {} : { bootPatience: quickBoot }),
    workerPatienceMs: workerMs,
    ...(checkpointMs === undefined
      ? {}
      : { replication: { ...replication, replicateDisk: checkpointedEvery(checkpointMs) } }),
    ...(project.agentHere === undefined
      ? {}
      : { takeTurnHere: (wait, signal) => takeTurnHere({ ...project.agentHere, isRoot: false }, wait, signal) }),
    ...(project.agentHere === undefined
      ? {}
      : {
          connectAgentHere: (use, signal) =>
            connectAgentHere(
              { ...use, ...project.agentHere, isRoot: false, ...(agentMs === undefined ? {} : { idleMs: agentMs }) },
              signal,
            ),
        }),
    connectWorker: (access, mechanism, signal, use) => connectWorker(access, mechanism, { ...link, ...use }, signal),
  };
}

function checkpointedEvery(milliseconds: number): typeof replication.replicateDisk {
  return (request) =>
    replication.replicateDisk({ ...request, options: { ...request.options, checkpointSeconds: milliseconds / 1000 } });
}

function allowed(project: LabProject): readonly string[] {
  return canRun(...forNativeWorkers) ? [] : [project.cloudFolder];
}
