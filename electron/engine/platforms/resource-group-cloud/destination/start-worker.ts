import type { VirtualMachine } from '@azure/arm-compute';
import type { NetworkInterface } from '@azure/arm-network';
import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import type { JsonObject } from '../../../../../shared/model/json.ts';
import { labelKeys } from '../../../cloud-resources/labels.ts';
import { ensureResource, nameOf, resourceTags, type Intent } from '../../../cloud-resources/ledgered-resource.ts';
import { waitForState } from '../../../http/wait-for-state.ts';
import { pollPlan } from '../../../cloud-resources/retry-context.ts';
import { requireWorkerQuota } from '../../../workers/worker-needs.ts';
import { callerRanges } from '../../../workers/caller-address.ts';
import { temporary, type WorkerKeyRing } from '../../../workers/worker-entries.ts';
import { agentPort, sshPort } from '../../../workers/worker-ports.ts';
import { dropUnreachableWorker, ensureWorkerServer, workerAccess } from '../../../workers/worker-server.ts';
import type { DestinationRun, WorkerAccess, WorkerRole } from '../../../ports/destination-platform.ts';
import type { LedgerEntry } from '../../../ports/ledger.ts';
import { asServer, getVm, vmType } from './cloud-calls.ts';
import { cloudApi } from './cloud-api.ts';
import { imageText, readEnvironment } from './environment.ts';
import {
  networkCalls,
  nicCalls,
  publicIpCalls,
  securityGroupCalls,
  subnetType,
  type NetworkKind,
  type NetworkRecord,
} from './network-calls.ts';
import { quotaWords, readQuotas } from './offers.ts';
import { findServer, systemDiskName, workerNetworkKind } from './remove-resource.ts';
import { callerOf, ownId, placeOf, type AzureSession, type Place } from './session.ts';
import { callerQuestion, ownNetworkPrefix, planWorker, workerNeeds, type WorkerPlan } from './worker-plan.ts';
import { usualDiskType } from './disk-types.ts';

/** The account that the cloud makes on a worker; the worker's own comes with its user data. */
const administrator = 'causewayadmin';

/**
 * A running worker. What an earlier call made is adopted; but a worker whose key died with
 * the process that made it can't be entered, and is replaced.
 */
export async function startWorker(
  session: AzureSession,
  keyRing: WorkerKeyRing,
  run: DestinationRun,
  role: WorkerRole,
  signal: AbortSignal,
): Promise<WorkerAccess> {
  const environment = readEnvironment(run.environment);
  const place = placeOf(session, environment);
  const cloud = cloudApi(session, place);
  const plan = await planWorker(session, environment, run.vm, role, signal);
  const ranges = await callerRanges(callerOf(session), callerQuestion(plan), signal);
  await dropUnreachableWorker(cloud, keyRing, run, role, signal);
  await requireWorkerQuota(run, role, workerNeeds(plan), () => readQuotas(session, place.location, signal), quotaWords);

  const net: WorkerNet = { session, run, role, place, plan };
  const groupId = await ensureSecurityGroup(net, ranges, signal);
  const subnetId = plan.subnet?.id ?? (await ensureNetwork(net, signal));
  const publicIp = plan.publicAddress ? await ensurePublicIp(net, signal) : undefined;
  const nic = await ensureNic(net, { subnetId, groupId, publicIpId: publicIp?.id }, signal);
  const address = publicIp?.address ?? nic.address;
  if (address === undefined)
    throw new CausewayError('cloud.unexpected-answer', `network interface ${nic.id} of the worker has no address`, {
      details: { nicId: nic.id },
    });

  const image = plan.os === 'linux' ? environment.linux_migr_image : environment.windows_migr_image;
  const worker = await ensureWorkerServer(
    cloud,
    keyRing,
    {
      run,
      role,
      async find(entry, s) {
        const id = await findServer(session, place, entry, s);
        return id === undefined ? undefined : cloud.servers.get(id, s);
      },
      async create(entry, userData, s) {
        const keys = keyRing.get(entry.entryId);
        const vm = workerVm({
          entry,
          run,
          role,
          plan,
          place,
          image: { ...image },
          nicId: nic.id,
          userData,
          publicKey: keys?.account.publicKey ?? '',
          password: keys?.windows?.password,
        });
        const { virtualMachines } = await session.compute();
        const name = nameOf(entry);
        await session.submit(
          `create VM ${name} from image ${imageText(image)}`,
          (options) => virtualMachines.createOrUpdate(place.group, name, vm, options),
          s,
        );
        const made = await getVm(session, ownId(session, place.group, vmType, name), s);
        return asServer(session, place.group, made ?? { ...vm, name, provisioningState: 'Creating' });
      },
    },
    signal,
  );
  if (plan.os === 'windows') await runUserData(session, place, worker.server.name, signal);
  const access = workerAccess(worker, (port) => workerEndpoint(session, address, port));
  return plan.size.dataDisks < run.vm.disks.length ? { ...access, volumesAtOnce: plan.size.dataDisks } : access;
}

