import { z } from 'zod';
import type { CloudApi } from '../../electron/engine/cloud-resources/cloud-api.ts';
import { deleteVolumes, ensureVolumes } from '../../electron/engine/cloud-resources/replica-volumes.ts';
import { transferVolumesToDeployment } from '../../electron/engine/cloud-resources/deployment/transfer-volumes.ts';
import { bootVolumeOf } from '../../electron/engine/cloud-resources/deployment/boot-volume.ts';
import { deploymentIntent } from '../../electron/engine/cloud-resources/deployment/deployment-keys.ts';
import {
  snapshotVolumes,
  volumesFromSnapshots,
} from '../../electron/engine/cloud-resources/deployment/deployment-volumes.ts';
import { mappedName, readPlanState } from '../../electron/engine/cloud-resources/deployment/plan-steps.ts';
import { restoreVolumes } from '../../electron/engine/cloud-resources/deployment/restore-volumes.ts';
import { deleteSnapshots, rollBack } from '../../electron/engine/cloud-resources/deployment/roll-back.ts';
import { serverName } from '../../electron/engine/cloud-resources/deployment/server-name.ts';
import { labelKeys } from '../../electron/engine/cloud-resources/labels.ts';
import {
  ensureResource,
  nameOf,
  resourceTags,
  type Intent,
} from '../../electron/engine/cloud-resources/ledgered-resource.ts';
import { managedOf, ourLabel } from '../../electron/engine/cloud-resources/managed-resources.ts';
import { claimVolumes } from '../../electron/engine/cloud-resources/other-owner.ts';
import {
  deleteResource,
  findResourceOf,
  orRemoveFailed,
} from '../../electron/engine/cloud-resources/resource-deletion.ts';
import { resolve, resolvedOrThrow } from '../../electron/engine/cloud-resources/resolve-reference.ts';
import type { RetryContextOptions } from '../../electron/engine/cloud-resources/retry-context.ts';
import { counted, runChecks } from '../../electron/engine/endpoint-checks/run-checks.ts';
import type { DeploymentPlatform, DeploymentRun } from '../../electron/engine/ports/deployment-platform.ts';
import type { DestinationPlatform, DestinationRun } from '../../electron/engine/ports/destination-platform.ts';
import type { LedgerEntry } from '../../electron/engine/ports/ledger.ts';
import { attachToWorker, detachVolume, freeVolume } from '../../electron/engine/cloud-resources/volume-attachments.ts';
import { awaitActive, whyDown } from '../../electron/engine/workers/server-state.ts';
import { stopWorker } from '../../electron/engine/workers/stop-worker.ts';
import { temporary, type WorkerKeyRing } from '../../electron/engine/workers/worker-entries.ts';
import {
  dropUnreachableWorker,
  ensureWorkerServer,
  workerAccess,
} from '../../electron/engine/workers/worker-server.ts';
import type { JsonObject } from '../../shared/model/json.ts';
import {
  asServer,
  deleterFor,
  labelled,
  openToyApi,
  toyCalls,
  toyConnection,
  type ToyApi,
  type ToyNic,
} from './toy-api.ts';

const environmentSchema = z.object({ network_map: z.record(z.string(), z.string()) });
const planSchema = z.object({ nics: z.array(z.object({ sourceNicId: z.string(), network: z.string() })) });
const rules = { zone: undefined, typeOf: () => undefined, checkQuota: async () => undefined };

function ensureNic(
  api: ToyApi,
  run: DestinationRun,
  intent: Intent,
  network: string,
  signal: AbortSignal,
): Promise<ToyNic> {
  return ensureResource<ToyNic>(
    api,
    run.ledger,
    intent,
    {
      find: (entry, s) => labelled(api.nics.list, entry, s),
      get: (id, _entry, s) => api.nics.get(id, s),
      create: (entry, s) => api.nics.create({ name: nameOf(entry), network, labels: resourceTags(run, entry) }, s),
    },
    signal,
  ).then(({ resource }) => resource);
}

