import { CausewayError, toErrorRecord } from '../../../../shared/model/causeway-error.ts';
import type { DestinationRun, Volume, WorkerAccess, WorkerRole } from '../../ports/destination-platform.ts';
import type { LedgerEntry, ResourceKind } from '../../ports/ledger.ts';
import { createEd25519KeyPair, type SshKeyPair } from '../../ssh-keys/ed25519-key-pair.ts';
import { attachVolume } from './attachments.ts';
import { callerRanges } from './caller-address.ts';
import { readEnvironment, type DestinationEnvironment } from './environment.ts';
import type { Iaas } from './iaas/iaas.ts';
import { hasLabels, labelKeys } from './iaas/labels.ts';
import type { CloudNic } from './iaas/networks.ts';
import type { CloudServer } from './iaas/servers.ts';
import { ensureOwned, entryLabel, labelsOf, nameOf, type Intent, type Owned } from './owned.ts';
import { requireQuota } from './quota-needs.ts';
import { releaseOwned } from './remove-resource.ts';
import { awaitActive } from './server-state.ts';
import type { CloudSession } from './session.ts';
import { agentPort, callerQuestion, planWorker, sshPort, workerNeeds, type WorkerPlan } from './worker-plan.ts';
import { decodeDebugKey, linuxWorkerUserData, workerUser } from './worker-user-data.ts';
import { createWindowsPassword, windowsWorkerUser, windowsWorkerUserData, winrmPort } from './windows-worker-user-data.ts';

/** What opens one worker. Lives in this process only. */
interface WorkerKeys {
  readonly account: SshKeyPair;
  readonly host: SshKeyPair;
  readonly windowsPassword: string;
}

/** The keys of the workers that this process started, by ledger entry. */
export type WorkerKeyRing = Map<string, WorkerKeys>;

function keyOf(role: WorkerRole, part: string): string {
  return `worker/${role}/${part}`;
}

/**
 * A running worker with the volumes attached. What an earlier call made is adopted; but a worker whose key died with
 * the process that made it can't be entered, and is replaced.
 */
export async function startWorker(
  session: CloudSession,
  keyRing: WorkerKeyRing,
  run: DestinationRun,
  role: WorkerRole,
  volumes: readonly Volume[],
  signal: AbortSignal,
): Promise<WorkerAccess> {
  const environment = readEnvironment(run.environment);
  const debugPublicKey = decodeDebugKey(environment.migr_worker_debug_ssh_public_key);
  const iaas = session.iaas(environment.project);
  const plan = await planWorker(iaas, environment, role, signal);
  const ranges = await callerRanges(session, callerQuestion(plan), signal);
  await dropUnreachableWorker(session, keyRing, run, role, signal);
  await checkWorkerQuota(iaas, run, role, plan, ranges.length, signal);

  const groupId = await ensureSecurityGroup(session, iaas, run, role, plan, ranges, signal);
  const nic = await ensureNic(session, iaas, run, role, plan, groupId, signal);
  const publicAddress = plan.publicAddress ? await ensurePublicIp(session, iaas, run, role, nic.id, signal) : undefined;
  const { server, entry } = await ensureServer(session, keyRing, iaas, { run, role, plan, environment, nicId: nic.id, debugPublicKey }, signal);
  for (const volume of volumes) await attachVolume(session, iaas, run, server.id, volume.id, signal);

  const keys = keyRing.get(entry.entryId);
  const address = publicAddress ?? nic.ipv4;
  if (keys === undefined || address === undefined) {
    throw new CausewayError('general.bug', `worker ${server.name}: ${keys === undefined ? 'its keys are missing' : 'it has no address'}`);
  }
  const reached = (port: number): { host: string; port: number } => session.context.resolveAddress?.(address, port) ?? { host: address, port };
  return {
    workerId: server.id,
    host: reached(sshPort).host,
    sshPort: reached(sshPort).port,
    httpsPort: reached(agentPort).port,
    username: plan.os === 'windows' ? windowsWorkerUser : workerUser,
    privateKeyPem: keys.account.privateKeyPem,
    ...(plan.os === 'windows' ? { winrm: { port: reached(winrmPort).port, password: keys.windowsPassword } } : { hostKey: keys.host.publicKey }),
    attached: volumes,
  };
}

async function dropUnreachableWorker(session: CloudSession, keyRing: WorkerKeyRing, run: DestinationRun, role: WorkerRole, signal: AbortSignal): Promise<void> {
  const entry = run.ledger.find('server', keyOf(role, 'server'));
  if (entry === undefined || keyRing.has(entry.entryId)) return;
  run.note('A worker of an interrupted start may be there; its key is lost with the process that made it, so it is replaced', { entry: entry.name });
  await releaseOwned(session, run.ledger, entry, signal);
}