interface WorkerOrder {
  readonly entry: LedgerEntry;
  readonly run: DestinationRun;
  readonly role: WorkerRole;
  readonly plan: WorkerPlan;
  readonly place: Place;
  readonly image: {
    readonly publisher: string;
    readonly offer: string;
    readonly sku: string;
    readonly version: string;
  };
  readonly nicId: string;
  readonly userData: string;
  readonly publicKey: string;
  readonly password: string | undefined;
}

function workerVm({
  entry,
  run,
  role,
  plan,
  place,
  image,
  nicId,
  userData,
  publicKey,
  password,
}: WorkerOrder): VirtualMachine {
  const name = nameOf(entry);
  const { publisher, offer, sku, version } = image;
  return {
    location: place.location,
    ...(plan.zone === undefined ? {} : { zones: [plan.zone] }),
    ...(plan.image.plan === undefined ? {} : { plan: { ...plan.image.plan } }),
    hardwareProfile: { vmSize: plan.size.name },
    storageProfile: {
      imageReference: { publisher, offer, sku, version },
      osDisk: {
        name: systemDiskName(name),
        createOption: 'FromImage',
        caching: 'ReadWrite',
        deleteOption: 'Delete',
        managedDisk: { storageAccountType: usualDiskType },
      },
      dataDisks: [],
    },
    osProfile: {
      // Windows takes 15 characters.
      computerName: plan.os === 'windows' ? `cw-${name.replaceAll(/[^a-z0-9]/gi, '').slice(-12)}` : name.slice(0, 63),
      adminUsername: administrator,
      customData: userData,
      ...(plan.os === 'windows'
        ? {
            adminPassword: password ?? '',
            windowsConfiguration: { provisionVMAgent: true, enableAutomaticUpdates: false },
          }
        : {
            linuxConfiguration: {
              disablePasswordAuthentication: true,
              ssh: {
                publicKeys: [{ path: `/home/${administrator}/.ssh/authorized_keys`, keyData: `${publicKey} causeway` }],
              },
            },
          }),
    },
    networkProfile: { networkInterfaces: [{ id: nicId, primary: true }] },
    diagnosticsProfile: { bootDiagnostics: { enabled: true } },
    ...(plan.takesUltraDisks ? { additionalCapabilities: { ultraSSDEnabled: true } } : {}),
    tags: { ...resourceTags(run, entry, { [labelKeys.role]: role }) },
  };
}

/** Windows keeps user data as a file and runs nothing of it: an extension of the cloud's own does. A PUT by name, so that it may be repeated. */
async function runUserData(
  session: AzureSession,
  { group, location }: Place,
  vmName: string,
  signal: AbortSignal,
): Promise<void> {
  const { virtualMachineExtensions: extensions } = await session.compute();
  const file = '%SYSTEMDRIVE%\\AzureData\\CustomData.bin';
  const commandToExecute = `cmd /c copy /y ${file} %SYSTEMDRIVE%\\AzureData\\causeway.ps1 && powershell -NoProfile -ExecutionPolicy Bypass -File %SYSTEMDRIVE%\\AzureData\\causeway.ps1`;
  await session.finish(
    `prepare worker ${vmName}`,
    (options) =>
      extensions.createOrUpdate(
        group,
        vmName,
        'causeway',
        {
          location,
          publisher: 'Microsoft.Compute',
          typePropertiesType: 'CustomScriptExtension',
          typeHandlerVersion: '1.10',
          autoUpgradeMinorVersion: true,
          protectedSettings: { commandToExecute },
        },
        options,
      ),
    signal,
  );
}

interface WorkerNet {
  readonly session: AzureSession;
  readonly run: DestinationRun;
  readonly role: WorkerRole;
  readonly place: Place;
  readonly plan: WorkerPlan;
}

/** A network resource of an intent, waited for until it is made. Its name is the entry's, so that a lost answer leads to it again. */
export async function ensureNetworkResource<
  T extends NetworkRecord & { readonly provisioningState?: string | undefined },
>(
  { session, run, place }: Pick<WorkerNet, 'session' | 'run' | 'place'>,
  intent: Intent,
  calls: NetworkKind<T>,
  wish: (entry: LedgerEntry) => T,
  signal: AbortSignal,
): Promise<{ readonly id: string; readonly record: T }> {
  const owned = (name: string, record: T): { readonly id: string; readonly record: T } => ({
    id: ownId(session, place.group, calls.type, name),
    record,
  });
  const read = async (
    entry: LedgerEntry,
    s: AbortSignal,
  ): Promise<{ readonly id: string; readonly record: T } | undefined> => {
    const found = await calls.get(place.group, nameOf(entry), s);
    return found === undefined || found.provisioningState === 'Deleting' ? undefined : owned(nameOf(entry), found);
  };
  const { resource, entry } = await ensureResource(
    session,
    run.ledger,
    intent,
    {
      find: read,
      get: (_id, entry, s) => read(entry, s),
      async create(entry, s) {
        await calls.put(place.group, nameOf(entry), wish(entry), s);
        return owned(nameOf(entry), wish(entry));
      },
    },
    signal,
  );
  let asked = false;
  const operation = `${intent.kind} ${nameOf(entry)}: being created`;
  return waitForState(
    { operation, details: { id: resource.id } },
    async (s) => {
      const now = await calls.get(place.group, nameOf(entry), s);
      const state = now?.provisioningState ?? 'not there yet';
      if (now !== undefined && state === 'Succeeded') return { done: true, value: owned(nameOf(entry), now) };
      if (state === 'Failed') {
        if (asked)
          throw new CausewayError('cloud.operation-failed', `${operation}: it failed`, {
            details: { operation, id: resource.id },
          });
        // A PUT of the same once more mends what failed on the way.
        asked = true;
        await calls.put(place.group, nameOf(entry), wish(entry), s);
      }
      return { done: false, state };
    },
    pollPlan(session.timing, session.timing.serverMs),
    session.clock,
    signal,
  );
}