/** The toy platform as a destination, with deployments. */
export function createToyDestination(connection: unknown, options: RetryContextOptions = {}): DestinationPlatform {
  const api = openToyApi(toyConnection.parse(connection), options);
  const keyRing: WorkerKeyRing = new Map();
  const cloud: CloudApi = { ...toyCalls(api), deleterFor: (entry) => deleterFor(api, entry) };
  const choices = async (signal: AbortSignal) => ({
    networks: await api.networks.list({}, signal),
    images: await api.images.list({}, signal),
    volume_types: await api.types.list({}, signal),
  });
  const findServer = async (entry: LedgerEntry, signal: AbortSignal) => {
    const found = await labelled(api.servers.list, entry, signal);
    return found === undefined ? undefined : asServer(found);
  };
  return {
    check: (signal) =>
      runChecks(
        [
          {
            name: 'Sign in',
            essential: true,
            run: async (s) => `the key is accepted, ${(await api.networks.list({}, s)).length} networks`,
          },
          counted('images', (s) => api.images.list({}, s)),
          counted('volumes', (s) => api.volumes.list({}, s)),
          counted('servers', (s) => api.servers.list({}, s)),
        ],
        signal,
      ),
    async options(names, _environment, signal) {
      return Object.fromEntries(Object.entries(await choices(signal)).filter(([name]) => names.includes(name)));
    },
    catalog: (_environment, signal) => choices(signal),
    async checkEnvironment(environment, vm, signal) {
      const networks = await api.networks.list({}, signal);
      const { network_map: map } = environmentSchema.parse(environment);
      return vm.nics
        .filter(({ network }) => resolve(networks, map[network] ?? '').outcome !== 'found')
        .map(({ network }) => ({
          severity: 'error',
          path: `/network_map/${network}`,
          rule: 'toy/network',
          message: `no network "${map[network] ?? ''}" for ${network}`,
        }));
    },
    runPolicy: () => ({
      mechanism: 'HTTPS',
      volumesAreZeroed: true,
      setDhcp: true,
      preserveFixedIps: false,
      retainUserCredentials: false,
      hypervisor: 'kvm',
      diskBuses: ['virtio'],
      hasWindowsWorkerImage: false,
      windowsDriversUrl: undefined,
      windowsAgentUrl: undefined,
    }),
    ensureVolumes: (run, disks, signal) => ensureVolumes(cloud, run, disks, rules, signal),
    claimVolumes: (run, volumes, signal) => claimVolumes(cloud, run, volumes, signal),
    async startWorker(run, role, signal) {
      await dropUnreachableWorker(cloud, keyRing, run, role, signal);
      const nic = await ensureNic(api, run, temporary('nic', role, 'nic', {}), 'net-blue', signal);
      const worker = await ensureWorkerServer(
        cloud,
        keyRing,
        {
          run,
          role,
          find: findServer,
          create: async (entry, userData, s) =>
            asServer(
              await api.servers.create(
                {
                  name: nameOf(entry),
                  image: 'linux',
                  userData,
                  nicIds: [nic.id],
                  labels: resourceTags(run, entry, { [labelKeys.role]: role }),
                },
                s,
              ),
            ),
        },
        signal,
      );
      return workerAccess(worker, (port) => ({ host: nic.ip, port }));
    },
    attachVolume: (run, workerId, volume, signal) => attachToWorker(cloud, run, workerId, volume, signal),
    detachVolume: (_run, workerId, volume, signal) => detachVolume(cloud, workerId, volume.id, signal),
    workerFailure: (_environment, workerId, signal) => whyDown(cloud, workerId, signal),
    stopWorker: (run, role, signal) => stopWorker(cloud, keyRing, run, role, signal),
    deleteVolumes: (run, signal) => deleteVolumes(cloud, run, signal),
    removeResource: (entry, ledger, signal) => deleteResource(cloud, ledger, entry, signal),
    findResource: (entry, signal) => findResourceOf(cloud, entry, signal),
    listManaged: async (_within, signal) =>
      managedOf([
        ['server', await api.servers.list(ourLabel, signal)],
        ['volume', await api.volumes.list(ourLabel, signal)],
        ['volume-snapshot', await api.snapshots.list(ourLabel, signal)],
        ['nic', await api.nics.list(ourLabel, signal)],
      ]),
    deployment: createToyDeployment(api, cloud, findServer),
    async close() {
      keyRing.clear();
      api.close();
    },
  };
}