async function checkWorkerQuota(iaas: Iaas, run: DestinationRun, role: WorkerRole, plan: WorkerPlan, ranges: number, signal: AbortSignal): Promise<void> {
  const has = (kind: ResourceKind, part: string): boolean => run.ledger.find(kind, keyOf(role, part))?.resourceId !== undefined;
  if (has('server', 'server')) return;
  const needs = workerNeeds(plan, ranges);
  requireQuota(
    {
      ...needs,
      nics: has('nic', 'nic') ? 0 : 1,
      publicIps: has('public-ip', 'public-ip') ? 0 : (needs.publicIps ?? 0),
      ...(has('security-group', 'security-group') ? { securityGroups: 0, securityGroupRules: 0 } : {}),
    },
    await iaas.quotas.read(signal),
  );
}

async function ensureSecurityGroup(
  session: CloudSession, iaas: Iaas, run: DestinationRun, role: WorkerRole, plan: WorkerPlan, ranges: readonly string[], signal: AbortSignal,
): Promise<string> {
  const group = await ensureOwned(
    session,
    run.ledger,
    temporary('security-group', role, 'security-group', { project: iaas.projectId }),
    {
      find: async (entry, s) => (await iaas.securityGroups.list(entryLabel(entry), s)).find((each) => hasLabels(each, entryLabel(entry))),
      get: (id, _entry, s) => iaas.securityGroups.get(id, s),
      create: (entry, s) =>
        iaas.securityGroups.create({ name: nameOf(entry), description: 'Worker of Causeway: reached by its operator alone', labels: labelsOf(run, entry) }, s),
    },
    signal,
  );
  const groupId = group.resource.id;
  for (const port of plan.ports) for (const ipRange of ranges) {
    const findRule = async (name: string, s: AbortSignal): Promise<{ id: string } | undefined> =>
      (await iaas.securityGroups.rules(groupId, s)).find((rule) => rule.description === name);
    await ensureOwned<{ id: string }>(
      session,
      run.ledger,
      temporary('security-group-rule', role, `rule/${port}/${ipRange}/${groupId}`, { project: iaas.projectId, groupId }),
      {
        find: (entry, s) => findRule(nameOf(entry), s),
        get: async (id, _entry, s) => (await iaas.securityGroups.rules(groupId, s)).find((rule) => rule.id === id),
        create: (entry, s) => iaas.securityGroups.allowTcp(groupId, { description: nameOf(entry), port, ipRange }, s),
      },
      signal,
    );
  }
  return groupId;
}

async function ensureNic(
  session: CloudSession, iaas: Iaas, run: DestinationRun, role: WorkerRole, plan: WorkerPlan, groupId: string, signal: AbortSignal,
): Promise<CloudNic> {
  const { resource } = await ensureOwned(
    session,
    run.ledger,
    temporary('nic', role, 'nic', { project: iaas.projectId, networkId: plan.network.id }),
    {
      find: async (entry, s) => (await iaas.nics.list(entryLabel(entry), s)).find((each) => hasLabels(each, entryLabel(entry))),
      get: (id, _entry, s) => iaas.nics.get(id, s),
      create: (entry, s) => iaas.nics.create(plan.network.id, { name: nameOf(entry), securityGroups: [groupId], labels: labelsOf(run, entry) }, s),
    },
    signal,
  );
  return resource;
}

async function ensurePublicIp(session: CloudSession, iaas: Iaas, run: DestinationRun, role: WorkerRole, nicId: string, signal: AbortSignal): Promise<string> {
  const { resource, entry } = await ensureOwned(
    session,
    run.ledger,
    temporary('public-ip', role, 'public-ip', { project: iaas.projectId }),
    {
      find: async (each, s) => (await iaas.publicIps.list(entryLabel(each), s)).find((ip) => hasLabels(ip, entryLabel(each))),
      get: (id, _entry, s) => iaas.publicIps.get(id, s),
      create: (each, s) => iaas.publicIps.create(nicId, labelsOf(run, each), s),
    },
    signal,
  );
  if (resource.ip === undefined) throw new CausewayError('cloud.unexpected-answer', `public IP ${nameOf(entry)} (${resource.id}) has no address`);
  return resource.ip;
}

interface ServerOrder {
  readonly run: DestinationRun;
  readonly role: WorkerRole;
  readonly plan: WorkerPlan;
  readonly environment: DestinationEnvironment;
  readonly nicId: string;
  readonly debugPublicKey: string | undefined;
}

async function ensureServer(
  session: CloudSession, keyRing: WorkerKeyRing, iaas: Iaas, order: ServerOrder, signal: AbortSignal,
): Promise<{ readonly server: CloudServer; readonly entry: LedgerEntry }> {
  const { run, role } = order;
  let owned = await ensureServerRecord(session, keyRing, iaas, order, signal);
  if (!owned.fresh && isLost(owned.resource)) {
    run.note(`Worker ${owned.resource.name} is in status ${owned.resource.status}: replacing it`, { serverId: owned.resource.id });
    await releaseOwned(session, run.ledger, owned.entry, signal);
    owned = await ensureServerRecord(session, keyRing, iaas, order, signal);
  }
  try {
    const server = await awaitActive(session, iaas, owned.resource.id, signal);
    return { server, entry: owned.entry };
  } catch (error) {
    if (error instanceof CausewayError && error.code === 'cloud.operation-failed') {
      run.note(`The ${role} worker did not come up: removing it`, { error: toErrorRecord(error).message });
      await releaseOwned(session, run.ledger, owned.entry, signal);
    }
    throw error;
  }
}

