import { CausewayError, toErrorRecord } from '../../../../shared/model/causeway-error.ts';
import type { DestinationRun, Volume, WorkerAccess, WorkerRole } from '../../ports/destination-platform.ts';
import type { LedgerEntry, ResourceKind } from '../../ports/ledger.ts';
import { createEd25519KeyPair } from '../../ssh-keys/ed25519-key-pair.ts';
import { attachVolume } from './attachments.ts';
import { callerRanges } from './caller-address.ts';
import { readEnvironment, type DestinationEnvironment } from './environment.ts';
import type { Iaas } from './iaas/iaas.ts';
import { hasLabels, labelKeys } from './iaas/labels.ts';
import type { CloudServer } from './iaas/servers.ts';
import { ensureOwned, entryLabel, labelsOf, nameOf, type Owned } from './owned.ts';
import { requireQuota } from './quota-needs.ts';
import { reachedFromHere } from './reached-from-here.ts';
import { releaseOwned } from './remove-resource.ts';
import { awaitActive } from './server-state.ts';
import type { CloudSession } from './session.ts';
import { keyOf, temporary, type WorkerKeyRing } from './worker-entries.ts';
import { ensureNic, ensurePublicIp, ensureSecurityGroup } from './worker-network.ts';
import { agentPort, callerQuestion, planWorker, sshPort, workerNeeds, type WorkerPlan } from './worker-plan.ts';
import { decodeDebugKey, linuxWorkerUserData, workerUser } from './worker-user-data.ts';
import { createWindowsPassword, windowsWorkerUser, windowsWorkerUserData, winrmPort } from './windows-worker-user-data.ts';

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
  const reached = (port: number): { host: string; port: number } => reachedFromHere(session, address, port);
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
