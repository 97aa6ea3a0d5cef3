import { CausewayError } from '../../../../shared/model/causeway-error.ts';
import type { JsonObject } from '../../../../shared/model/json.ts';
import { vmSchema, type Vm } from '../../../../shared/model/vm.ts';
import type { SourcePlatform } from '../../ports/source-platform.ts';
import { newId } from '../../store/ids.ts';
import { environmentDefinition } from '../environments.ts';
import {
  endpointOf,
  openSource,
  replicaOf,
  storedEndpoint,
  using,
  type CallsOf,
  type CoreContext,
  type Handlers,
} from '../core-context.ts';
import { separateSecrets, storeSecrets } from '../secret-references.ts';
import { orderExecution } from '../fleet/ordered-runs.ts';
import { refuseFinalised } from '../life/purposes.ts';
import type { LifeCall } from './life.ts';
import { checkLoginUses } from '../trust/check-logins.ts';
import { acceptEntered, acceptUses } from '../trust/entered-uses.ts';
import { createReplicas } from './replica-create-many.ts';
import { deleteReplica } from './replica-deletion.ts';
import { replicaReadiness } from './replica-readiness.ts';
import { throwOnOfflineErrors, updateReplica } from './replica-update.ts';

/** A guest OS that is not known yet can be mapped in the environment of the replica, so it must not keep the replica from being created. */
async function describedForNow(
  platform: SourcePlatform,
  id: string,
  environment: JsonObject,
  signal: AbortSignal,
): Promise<Vm> {
  try {
    return await platform.describeVm(id, signal, environment);
  } catch (error) {
    if (!(error instanceof CausewayError) || error.code !== 'source.os-type-unknown') throw error;
    return platform.describeVm(id, signal);
  }
}

export const replicaCalls: Handlers<Exclude<CallsOf<'replica'>, LifeCall>> = {
  async 'replica.create'(core, input, signal) {
    const source = endpointOf(core, input.source);
    const destination = endpointOf(core, input.destination);
    await core.accepted.load([storedEndpoint(core, source.id), storedEndpoint(core, destination.id)]);
    const { vmId, vm } = await using(openSource(core, source), async (platform) => {
      const known = await platform.listVms(signal);
      const byName = known.filter((candidate) => candidate.name === input.vm);
      const exact = known.find((candidate) => candidate.id === input.vm);
      if (exact === undefined && byName.length > 1)
        throw new CausewayError('engine.ambiguous-name', `${byName.length} VMs have the name ${input.vm}`);
      const id = (exact ?? byName[0])?.id ?? input.vm;
      return { vmId: id, vm: await describedForNow(platform, id, input.sourceEnvironment, signal) };
    });
    const id = newId('rep');
    const name = input.name ?? freeName(core, vm.name);
    if (core.store.replicas.list().some((replica) => replica.name === name))
      throw new CausewayError('engine.name-taken', `replica ${name}`);
    const environments = {
      source: separateSecrets(
        environmentDefinition(source.plugin, 'source')?.schema,
        input.sourceEnvironment,
        `replica/${id}/source`,
      ),
      destination: separateSecrets(
        environmentDefinition(destination.plugin, 'destination')?.schema,
        input.destinationEnvironment,
        `replica/${id}/destination`,
      ),
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
      ...(input.checks === undefined ? {} : { checks: input.checks }),
      createdAt: new Date().toISOString(),
    };
    throwOnOfflineErrors(core, replica, vmSchema.parse(vm));
    await storeSecrets(environments.source, core.vault);
    await storeSecrets(environments.destination, core.vault);
    const configurationAfter = input.providerConfiguration;
    acceptEntered(core, [
      { plugin: source.plugin, side: 'source', after: replica.sourceEnvironment, configurationAfter },
      { plugin: destination.plugin, side: 'destination', after: replica.destinationEnvironment, configurationAfter },
    ]);
    acceptUses(
      core,
      (input.checks ?? []).flatMap(checkLoginUses).map(({ key }) => key),
    );
    core.descriptions.addReplica(replica);
    return replicaOf(core, id);
  },

  'replica.createMany': createReplicas,

  'replica.update': updateReplica,

  'replica.readiness': replicaReadiness,

  async 'replica.list'(core) {
    return core.store.replicas.list();
  },

  async 'replica.show'(core, { replica }) {
    return replicaOf(core, replica);
  },

  async 'replica.execute'(core, { replica, options, inFleet }, signal) {
    const found = replicaOf(core, replica);
    if (inFleet) return orderExecution(core, found, options, signal);
    refuseFinalised(core, found);
    core.deployments.refuseExecution(found);
    return core.executions.execute(found, options);
  },

  'replica.delete': deleteReplica,
};

function freeName(core: CoreContext, wanted: string): string {
  const taken = new Set(core.store.replicas.list().map((replica) => replica.name));
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? wanted : `${wanted}-${number}`;
    if (!taken.has(name)) return name;
  }
}