function ensureServerRecord(session: CloudSession, keyRing: WorkerKeyRing, iaas: Iaas, order: ServerOrder, signal: AbortSignal): Promise<Owned<CloudServer>> {
  const { run, role, plan, environment, nicId } = order;
  return ensureOwned(
    session,
    run.ledger,
    temporary('server', role, 'server', { project: iaas.projectId }),
    {
      find: async (entry, s) => (await iaas.servers.list(entryLabel(entry), s)).find((each) => hasLabels(each, entryLabel(entry))),
      async get(id, _entry, s) {
        const server = await iaas.servers.get(id, s);
        return server === undefined || server.status === 'DELETED' ? undefined : server;
      },
      create(entry, s) {
        // Kept per entry, so that a creation whose answer was lost, and that is then found, is opened by the same keys.
        const keys = keyRing.get(entry.entryId) ?? {
          account: createEd25519KeyPair('causeway'),
          host: createEd25519KeyPair(nameOf(entry)),
          windowsPassword: createWindowsPassword(),
        };
        keyRing.set(entry.entryId, keys);
        const userData = plan.os === 'windows'
          ? windowsWorkerUserData(keys.windowsPassword)
          : linuxWorkerUserData({ account: keys.account, host: keys.host, debugPublicKey: order.debugPublicKey });
        return iaas.servers.create(
          {
            name: nameOf(entry),
            machineType: plan.machineType.name,
            availabilityZone: plan.zone,
            networking: { nicIds: [nicId] },
            bootVolume: {
              source: { type: 'image', id: plan.image.id },
              size: plan.bootVolumeGib,
              ...(plan.bootVolumeClass === undefined ? {} : { performanceClass: plan.bootVolumeClass }),
              deleteOnTermination: true,
            },
            userData: Buffer.from(userData).toString('base64'),
            ...(environment.use_config_drive ? { configDrive: true } : {}),
            labels: labelsOf(run, entry, { [labelKeys.role]: role }),
          },
          s,
        );
      },
    },
    signal,
  );
}

/** A worker that will not come up by waiting: failed, going, or switched off by somebody. */
function isLost(server: CloudServer): boolean {
  const lost = ['ERROR', 'DELETING', 'INACTIVE', 'DEALLOCATED', 'DEALLOCATING', 'STOPPING', 'PAUSED', 'RESCUE', 'RESCUING'];
  return lost.includes(server.status ?? '') || ['CRASHED', 'STOPPED'].includes(server.status === 'ACTIVE' ? (server.powerStatus ?? '') : '');
}

const removalOrder: readonly ResourceKind[] = ['server', 'public-ip', 'nic', 'security-group-rule', 'security-group'];

/**
 * Removes a worker and all that was made for it. Goes on over single failures and reports them all; what can't go
 * because the server is still there is not tried.
 *
 * @throws `cloud.clean-up-incomplete`
 */
export async function stopWorker(session: CloudSession, keyRing: WorkerKeyRing, run: DestinationRun, role: WorkerRole, signal: AbortSignal): Promise<void> {
  const entries = run.ledger
    .list({ lifetime: 'temporary' })
    .filter((entry) => entry.key.startsWith(keyOf(role, '')) && entry.state !== 'removed')
    .sort((a, b) => removalOrder.indexOf(a.kind) - removalOrder.indexOf(b.kind));
  const failures: { readonly entry: LedgerEntry; readonly reason: string }[] = [];
  for (const entry of entries) {
    signal.throwIfAborted();
    const serverLeft = failures.some((failure) => failure.entry.kind === 'server');
    if (serverLeft && (entry.kind === 'nic' || entry.kind === 'security-group')) {
      failures.push({ entry, reason: 'its server is still there' });
      continue;
    }
    try {
      await releaseOwned(session, run.ledger, entry, signal);
      if (entry.kind === 'server') keyRing.delete(entry.entryId);
    } catch (error) {
      signal.throwIfAborted();
      failures.push({ entry, reason: toErrorRecord(error).message });
    }
  }
  if (failures.length === 0) return;
  throw new CausewayError('cloud.clean-up-incomplete', failures.map(({ entry, reason }) => `${entry.kind} ${entry.resourceId ?? entry.name}: ${reason}`).join('; '), {
    details: { left: failures.map(({ entry, reason }) => ({ kind: entry.kind, name: entry.name, resourceId: entry.resourceId ?? null, reason })) },
  });
}

function temporary(kind: ResourceKind, role: WorkerRole, part: string, details: Intent['details']): Intent {
  return { kind, key: keyOf(role, part), lifetime: 'temporary', details };
}
