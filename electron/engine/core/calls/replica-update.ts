import { CausewayError } from '../../../../shared/model/causeway-error.ts';
import type { Replica } from '../../../../shared/model/replica.ts';
import type { Vm } from '../../../../shared/model/vm.ts';
import { findingsText } from '../../../../shared/schema/finding.ts';
import { configurationFindings, environmentDefinition } from '../environments.ts';
import { endpointOf, replicaOf, storedEndpoint, type CoreContext, type Handler } from '../core-context.ts';
import { replicaEnvironments } from '../replica-environments.ts';
import { referencedSecrets, separateSecrets, storeSecrets } from '../secret-references.ts';
import { checkLoginUses } from '../trust/check-logins.ts';
import { acceptEntered, acceptUses } from '../trust/entered-uses.ts';

/**
 * Updates a replica's settings; its endpoints and VM stay. The next execution uses them. Nothing
 * is changed while something runs, nor when the offline rules find an error.
 */
export const updateReplica: Handler<'replica.update'> = async (core, input) => {
  const before = replicaOf(core, input.replica);
  refuseActive(core, before);
  await core.accepted.load([
    storedEndpoint(core, before.sourceEndpointId),
    storedEndpoint(core, before.destinationEndpointId),
  ]);
  if (
    input.name !== undefined &&
    core.store.replicas.list().some(({ id, name }) => name === input.name && id !== before.id)
  ) {
    throw new CausewayError('engine.name-taken', `replica ${input.name}`);
  }
  const separated = {
    source: separateSecrets(
      schemaOf(core, before, 'source'),
      input.sourceEnvironment ?? before.sourceEnvironment,
      `replica/${before.id}/source`,
    ),
    destination: separateSecrets(
      schemaOf(core, before, 'destination'),
      input.destinationEnvironment ?? before.destinationEnvironment,
      `replica/${before.id}/destination`,
    ),
  };
  const { wave: _wave, providerConfiguration: _configuration, cleared: _cleared, checks: _checks, ...kept } = before;
  const wave = input.wave === undefined ? before.wave : (input.wave ?? undefined);
  const providerConfiguration =
    input.providerConfiguration === undefined
      ? before.providerConfiguration
      : (input.providerConfiguration ?? undefined);
  const cleared = input.cleared ?? before.cleared;
  const checks = input.checks ?? before.checks ?? [];
  const after: Replica = {
    ...kept,
    name: input.name ?? before.name,
    sourceEnvironment: separated.source.value,
    destinationEnvironment: separated.destination.value,
    ...(wave === undefined ? {} : { wave }),
    ...(providerConfiguration === undefined ? {} : { providerConfiguration }),
    ...(cleared === undefined || (cleared.source.length === 0 && cleared.destination.length === 0) ? {} : { cleared }),
    ...(checks.length === 0 ? {} : { checks }),
  };
  throwOnOfflineErrors(core, after, input.vm);
  await storeSecrets(separated.source, core.vault);
  await storeSecrets(separated.destination, core.vault);
  const configurations = {
    configurationBefore: before.providerConfiguration,
    configurationAfter: after.providerConfiguration,
  };
  const pluginOf = (id: string) => endpointOf(core, id).plugin;
  acceptEntered(core, [
    {
      plugin: pluginOf(before.sourceEndpointId),
      side: 'source',
      before: before.sourceEnvironment,
      after: after.sourceEnvironment,
      ...configurations,
    },
    {
      plugin: pluginOf(before.destinationEndpointId),
      side: 'destination',
      before: before.destinationEnvironment,
      after: after.destinationEnvironment,
      ...configurations,
    },
  ]);
  // Those that were there before may have come with the project's files.
  const former = new Set((before.checks ?? []).flatMap(checkLoginUses).map(({ key }) => key));
  acceptUses(
    core,
    (input.checks ?? [])
      .flatMap(checkLoginUses)
      .map(({ key }) => key)
      .filter((key) => !former.has(key)),
  );
  core.descriptions.updateReplica(after);
  await forgetSecrets(core, before, after);
  return replicaOf(core, before.id);
};

function schemaOf(core: CoreContext, replica: Replica, side: 'source' | 'destination') {
  const endpoint = side === 'source' ? replica.sourceEndpointId : replica.destinationEndpointId;
  return environmentDefinition(endpointOf(core, endpoint).plugin, side)?.schema;
}

/** Secrets of the replica's own that nothing refers to any more. */
async function forgetSecrets(core: CoreContext, before: Replica, after: Replica): Promise<void> {
  const used = new Set([
    ...referencedSecrets(after.sourceEnvironment),
    ...referencedSecrets(after.destinationEnvironment),
  ]);
  for (const secret of [
    ...referencedSecrets(before.sourceEnvironment),
    ...referencedSecrets(before.destinationEnvironment),
  ]) {
    if (!used.has(secret) && secret.startsWith(`replica/${before.id}/`)) await core.vault.remove(secret);
  }
}

/** @throws CausewayError `engine.execution-active`, `deployment.active` */
export function refuseActive(core: Pick<CoreContext, 'store'>, replica: Replica): void {
  const open = core.store.executions.listOpen().find((execution) => execution.replicaId === replica.id);
  if (open !== undefined) {
    const isInterrupted = open.state === 'interrupted';
    throw new CausewayError(
      isInterrupted ? 'engine.execution-interrupted' : 'engine.execution-active',
      `${open.id} of replica ${replica.name} is ${open.state}`,
      {
        details: { executionId: open.id },
      },
    );
  }
  const deploying = core.store.deployments.listOpen().find((deployment) => deployment.replicaId === replica.id);
  if (deploying !== undefined)
    throw new CausewayError('deployment.active', `${deploying.id} of replica ${replica.name} is ${deploying.state}`);
  const inspected = core.store.guestInspections.find(replica.id)?.state;
  if (inspected === 'running' || inspected === 'interrupted')
    throw new CausewayError('osmorphing.inspection-active', `replica ${replica.name}`);
}

/** @throws CausewayError `engine.environment-invalid` with every error that the offline rules find */
export function throwOnOfflineErrors(core: CoreContext, replica: Omit<Replica, 'disks'>, vm: Vm | undefined): void {
  const { providerConfiguration } = replica;
  const findings = [
    ...(providerConfiguration === undefined ? [] : configurationFindings(providerConfiguration)),
    ...replicaEnvironments(core, replica).findings(vm),
  ];
  const errors = findings.filter((finding) => finding.severity === 'error');
  if (errors.length === 0) return;
  throw new CausewayError('engine.environment-invalid', findingsText(errors), {
    details: { findings: errors.map(({ path, rule, message }) => ({ path, rule, message })) },
  });
}
