import { CausewayError } from '../../../../shared/model/causeway-error.ts';
import { vmSchema } from '../../../../shared/model/vm.ts';
import type { DestinationRun } from '../../ports/destination-platform.ts';
import type { LedgerEntry } from '../../ports/ledger.ts';
import { newId } from '../../store/ids.ts';
import { ledgerScope, sideOf } from '../../store/ledger.ts';
import { openTransferState } from '../../replication/index.ts';
import { environmentDefinition } from '../environments.ts';
import { replicaEnvironments } from '../replica-environments.ts';
import { endpointOf, openDestination, openSource, replicaOf, using, type CoreContext } from '../core-context.ts';
import { referencedSecrets, resolveSecrets, separateSecrets, storeSecrets } from '../secret-references.ts';
import type { Replica } from '../../../../shared/model/replica.ts';
import type { CallsOf, Handlers } from './handler.ts';
import { refuseActive, refuseErrors, updateReplica } from './replica-update.ts';

export const replicaCalls: Handlers<CallsOf<'replica'>> = {
  async 'replica.create'(core, input, signal) {
    const source = endpointOf(core, input.source);
    const destination = endpointOf(core, input.destination);
    const { vmId, vm } = await using(openSource(core, source), async (platform) => {
      const known = await platform.listVms(signal);
      const byName = known.filter((candidate) => candidate.name === input.vm);
      const exact = known.find((candidate) => candidate.id === input.vm);
      if (exact === undefined && byName.length > 1) throw new CausewayError('engine.ambiguous-name', `${byName.length} virtual machines are called ${input.vm}`);
      const id = (exact ?? byName[0])?.id ?? input.vm;
      return { vmId: id, vm: await platform.describeVm(id, signal, input.sourceEnvironment) };
    });
    const id = newId('rep');
    const name = input.name ?? freeName(core, vm.name);
    if (core.store.replicas.list().some((replica) => replica.name === name)) throw new CausewayError('engine.name-taken', `replica ${name}`);
    const environments = {
      source: separateSecrets(environmentDefinition(source.plugin, 'source')?.schema, input.sourceEnvironment, `replica/${id}/source`),
      destination: separateSecrets(environmentDefinition(destination.plugin, 'destination')?.schema, input.destinationEnvironment, `replica/${id}/destination`),
    };
    const replica = {
      id,
      name,
      sourceEndpointId: source.id,
      destinationEndpointId: destination.id,
      vmId,
      vmName: vm.name,
      sourceEnvironment: environments.source.value,
      destinationEnvironment: environments.destination.value,
      ...(input.providerConfiguration === undefined ? {} : { providerConfiguration: input.providerConfiguration }),
      ...(input.wave === undefined ? {} : { wave: input.wave }),
      ...(input.cleared === undefined ? {} : { cleared: input.cleared }),
      createdAt: new Date().toISOString(),
    };
    refuseErrors(core, replica, vmSchema.parse(vm));
    await storeSecrets(environments.source, core.vault);
    await storeSecrets(environments.destination, core.vault);
    core.descriptions.addReplica(replica);
    return replicaOf(core, id);
  },

  'replica.update': updateReplica,

  async 'replica.list'(core) {
    return core.store.replicas.list();
  },

  async 'replica.show'(core, { replica }) {
    return replicaOf(core, replica);
  },

  async 'replica.execute'(core, { replica, options }) {
    const found = replicaOf(core, replica);
    core.deployments.refuseExecution(found);
    return core.executions.execute(found, options);
  },

  async 'replica.delete'(core, { replica: reference }, signal) {
    const replica = replicaOf(core, reference);
    refuseActive(core, replica);
    await deleteVolumes(core, replica, signal);
    await dropSnapshots(core, replica, signal);
    for (const disk of replica.disks) {
      openTransferState({ db: core.store.db, folder: transferFolder(core), replicaId: replica.id, diskId: disk.diskId, sizeBytes: disk.sizeBytes }).delete();
    }
    core.descriptions.removeReplica(replica.id);
    for (const secret of [...referencedSecrets(replica.sourceEnvironment), ...referencedSecrets(replica.destinationEnvironment)]) {
      if (secret.startsWith(`replica/${replica.id}/`)) await core.vault.remove(secret);
    }
    return {};
  },
};

