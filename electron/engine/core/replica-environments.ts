import { dirname } from 'node:path';
import { layerKey, type Defaults, type EnvironmentLayer } from '../../../shared/environment/layers.ts';
import { CausewayError } from '../../../shared/model/causeway-error.ts';
import type { Endpoint } from '../../../shared/model/endpoint.ts';
import type { JsonObject } from '../../../shared/model/json.ts';
import type { Side } from '../../../shared/model/plugin-id.ts';
import type { Replica } from '../../../shared/model/replica.ts';
import type { Vm } from '../../../shared/model/vm.ts';
import type { Finding } from '../../../shared/schema/finding.ts';
import { defaultsFiles } from '../project-files/defaults-files.ts';
import { storedEndpoint, type CoreParts } from './core-context.ts';
import { effectiveValues, environmentFindings, type LayeredSide } from './environments.ts';

/** A replica's environments as everything that the project says of them: its own values over its wave's and the project's. */
export interface ReplicaEnvironments {
  /** As a run uses them, secrets by reference. */
  values(side: Side): JsonObject;
  /** The same with secrets in plain text, by way of the gate. @throws CausewayError `trust.*`, `secrets.*` */
  opened(side: Side): Promise<JsonObject>;
  /** What the offline rules find. */
  findings(vm: Vm | undefined): Finding[];
}

type Written = Pick<
  Replica,
  | 'sourceEndpointId'
  | 'destinationEndpointId'
  | 'sourceEnvironment'
  | 'destinationEnvironment'
  | 'wave'
  | 'cleared'
  | 'providerConfiguration'
>;

/**
 * @param defaults as they were read for many replicas together; read now where they are not given
 * @throws CausewayError `engine.not-found` when its wave does not exist any more
 */
export function replicaEnvironments(
  core: Pick<CoreParts, 'store' | 'stateFolder' | 'accepted' | 'gate'>,
  replica: Written,
  defaults?: Defaults,
): ReplicaEnvironments {
  const files = defaultsFiles(projectFolderOf(core));
  const project = defaults?.project ?? files.project();
  const wave =
    replica.wave === undefined
      ? undefined
      : defaults === undefined
        ? files.waves.find(replica.wave)
        : defaults.waves.find(({ name }) => name === replica.wave);
  if (replica.wave !== undefined && wave === undefined)
    throw new CausewayError('engine.not-found', `wave ${replica.wave}`);
  const layered = (side: Side, endpoint: Endpoint, environment: JsonObject): LayeredSide => {
    const { plugin } = endpoint;
    const connection = core.accepted.shown(endpoint);
    const key = layerKey(plugin, side);
    const cleared = replica.cleared?.[side] ?? [];
    const vm: EnvironmentLayer = cleared.length === 0 ? { environment } : { environment, cleared };
    return {
      plugin,
      ...(connection === undefined ? {} : { connection }),
      layers: { project: project[key], wave: wave?.environments[key], vm },
    };
  };
  const sides = {
    source: layered('source', storedEndpoint(core, replica.sourceEndpointId), replica.sourceEnvironment),
    destination: layered(
      'destination',
      storedEndpoint(core, replica.destinationEndpointId),
      replica.destinationEnvironment,
    ),
  };
  const values = (side: Side): JsonObject => effectiveValues(side, sides[side], replica.providerConfiguration);
  return {
    values,
    opened: (side) => core.gate.environment(sides[side].plugin, side, values(side)),
    findings: (vm) => environmentFindings(sides, vm, replica.providerConfiguration),
  };
}

/** The state folder lies in the project's. */
export function projectFolderOf({ stateFolder }: Pick<CoreParts, 'stateFolder'>): string {
  return dirname(stateFolder);
}