type FindServer = (entry: LedgerEntry, signal: AbortSignal) => Promise<ReturnType<typeof asServer> | undefined>;

function createToyDeployment(api: ToyApi, cloud: CloudApi, findServer: FindServer): DeploymentPlatform {
  const createServer: DeploymentPlatform['createServer'] = async (run, plan, volumes, nics, signal) => {
    const boot = bootVolumeOf(run.vm, volumes);
    const intent = deploymentIntent(run, 'server', 'server', {});
    // Once the server was asked for, it may have the volumes.
    if (run.ledger.find('server', intent.key) === undefined)
      for (const { id } of volumes) await freeVolume(cloud, run, id, undefined, signal);
    const { resource, entry } = await ensureResource(
      cloud,
      run.ledger,
      intent,
      {
        find: findServer,
        get: (id, _entry, s) => cloud.servers.get(id, s),
        create: async (made, s) =>
          asServer(
            await api.servers.create(
              {
                name: serverName(run.vm.name),
                type: plan.machineType,
                firmware: run.vm.firmware ?? 'bios',
                nicIds: nics.map(({ id }) => id),
                volumeIds: [boot, ...volumes.filter(({ id }) => id !== boot.id)].map(({ id }) => id),
                labels: resourceTags(run, made),
              },
              s,
            ),
          ),
      },
      signal,
    );
    await orRemoveFailed(cloud, run.ledger, entry, () => awaitActive(cloud, resource.id, signal), signal);
    return { id: resource.id, name: resource.name, addresses: nics.flatMap(({ ipAddress }) => ipAddress ?? []) };
  };
  return {
    async plan(run, _volumes, signal) {
      const networks = await api.networks.list({}, signal);
      const { network_map: map } = environmentSchema.parse(run.environment);
      const nics = run.vm.nics.map((nic) => {
        const wanted = mappedName(map, nic);
        return {
          sourceNicId: nic.id,
          network: resolvedOrThrow('network', `network_map.${nic.network}`, wanted, resolve(networks, wanted)).id,
        };
      });
      return { machineType: 'small', state: { nics } satisfies JsonObject };
    },
    snapshotVolumes: (run, volumes, signal) => snapshotVolumes(cloud, run, volumes, signal),
    volumesFromSnapshots: (run, snapshots, signal) => volumesFromSnapshots(cloud, run, snapshots, undefined, signal),
    restoreVolumes: (run, snapshots, signal) => restoreVolumes(cloud, run, snapshots, undefined, signal),
    transferVolumesToDeployment: (run, volumes, signal) => transferVolumesToDeployment(cloud, run, volumes, signal),
    async createNics(run: DeploymentRun, plan, signal) {
      const nics = [];
      for (const { sourceNicId, network } of readPlanState(planSchema, plan).nics) {
        const { id, mac, ip } = await ensureNic(
          api,
          run,
          deploymentIntent(run, 'nic', `nic/${sourceNicId}`, {}),
          network,
          signal,
        );
        nics.push({
          id,
          sourceNicId,
          networkId: network,
          macAddress: mac,
          ipAddress: ip,
          prefixLength: 24,
          gateway: undefined,
        });
      }
      return nics;
    },
    createServer,
    deleteSnapshots: (run, signal) => deleteSnapshots(cloud, run, signal),
    rollBack: (run, signal) => rollBack(cloud, run, signal),
  };
}