/** Where digest maps lie. */
export function transferFolder(core: Pick<CoreContext, 'stateFolder'>): string {
  return `${core.stateFolder}/transfer`;
}

async function deleteVolumes(core: CoreContext, replica: Replica, signal: AbortSignal): Promise<void> {
  // What was deployed stays: it is no part of the replica any more.
  const isOurs = (entry: LedgerEntry): boolean => entry.replicaId === replica.id && sideOf(entry) === 'destination' && entry.lifetime !== 'deployment';
  const ours = core.store.ledger.list().filter(isOurs);
  if (ours.length === 0) return;
  const endpoint = endpointOf(core, replica.destinationEndpointId);
  const environment = replicaEnvironments(core, replica).values('destination');
  await using(openDestination(core, endpoint), async (destination) => {
    const run: DestinationRun = {
      replicaId: replica.id,
      executionId: '',
      vm: { id: replica.vmId, name: replica.vmName, os_type: 'linux', disks: [], nics: [] },
      environment: await resolveSecrets(environment, core.vault, (name, secret) => core.redactor.learn(name, secret)),
      ledger: ledgerScope(core.store.ledger, { endpointId: endpoint.id, replicaId: replica.id }),
      note: () => undefined,
    };
    // What executions left behind may hold the volumes attached.
    for (const entry of ours.filter((one) => one.lifetime === 'temporary').reverse()) {
      const scope = ledgerScope(core.store.ledger, {
        endpointId: entry.endpointId,
        replicaId: replica.id,
        ...(entry.executionId === undefined ? {} : { executionId: entry.executionId }),
      });
      await destination.removeResource(entry, scope, signal);
    }
    await destination.deleteVolumes(run, signal);
  });
  const left = core.store.ledger.list().filter(isOurs);
  if (left.length > 0) throw new CausewayError('engine.left-behind', `${left.length} resources of replica ${replica.name} are still there`);
}

async function dropSnapshots(core: CoreContext, replica: Replica, signal: AbortSignal): Promise<void> {
  const known = core.store.snapshots.list(replica.id).filter((stored) => stored.snapshot !== undefined);
  const recorded = (): LedgerEntry[] => core.store.ledger.list().filter((entry) => entry.replicaId === replica.id && sideOf(entry) === 'source');
  if (known.length === 0 && recorded().length === 0) return;
  await using(openSource(core, endpointOf(core, replica.sourceEndpointId), { replicaId: replica.id }), async (source) => {
    const base = core.store.snapshots.base(replica.id);
    for (const stored of known) {
      if (stored.snapshot === undefined) continue;
      if (stored.role === 'taken') await source.abandonSnapshot(stored.snapshot, base, signal);
      else await source.dropBase(stored.snapshot, signal);
      core.store.snapshots.setDropped(stored.tag);
    }
    // What executions left behind on the source, the last one made first.
    for (const entry of recorded().reverse()) {
      const { endpointId, executionId } = entry;
      const binding = { endpointId, replicaId: replica.id, side: 'source' as const, ...(executionId === undefined ? {} : { executionId }) };
      await source.removeResource?.(entry, ledgerScope(core.store.ledger, binding), signal);
    }
  });
  const left = recorded();
  if (left.length > 0) throw new CausewayError('engine.left-behind', `${left.length} resources of replica ${replica.name} are still on its source`);
}

function freeName(core: CoreContext, wanted: string): string {
  const taken = new Set(core.store.replicas.list().map((replica) => replica.name));
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? wanted : `${wanted}-${number}`;
    if (!taken.has(name)) return name;
  }
}
