import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import { hasLabels, labelKeys } from '../../../cloud-resources/labels.ts';
import { ensureResource, entryLabel, nameOf, resourceTags } from '../../../cloud-resources/ledgered-resource.ts';
import { missing } from '../../../cloud-resources/read-environment.ts';
import { orRemoveFailed } from '../../../cloud-resources/resource-deletion.ts';
import { resolve, resolvedOrThrow } from '../../../cloud-resources/resolve-reference.ts';
import { pollPlan } from '../../../cloud-resources/retry-context.ts';
import { awaitVolume } from '../../../cloud-resources/volume-state.ts';
import { waitForState } from '../../../http/wait-for-state.ts';
import type { DestinationRun, WorkerAccess, WorkerRole } from '../../../ports/destination-platform.ts';
import { callerRanges, type Caller } from '../../../workers/caller-address.ts';
import { temporary, type WorkerKeyRing } from '../../../workers/worker-entries.ts';
import { sshPort, workerOs, workerPorts } from '../../../workers/worker-ports.ts';
import { dropUnreachableWorker, ensureWorkerServer, workerAccess } from '../../../workers/worker-server.ts';
import { workerUser } from '../../../workers/worker-user-data.ts';
import type { ClassicShape, ImageList } from '../client/compute.ts';
import { sshApplication, temporaryAddress, type Described, type SecurityKind } from '../client/network.ts';
import { isTagged, labelsIn, lastPart, mostVolumes } from '../client/object-names.ts';
import { workerEndpoint, type Classic } from '../client/open-classic.ts';
import { storagePools } from '../client/storage.ts';
import { asServer } from './cloud-calls.ts';
import { cloudApi, securityEntries } from './remove-resource.ts';
import { windowsWorkerAttributes, workerAttributes } from './worker-script.ts';

/** Everything about a worker that is known before anything is created. */
export interface WorkerPlan {
  readonly image: ImageList;
  readonly shape: ClassicShape;
  readonly user: string;
  /** Undefined: the worker runs from the image's own disk, as large as the image has it. */
  readonly rootGib: number | undefined;
  readonly ports: readonly number[];
}

export interface WorkerWish {
  readonly image: { readonly parameter: string; readonly name: string | undefined };
  readonly shape: { readonly parameter: string; readonly name: string | undefined };
  readonly user?: string | undefined;
  readonly rootGib?: number | undefined;
}

/** By their whole names, or the last part of them where no other has it. */
export function named<T extends { readonly name: string }>(
  all: readonly T[],
): readonly (T & { readonly id: string; readonly object: T })[] {
  return all.map((each) => ({ ...each, id: each.name, name: lastPart(each.name), object: each }));
}

/** @throws `cloud.parameter-missing`, `cloud.name-unknown`, `cloud.name-ambiguous` */
export async function planWorker(
  { compute, connection }: Classic,
  wish: WorkerWish,
  role: WorkerRole,
  mechanism: string | undefined,
  signal: AbortSignal,
): Promise<WorkerPlan> {
  const image = wish.image.name ?? missing(wish.image.parameter);
  const shape = wish.shape.name ?? missing(wish.shape.parameter);
  return {
    image: resolvedOrThrow(
      'image list',
      wish.image.parameter,
      image,
      resolve(named(await compute.imageLists(signal)), image),
    ).object,
    shape: resolvedOrThrow('shape', wish.shape.parameter, shape, resolve(named(await compute.shapes(signal)), shape))
      .object,
    user: wish.user ?? workerUser,
    rootGib: wish.rootGib,
    ports: workerPorts(role, mechanism ?? connection.dataTransferMechanism),
  };
}

/** Volumes that an instance was launched with stay: only the other places are free. */
export const volumesAtOnce = ({ rootGib }: WorkerPlan): number => mostVolumes - (rootGib === undefined ? 0 : 1);

/** How this computer will reach workers, as far as the endpoint knows. */
export function callerOf({ connection, context }: Classic): Caller {
  return {
    addresses: connection.callerAddresses,
    egressAddress: context.egressAddress,
    publicHost: new URL(connection.apiUrl).hostname,
  };
}

/** Workers are on the shared network, where each has a public address of its own. */
export const workerNetwork = { publicAddress: true, prefixes: [] } as const;

export const entryOf = ({ default: entry }: ImageList): number => entry ?? 1;

/**
 * A running worker on the shared network, closed to everybody but this computer. What an earlier call made is adopted; but a worker
 * whose key died with the process that made it can't be entered, and is replaced.
 */
