import { z } from 'zod';
import { CausewayError } from '../../../../../../shared/model/causeway-error.ts';
import type { JsonObject } from '../../../../../../shared/model/json.ts';
import { deploymentKey } from '../../../../cloud-resources/deployment/deployment-keys.ts';
import { mappedName, readPlanState } from '../../../../cloud-resources/deployment/plan-steps.ts';
import { fits } from '../../../../cloud-resources/instance-type.ts';
import { labelValue } from '../../../../cloud-resources/labels.ts';
import { resolve, resolvedOrThrow } from '../../../../cloud-resources/resolve-reference.ts';
import type { DeploymentPlan, DeploymentRun } from '../../../../ports/deployment-platform.ts';
import type { Volume } from '../../../../ports/destination-platform.ts';
import { callerRanges } from '../../../../workers/caller-address.ts';
import { mostVolumes } from '../../client/object-names.ts';
import type { Classic } from '../../client/open-classic.ts';
import { callerOf, named, planWorker, workerNetwork } from '../../cloud/start-worker.ts';
import { poolOf, readEnvironment, workerWish } from '../environment.ts';
import { shapeFor } from '../shapes.ts';

/** Interfaces of an instance: `eth0` to `eth7`. */
export const mostNics = 8;

const stateSchema = z.object({
  /** In the order of the guest's interfaces. */
  nics: z.array(z.object({ id: z.string(), sourceNicId: z.string(), network: z.string(), prefix: z.string() })),
  key: z.string().optional(),
  publicAddress: z.boolean(),
});

export type PlanState = z.infer<typeof stateSchema>;

/** @throws `general.bug` when the plan is not one of this platform */
export function planState(plan: DeploymentPlan): PlanState {
  return readPlanState(stateSchema, plan);
}

/** Settles everything that can be settled, and refuses everything that can be refused, before anything is created. */
export async function planDeployment(
  classic: Classic,
  run: DeploymentRun,
  volumes: readonly Volume[],
  signal: AbortSignal,
): Promise<DeploymentPlan> {
  const environment = readEnvironment(run.environment);
  const { vm } = run;
  if (vm.firmware === 'uefi')
    throw refused(`VM ${vm.name} boots with UEFI, and the platform has BIOS alone`, { vmId: vm.id });
  if (volumes.length > mostVolumes)
    throw refused(`VM ${vm.name} has ${volumes.length} disks, and an instance takes ${mostVolumes}`, {
      disks: volumes.length,
    });
  if (vm.nics.length === 0)
    throw refused(`VM ${vm.name} has no network interface, and the cloud has no instances without one`, {
      vmId: vm.id,
    });
  if (vm.nics.length > mostNics)
    throw refused(`VM ${vm.name} has ${vm.nics.length} network interfaces, and an instance takes ${mostNics}`, {
      nics: vm.nics.length,
    });
  const networks = named(await classic.network.ipNetworks(signal));
  const nics = vm.nics.map((nic) => {
    const wanted = mappedName(environment.network_map, nic);
    const { object } = resolvedOrThrow('IP network', `network_map.${nic.network}`, wanted, resolve(networks, wanted));
    // A VNIC is made with its instance: until then it is known by what its name will be.
    return {
      id: labelValue(deploymentKey(run, `nic/${nic.id}`)),
      sourceNicId: nic.id,
      network: object.name,
      prefix: object.ipAddressPrefix,
    };
  });
  for (const disk of vm.disks) poolOf(disk, environment);
  const size = shapeFor(await classic.compute.shapes(signal), environment.shape_name, vm);
  if (!fits(size, vm))
    run.note(`Shape ${size.name} is smaller than the source (${size.vcpus} vCPU, ${size.ram} MB)`, {
      shape: size.name,
    });
  await planWorker(classic, workerWish(environment, run.preparationRole), run.preparationRole, undefined, signal);
  await callerRanges(callerOf(classic), workerNetwork, signal);
  const key =
    environment.keypair_name === undefined ? undefined : await keyNamed(classic, environment.keypair_name, signal);
  if (vm.secure_boot === true) run.note('Secure Boot is turned off: the platform has none');
  const state: PlanState = { nics, publicAddress: environment.set_public_ip, ...(key === undefined ? {} : { key }) };
  return { machineType: size.name, state: JSON.parse(JSON.stringify(state)) as JsonObject };
}

async function keyNamed({ compute }: Classic, wanted: string, signal: AbortSignal): Promise<string> {
  const key = resolvedOrThrow('SSH key', 'keypair_name', wanted, resolve(named(await compute.sshKeys(signal)), wanted));
  if (key.enabled !== false) return key.id;
  throw refused(`keypair_name: SSH key ${wanted} is disabled`, { parameter: 'keypair_name' });
}

const refused = (message: string, details: JsonObject): CausewayError =>
  new CausewayError('general.invalid-input', message, { details });
