import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import type { CloudServer, ResourceDeleter } from '../../../cloud-resources/cloud-api.ts';
import { hasLabels, labelKeys, managedBy, type Labels } from '../../../cloud-resources/labels.ts';
import { ensureResource, entryLabel, nameOf, resourceTags } from '../../../cloud-resources/ledgered-resource.ts';
import { pollPlan } from '../../../cloud-resources/retry-context.ts';
import { serverTrust } from '../../../http/server-certificates.ts';
import { waitForState } from '../../../http/wait-for-state.ts';
import type { DestinationRun, WorkerAccess, WorkerRole } from '../../../ports/destination-platform.ts';
import type { LedgerEntry } from '../../../ports/ledger.ts';
import { SshConnection, shellQuoted } from '../../../transport/ssh-connection.ts';
import { createWorkerKeys, temporary, type WorkerKeyRing, type WorkerKeys } from '../../../workers/worker-entries.ts';
import { winrmPort } from '../../../workers/windows-worker-user-data.ts';
import { agentPort, sshPort, workerOs } from '../../../workers/worker-ports.ts';
import { dropUnreachableWorker } from '../../../workers/worker-server.ts';
import { addressesOf } from '../client/addresses.ts';
import {
  cloneVm,
  deleteDisk,
  deleteVm,
  mappingsOf,
  renameDisk,
  renameVm,
  unmapDisk,
  vmAction,
} from '../client/changes.ts';
import { cloneWindow, lostClone } from '../client/lost-clones.ts';
import { ledgerName, readTags, tagText } from '../client/created.ts';
import type { Manager } from '../client/open-manager.ts';
import { nameOfObject, type OvmDisk, type OvmVm } from '../client/shapes.ts';

/** What a worker is made from. The password is in memory alone. */
export interface WorkerPlan {
  readonly templateId: string;
  readonly repositoryId: string;
  readonly serverPoolId: string;
  readonly username: string;
  readonly password: string;
  /** The parameters that the last two come from. */
  readonly parameters: { readonly username: string; readonly password: string };
}

/** Where a port of a worker is reached from here. */
export type Reached = (host: string, port: number) => { readonly host: string; readonly port: number };

/** Of the disks that a worker was cloned with. */
export const ownDiskUse: Labels = { 'causeway-use': 'worker' };

export interface WorkerEntry {
  readonly reached: Reached;
  /** The host keys of workers that took their key, by ledger entry. */
  readonly enrolled: Map<string, string>;
  /** Signs in for the first time, in place of the usual way. */
  readonly enrol?: Enrol | undefined;
}

/** Lets this computer in for the first time. Resolves with the host key that the worker showed, or with the digest of its certificate. */
export type Enrol = (
  manager: Manager,
  ssh: ReturnType<Reached>,
  plan: WorkerPlan,
  keys: WorkerKeys,
  signal: AbortSignal,
) => Promise<string>;

/** A running worker, cloned from the template, that takes a key made for it alone instead of the template's password. */
export async function startWorkerVm(
  manager: Manager,
  keyRing: WorkerKeyRing,
  run: DestinationRun,
  role: WorkerRole,
  plan: WorkerPlan,
  { reached, enrolled, enrol = workerOs(role) === 'windows' ? pinCertificate : enrolByPassword }: WorkerEntry,
  signal: AbortSignal,
): Promise<WorkerAccess> {
  const removing = { ...manager, deleterFor: (entry: LedgerEntry) => workerDeleter(manager, entry) };
  await dropUnreachableWorker(removing, keyRing, run, role, signal);
  const window =
    run.ledger.find('server', temporary('server', role, 'server', {}).key) === undefined
      ? await cloneWindow(manager, signal)
      : {};
  const { resource, entry } = await ensureResource<{ readonly id: string }>(
    manager,
    run.ledger,
    temporary('server', role, 'server', { templateId: plan.templateId, repositoryId: plan.repositoryId, ...window }),
    {
      find: (given, within) => findWorker(manager, given, resourceTags(run, given, { [labelKeys.role]: role }), within),
      get: async (id, _entry, within) => ((await manager.vms.get(id, within)) === undefined ? undefined : { id }),
      async create(given, within) {
        keyRing.set(given.entryId, keyRing.get(given.entryId) ?? createWorkerKeys(nameOf(given)));
        const vm = await cloneVm(
          manager,
          plan.templateId,
          { serverPoolId: plan.serverPoolId, repositoryId: plan.repositoryId },
          within,
        );
        return claimWorker(manager, vm, given, resourceTags(run, given, { [labelKeys.role]: role }), within);
      },
    },
    signal,
  );
  const keys = keyRing.get(entry.entryId);
  if (keys === undefined) throw new CausewayError('general.bug', `worker ${entry.name}: its keys are missing`);
  const address = await running(manager, resource.id, signal);
  const isWindows = workerOs(role) === 'windows';
  const way = reached(address, isWindows ? winrmPort : sshPort);
  const shown = enrolled.get(entry.entryId) ?? (await enrol(manager, way, plan, keys, signal));
  enrolled.set(entry.entryId, shown);
  return {
    workerId: resource.id,
    host: way.host,
    sshPort: reached(address, sshPort).port,
    httpsPort: reached(address, agentPort).port,
    username: plan.username,
    privateKeyPem: keys.account.privateKeyPem,
    ...(isWindows
      ? { winrm: { port: way.port, password: plan.password, certificateSha256: shown } }
      : { hostKey: shown }),
  };
}