const details = ({ place }: Pick<WorkerNet, 'place'>): JsonObject => ({
  resourceGroup: place.group,
  location: place.location,
});

/** A group of the worker's own, with its ports open for the caller alone. */
async function ensureSecurityGroup(net: WorkerNet, ranges: readonly string[], signal: AbortSignal): Promise<string> {
  const { session, run, role, place, plan } = net;
  const securityRules = plan.ports.map((port, index) => ({
    name: `tcp-${port}`,
    protocol: 'Tcp',
    sourceAddressPrefixes: [...ranges],
    sourcePortRange: '*',
    destinationAddressPrefix: '*',
    destinationPortRange: String(port),
    access: 'Allow',
    direction: 'Inbound',
    priority: 200 + index,
  }));
  const { id } = await ensureNetworkResource(
    net,
    temporary('security-group', role, 'security-group', details(net)),
    securityGroupCalls(session),
    (entry) => ({ location: place.location, tags: { ...resourceTags(run, entry) }, securityRules }),
    signal,
  );
  return id;
}

/** A network with one subnet for this worker. */
async function ensureNetwork(net: WorkerNet, signal: AbortSignal): Promise<string> {
  const { session, run, role, place } = net;
  const { record } = await ensureNetworkResource(
    net,
    temporary(workerNetworkKind, role, 'network', details(net)),
    networkCalls(session),
    (entry) => ({
      location: place.location,
      tags: { ...resourceTags(run, entry) },
      addressSpace: { addressPrefixes: [ownNetworkPrefix] },
      subnets: [{ name: 'workers', addressPrefix: ownNetworkPrefix }],
    }),
    signal,
  );
  return ownId(session, place.group, subnetType, record.name, 'workers');
}

async function ensurePublicIp(
  net: WorkerNet,
  signal: AbortSignal,
): Promise<{ readonly id: string; readonly address: string }> {
  const { session, run, role, place, plan } = net;
  const { id, record } = await ensureNetworkResource(
    net,
    temporary('public-ip', role, 'public-ip', details(net)),
    publicIpCalls(session),
    (entry) => ({
      location: place.location,
      tags: { ...resourceTags(run, entry) },
      sku: { name: 'Standard' },
      publicIPAllocationMethod: 'Static',
      publicIPAddressVersion: 'IPv4',
      ...(plan.zone === undefined ? {} : { zones: [plan.zone] }),
    }),
    signal,
  );
  if (record.ipAddress === undefined)
    throw new CausewayError('cloud.unexpected-answer', `public IP ${id} has no address`);
  return { id, address: record.ipAddress };
}

async function ensureNic(
  net: WorkerNet,
  {
    subnetId,
    groupId,
    publicIpId,
  }: { readonly subnetId: string; readonly groupId: string; readonly publicIpId: string | undefined },
  signal: AbortSignal,
): Promise<{ readonly id: string; readonly address: string | undefined }> {
  const { session, run, role, place } = net;
  const wish = (entry: LedgerEntry): NetworkInterface => ({
    location: place.location,
    tags: { ...resourceTags(run, entry) },
    networkSecurityGroup: { id: groupId },
    ipConfigurations: [
      {
        name: 'worker',
        primary: true,
        privateIPAllocationMethod: 'Dynamic',
        subnet: { id: subnetId },
        ...(publicIpId === undefined ? {} : { publicIPAddress: { id: publicIpId } }),
      },
    ],
  });
  const { id, record } = await ensureNetworkResource(
    net,
    temporary('nic', role, 'nic', details(net)),
    nicCalls(session),
    wish,
    signal,
  );
  return { id, address: record.ipConfigurations?.[0]?.privateIPAddress };
}

/** Where a port of a worker is reached from here: as the context says, else at the port that the connection maps it to. */
export function workerEndpoint(
  { context, connection }: Pick<AzureSession, 'context' | 'connection'>,
  address: string,
  port: number,
): { readonly host: string; readonly port: number } {
  if (context.resolveAddress !== undefined) return context.resolveAddress(address, port);
  const mapped = { [sshPort]: connection.workerSshPort, [agentPort]: connection.workerHttpsPort }[port];
  return { host: address, port: mapped ?? port };
}
