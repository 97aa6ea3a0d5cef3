import { CausewayError } from '../../../../shared/model/causeway-error.ts';
import { isTerminalDeployment, type Deployment, type DeploymentOptions } from '../../../../shared/model/deployment.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../../shared/model/json.ts';
import { isCutOver } from '../../../../shared/model/machine-life.ts';
import type { Replica } from '../../../../shared/model/replica.ts';
import type { CoreContext } from '../core-context.ts';
import { replicaEnvironments } from '../replica-environments.ts';
import { currentLife } from './life-facts.ts';

type Parts = Pick<CoreContext, 'store' | 'stateFolder' | 'accepted' | 'gate' | 'evidence'> & {
  readonly deployments: Pick<CoreContext['deployments'], 'deploy'>;
};

/**
 * Starts a deployment, or continues one that was interrupted.
 * @throws CausewayError `life.*`, and what the deployment service throws
 */
export function startDeployment(core: Parts, replica: Replica, options: DeploymentOptions): Deployment {
  refusePurpose(core, replica, options);
  const deployment = core.deployments.deploy(replica, withChecks(replica, options));
  startedPurpose(core, deployment);
  return deployment;
}

/** The replica's own checks, unless others were asked for: the record says what was to be checked then. */
function withChecks(replica: Replica, options: DeploymentOptions): DeploymentOptions {
  const checks = options.checks ?? replica.checks ?? [];
  const { checks: _given, ...rest } = options;
  return checks.length === 0 ? rest : { ...rest, checks };
}

/**
 * What speaks against a deployment at this point of the VM's life.
 * @throws CausewayError `life.*`
 */
function refusePurpose(core: Parts, replica: Replica, options: DeploymentOptions): void {
  if (options.purpose === 'rehearsal') {
    rehearsalEnvironment(replicaEnvironments(core, replica).values('destination'), options.rehearsal ?? {});
  }
  const life = currentLife(core, replica);
  if (life.state === 'finalised' || life.state === 'finalising')
    throw new CausewayError('life.finalised', `replica ${replica.name} is ${life.state}`);
  if (life.state === 'rolling-back')
    throw new CausewayError('life.wrong-state', `the roll-back of replica ${replica.name} has not ended`);
  if (!isCutOver(options)) return;
  if (life.state === 'running-at-destination')
    throw new CausewayError(
      'life.wrong-state',
      `replica ${replica.name} already runs at its destination (${life.cutOver?.deploymentId ?? ''}). Roll it back first, or finalise it`,
    );
}

/** Refuses what would write over the volumes of a VM whose life as a replica is over. @throws CausewayError `life.finalised` */
export function refuseFinalised(
  core: Pick<CoreContext, 'store' | 'stateFolder' | 'accepted' | 'gate'>,
  replica: Replica,
): void {
  if (!core.store.life.list(replica.id).some(({ kind }) => kind === 'finalise-started' || kind === 'finalised')) return;
  const { state } = currentLife(core, replica);
  if (state === 'finalised' || state === 'finalising')
    throw new CausewayError('life.finalised', `replica ${replica.name} is ${state}`);
}

/** Records who started a rehearsal or a cut-over. A deployment that is only continued has its record. */
function startedPurpose(core: Parts, deployment: Deployment): void {
  const { id, options, replicaId, replicaName: name, number } = deployment;
  const kind =
    options.purpose === 'rehearsal' ? 'rehearsal-started' : isCutOver(options) ? 'cut-over-started' : undefined;
  if (kind === undefined || isTerminalDeployment(deployment.state)) return;
  if (core.store.life.list(replicaId).some((record) => record.kind === kind && record.details['deploymentId'] === id))
    return;
  const replica = core.store.replicas.find(replicaId);
  const approved = replica !== undefined && currentLife(core, replica).approval?.isCurrent === true;
  core.evidence.life({ id: replicaId, name }, kind, undefined, {
    deploymentId: id,
    number,
    ...(kind === 'cut-over-started'
      ? { approved, sourceIsStopped: options.sourceIsStopped === true }
      : {
          networks: {
            ...options.rehearsal?.networks,
            ...(options.rehearsal?.network === undefined ? {} : { '*': options.rehearsal.network }),
          },
        }),
  });
}

/**
 * A destination environment with the networks of a rehearsal.
 * @throws CausewayError `life.rehearsal-network` when a NIC would come into one of the networks that the VM is meant for
 */
export function rehearsalEnvironment(
  environment: JsonObject,
  { network, networks = {} }: NonNullable<DeploymentOptions['rehearsal']>,
): JsonObject {
  const mapped = isJsonObject(environment['network_map']) ? environment['network_map'] : {};
  const meant = new Set(Object.values(mapped).map(networkName));
  const unknown = Object.keys(networks).filter((from) => !Object.hasOwn(mapped, from));
  if (unknown.length > 0)
    throw new CausewayError('life.rehearsal-network', `network_map has no source network ${unknown.join(', ')}`);
  if (Object.keys(mapped).length === 0)
    throw new CausewayError(
      'life.rehearsal-network',
      'the settings have no network_map, so that the networks of a rehearsal cannot be set apart',
    );
  const isolated = Object.entries(mapped).map(([from, to]): [string, JsonValue] => {
    const other = Object.hasOwn(networks, from) ? networks[from] : network;
    if (other === undefined)
      throw new CausewayError(
        'life.rehearsal-network',
        `no network for the rehearsal replaces ${networkName(to)} (source network ${from})`,
      );
    if (meant.has(other))
      throw new CausewayError(
        'life.rehearsal-network',
        `${other} is a network that the VM is meant for; a rehearsal needs another one`,
      );
    return [from, other];
  });
  return { ...environment, network_map: Object.fromEntries(isolated) };
}

function networkName(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