/** Starts the VM where it does not run, and waits for the address that its guest tells the manager. */
async function running(manager: Manager, id: string, signal: AbortSignal): Promise<string> {
  const vm = await manager.vms.get(id, signal);
  if (vm?.vmRunState === 'STOPPED') await vmAction(manager, id, 'start', signal);
  const operation = `worker ${id}: waiting for its address`;
  return waitForState(
    { operation, details: { serverId: id } },
    async (within) => {
      const seen = await manager.vms.get(id, within);
      if (seen === undefined)
        throw new CausewayError('cloud.not-found', `${operation}: the VM no longer exists`, {
          details: { serverId: id },
        });
      if (['STOPPED', 'SUSPENDED'].includes(seen.vmRunState)) {
        throw new CausewayError('cloud.operation-failed', `${operation}: the VM is ${seen.vmRunState.toLowerCase()}`, {
          details: { serverId: id, state: seen.vmRunState },
        });
      }
      const nics = await Promise.all(seen.virtualNicIds.map(({ value }) => manager.nics.get(value, within)));
      const [address] = nics
        .flatMap((nic) => (nic === undefined ? [] : addressesOf(nic)))
        .filter((each) => !/^(169\.254\.|fe80:)/i.test(each));
      if (seen.vmRunState === 'RUNNING' && address !== undefined)
        return { done: true, value: address.split('/')[0] ?? address };
      return {
        done: false,
        state: `${seen.vmRunState}, ${address === undefined ? 'no address' : 'has an address'} (the template needs the guest additions and DHCP)`,
      };
    },
    pollPlan(manager.timing, manager.timing.serverMs),
    manager.clock,
    signal,
  );
}

/**
 * Signs in with the template's password, once, and has the worker take a key that was made for it: nothing after that uses the
 * password. The user may become root without one from then on.
 *
 * @returns the host key that the worker showed
 */
async function enrolByPassword(
  manager: Manager,
  { host, port }: ReturnType<Reached>,
  { username, password, parameters }: WorkerPlan,
  keys: WorkerKeys,
  signal: AbortSignal,
): Promise<string> {
  let refused = 0;
  return waitForState(
    { operation: `sign in to the worker at ${host}:${port}` },
    async (within) => {
      let ssh: SshConnection;
      try {
        ssh = await SshConnection.connect({ host, port, username, password }, {}, within);
      } catch (error) {
        within.throwIfAborted();
        if (
          !(error instanceof CausewayError) ||
          !['transport.unreachable', 'transport.login-refused'].includes(error.code)
        )
          throw error;
        // The guest may still be setting its accounts up.
        if (error.code === 'transport.login-refused' && (refused += 1) >= 5) {
          throw new CausewayError(
            'cloud.authentication-failed',
            `the worker refuses the template's user ${username}: ${error.message}`,
            { details: { parameter: parameters.password }, cause: error },
          );
        }
        return { done: false, state: error.message };
      }
      try {
        const result = await ssh.exec(enrolScript(keys.account.publicKey), {
          signal: within,
          timeoutMs: 60_000,
          input: `${password}\n`,
        });
        if (result.code === 0) return { done: true, value: ssh.hostKey };
        throw new CausewayError(
          'transport.not-privileged',
          `${host}: ${username} cannot become root: ${result.stderr.trim().slice(-300)}`,
          { details: { parameter: parameters.username } },
        );
      } finally {
        await ssh.close();
      }
    },
    pollPlan(manager.timing, manager.timing.serverMs),
    manager.clock,
    signal,
  );
}

/**
 * A Windows template listens for WinRM over HTTPS, with a certificate that nobody can know before: the first one that it shows is the only
 * one that it may show from then on. Its user and password are the template's.
 */
async function pinCertificate(
  manager: Manager,
  { host, port }: ReturnType<Reached>,
  _plan: WorkerPlan,
  _keys: WorkerKeys,
  signal: AbortSignal,
): Promise<string> {
  return waitForState(
    { operation: `wait for WinRM of the worker at ${host}:${port}` },
    async (within) => {
      try {
        const {
          chain: [own],
        } = await serverTrust(`${host}:${port}`, undefined, within);
        if (own !== undefined) return { done: true, value: own.sha256.replaceAll(':', '').toLowerCase() };
        return { done: false, state: 'no certificate' };
      } catch (error) {
        within.throwIfAborted();
        if (!(error instanceof CausewayError) || error.code !== 'cloud.unreachable') throw error;
        return { done: false, state: error.message };
      }
    },
    pollPlan(manager.timing, manager.timing.serverMs),
    manager.clock,
    signal,
  );
}