export async function startWorker(
  classic: Classic,
  keyRing: WorkerKeyRing,
  run: DestinationRun,
  role: WorkerRole,
  plan: WorkerPlan,
  signal: AbortSignal,
): Promise<WorkerAccess> {
  const { compute } = classic;
  const cloud = cloudApi(classic);
  const ranges = await callerRanges(callerOf(classic), workerNetwork, signal);
  await dropUnreachableWorker(cloud, keyRing, run, role, signal);
  const list = await letIn(classic, run, role, plan, ranges, signal);
  const root =
    plan.rootGib === undefined ? undefined : await ensureRoot(classic, run, role, plan, plan.rootGib, signal);
  const image = { name: plan.image.name, entry: entryOf(plan.image) };
  const worker = await ensureWorkerServer(
    cloud,
    keyRing,
    {
      run,
      role,
      async find(entry, s) {
        const found = (await compute.instances(s)).find((each) => isTagged(each, entryLabel(entry)));
        return found === undefined ? undefined : asServer(found);
      },
      create: async (entry, userData, s) =>
        asServer(
          await compute.launch(
            {
              name: nameOf(entry),
              label: nameOf(entry),
              hostname: nameOf(entry).toLowerCase(),
              shape: plan.shape.name,
              labels: resourceTags(run, entry, { [labelKeys.role]: role }),
              ...(root === undefined ? { imageList: image, volumes: [] } : { volumes: [{ index: 1, volume: root }] }),
              sshkeys: [],
              networking: { eth0: { model: 'e1000', seclists: [list], nat: [temporaryAddress] } },
              attributes:
                workerOs(role) === 'windows'
                  ? windowsWorkerAttributes(userData)
                  : workerAttributes(userData, plan.user),
            },
            s,
          ),
        ),
    },
    signal,
  );
  const address = await addressOf(classic, worker.server.id, signal);
  const access = workerAccess(worker, (port) => workerEndpoint(classic, address, port));
  return {
    ...access,
    username: access.winrm === undefined ? plan.user : access.username,
    volumesAtOnce: volumesAtOnce(plan),
  };
}

/** A security list of the worker's own, with its ports open for the caller alone. Returns its name. */
async function letIn(
  classic: Classic,
  run: DestinationRun,
  role: WorkerRole,
  { ports }: WorkerPlan,
  ranges: readonly string[],
  signal: AbortSignal,
): Promise<string> {
  const { network } = classic;
  async function ensure(kind: SecurityKind, part: string, body: Readonly<Record<string, unknown>>): Promise<string> {
    const find = async (name: string, s: AbortSignal): Promise<(Described & { readonly id: string }) | undefined> => {
      const found = await network.findSecurity(kind, name, s);
      return found === undefined ? undefined : { ...found, id: found.name };
    };
    const { resource } = await ensureResource(
      classic,
      run.ledger,
      temporary(securityEntries[kind], role, part, { collection: kind }),
      {
        async find(entry, s) {
          const found = await find(nameOf(entry), s);
          return found !== undefined && hasLabels({ labels: labelsIn(found.description) }, entryLabel(entry))
            ? found
            : undefined;
        },
        get: (id, _entry, s) => find(id, s),
        async create(entry, s) {
          const made = await network.createSecurity(
            kind,
            { ...body, name: nameOf(entry), labels: resourceTags(run, entry) },
            s,
          );
          return { ...made, id: made.name };
        },
      },
      signal,
    );
    return resource.id;
  }
  const list = await ensure('seclist', 'security-group', { policy: 'deny', outbound_cidr_policy: 'permit' });
  const callers = await ensure('seciplist', `callers/${ranges.join(',')}`, { secipentries: ranges });
  for (const port of ports) {
    const application =
      port === sshPort
        ? sshApplication
        : await ensure('secapplication', `application/${port}`, { protocol: 'tcp', dport: String(port) });
    await ensure('secrule', `rule/${port}/${ranges.join(',')}`, {
      action: 'PERMIT',
      disabled: false,
      application,
      src_list: `seciplist:${callers}`,
      dst_list: `seclist:${list}`,
    });
  }
  return list;
}

/** A volume to boot from, with what the image list has, in the wanted size. */
async function ensureRoot(
  classic: Classic,
  run: DestinationRun,
  role: WorkerRole,
  { image }: WorkerPlan,
  sizeGib: number,
  signal: AbortSignal,
): Promise<string> {
  const { storage } = classic;
  const cloud = cloudApi(classic);
  const { resource, entry } = await ensureResource<{ readonly id: string }>(
    classic,
    run.ledger,
    temporary('volume', role, 'boot-volume', {}),
    {
      find: async (each, s) => (await cloud.volumes.list(entryLabel(each), s)).find(({ state }) => state !== 'going'),
      get: (id, _entry, s) => cloud.volumes.get(id, s),
      async create(each, s) {
        const made = await storage.createVolume(
          {
            name: nameOf(each),
            size: { gib: sizeGib },
            pool: storagePools[0],
            labels: resourceTags(run, each),
            imageList: { name: image.name, entry: entryOf(image) },
          },
          s,
        );
        return { id: made.name };
      },
    },
    signal,
  );
  const ready = () =>
    awaitVolume(
      cloud,
      resource.id,
      'waiting until the image is on it',
      ({ state }) => state === 'available' || state === 'attached',
      cloud.timing.volumeMs,
      signal,
    );
  await orRemoveFailed(cloud, run.ledger, entry, ready, signal);
  return resource.id;
}

/** The public address of a worker may show a moment after it runs. */
function addressOf({ compute, network, timing, clock }: Classic, id: string, signal: AbortSignal): Promise<string> {
  const operation = `find the public address of worker ${id}`;
  return waitForState(
    { operation, details: { serverId: id } },
    async (s) => {
      const instance = await compute.instance(id, s);
      if (instance === undefined)
        throw new CausewayError('cloud.not-found', `${operation}: the instance no longer exists`, {
          details: { operation, serverId: id },
        });
      const address =
        typeof instance.vcable_id === 'string' ? await network.publicAddress(instance.vcable_id, s) : undefined;
      return address === undefined ? { done: false, state: instance.state } : { done: true, value: address };
    },
    pollPlan(timing, timing.attachMs),
    clock,
    signal,
  );
}