/** Reads the password from standard input, so that no list of processes shows it. */
function enrolScript(publicKey: string): string {
  return [
    // Read in any case: some servers lose the exit code of a command that leaves its input unread.
    'IFS= read -r secret',
    'set -e; umask 077; mkdir -p ~/.ssh',
    `printf '%s\\n' ${shellQuoted(publicKey)} >> ~/.ssh/authorized_keys`,
    'if [ "$(id -u)" != 0 ] && ! sudo -n true 2>/dev/null; then',
    '  printf \'%s\\n\' "$secret" | sudo -S -p "" sh -c "echo \'$(id -un) ALL=(ALL) NOPASSWD: ALL\' > /etc/sudoers.d/causeway && chmod 440 /etc/sudoers.d/causeway"',
    'fi',
  ].join('\n');
}

/** The worker of an entry: by its name, or, if it has none yet, by the job that made it. */
async function findWorker(
  manager: Manager,
  entry: LedgerEntry,
  labels: Labels,
  signal: AbortSignal,
): Promise<{ readonly id: string } | undefined> {
  const vms = await manager.vms.list(signal);
  const byName = vms.find(({ name }) => name === nameOf(entry));
  if (byName !== undefined) return { id: byName.id.value };
  const { templateId, repositoryId } = entry.details;
  const template = vms.find(({ id }) => id.value === templateId);
  if (entry.resourceId !== undefined || template === undefined) return undefined;
  const lost = await lostClone(
    manager,
    entry.details,
    [{ id: template.id.value, name: nameOfObject(template) }],
    async (id, within) => {
      const vm = await manager.vms.get(id, within);
      return vm !== undefined &&
        vm.id.value !== templateId &&
        vm.vmRunState === 'STOPPED' &&
        vm.repositoryId?.value === repositoryId &&
        !ledgerName.test(vm.name ?? '')
        ? vm
        : undefined;
    },
    signal,
  );
  return lost === undefined ? undefined : claimWorker(manager, lost, entry, labels, signal);
}

/** Marks a new worker's own disks, then names the VM: one that has its name can be removed with all that belongs to it, whatever is interrupted. */
async function claimWorker(
  manager: Manager,
  vm: OvmVm,
  entry: LedgerEntry,
  labels: Labels,
  signal: AbortSignal,
): Promise<{ readonly id: string }> {
  for (const { virtualDiskId } of await mappingsOf(manager, vm, signal)) {
    const disk = virtualDiskId ? await manager.disks.get(virtualDiskId.value, signal) : undefined;
    if (disk !== undefined && isClonedWith(disk))
      await renameDisk(
        manager,
        disk.id.value,
        `${nameOf(entry)}-system`,
        tagText({ ...labels, ...ownDiskUse }),
        signal,
      );
  }
  await renameVm(manager, vm.id.value, nameOf(entry), tagText(labels), signal);
  return { id: vm.id.value };
}

/** Whether a disk was made with the VM that has it: CDs and shared disks were not. */
function isClonedWith({ shareable, diskType, vmDiskMappingIds }: OvmDisk): boolean {
  return shareable !== true && diskType?.includes('CD') !== true && vmDiskMappingIds.length <= 1;
}

/** The worker with the disks that the manager cloned for it. What was only attached to it is detached. */
export function workerDeleter(manager: Manager, entry: LedgerEntry): ResourceDeleter {
  const isItsDisk = ({ description }: OvmDisk): boolean =>
    hasLabels({ labels: readTags(description) }, { ...entryLabel(entry), ...ownDiskUse });
  return {
    findId: async (signal) =>
      (await findWorker(manager, entry, { [labelKeys.managedBy]: managedBy, ...entryLabel(entry) }, signal))?.id,
    isThere: async (id, signal) => (await manager.vms.get(id, signal)) !== undefined,
    async remove(id, signal) {
      const vm = await manager.vms.get(id, signal);
      if (vm !== undefined) {
        if (vm.vmRunState !== 'STOPPED') await vmAction(manager, id, 'kill', signal);
        for (const mapping of await mappingsOf(manager, vm, signal))
          await unmapDisk(manager, id, mapping.id.value, signal);
        await deleteVm(manager, id, signal);
      }
      for (const disk of await manager.disks.list(signal))
        if (isItsDisk(disk)) await deleteDisk(manager, disk.id.value, signal);
    },
  };
}

/** A VM as the shared steps of workers see it. */
export async function readServer(manager: Manager, id: string, signal: AbortSignal): Promise<CloudServer | undefined> {
  const vm = await manager.vms.get(id, signal);
  if (vm === undefined) return undefined;
  const state = ({ RUNNING: 'running', STOPPED: 'off', SUSPENDED: 'off' } as const)[vm.vmRunState] ?? 'changing';
  return {
    id,
    name: nameOfObject(vm),
    state,
    status: vm.vmRunState,
    problem: undefined,
    labels: readTags(vm.description),
  };
}
