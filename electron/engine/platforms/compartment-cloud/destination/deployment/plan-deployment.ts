import { z } from 'zod';
import { CausewayError } from '../../../../../../shared/model/causeway-error.ts';
import type { JsonObject } from '../../../../../../shared/model/json.ts';
import type { Nic } from '../../../../../../shared/model/vm.ts';
import { deploymentKey } from '../../../../cloud-resources/deployment/deployment-keys.ts';
import { hasStarted, readPlanState } from '../../../../cloud-resources/deployment/plan-steps.ts';
import { labelValue } from '../../../../cloud-resources/labels.ts';
import { addNeeds, requireQuota } from '../../../../cloud-resources/quota-needs.ts';
import { missing } from '../../../../cloud-resources/read-environment.ts';
import { resolvedOrThrow } from '../../../../cloud-resources/resolve-reference.ts';
import { fits } from '../../../../cloud-resources/instance-type.ts';
import type { DeploymentPlan, DeploymentRun } from '../../../../ports/deployment-platform.ts';
import type { Volume } from '../../../../ports/destination-platform.ts';
import { attachmentTypes } from '../../client/compute.ts';
import type { SecurityGroup, Subnet } from '../../client/network.ts';
import { attachmentOf, bootDiskOf, readEnvironment, required, type DestinationEnvironment } from '../environment.ts';
import { quotaWords, readQuotas, shapeNeeds } from '../quotas.ts';
import { placeOf, type OciSession } from '../session.ts';
import { configFor, shapeOf, sizeOf, vnicLimit } from '../shapes.ts';
import { planWorker, resolveNamed, subnetsOf, workerNeeds } from '../worker-plan.ts';
import { launchProfile } from '../zero-image.ts';

const stateSchema = z.object({
  shapeConfig: z.object({ ocpus: z.number(), memoryInGBs: z.number() }).optional(),
  /** The VNICs that the instance will have; the first one is the primary one. */
  nics: z.array(
    z.object({
      id: z.string(),
      sourceNicId: z.string(),
      subnetId: z.string(),
      nsgIds: z.array(z.string()),
      assignPublicIp: z.boolean(),
      prefix: z.string().optional(),
      gateway: z.string().optional(),
    }),
  ),
  /** By disk, without the one to boot from. */
  attachments: z.record(z.string(), z.enum(attachmentTypes)),
});

export type PlanState = z.infer<typeof stateSchema>;

/** @throws `general.bug` when the plan is not one of this platform */
export function planState(plan: DeploymentPlan): PlanState {
  return readPlanState(stateSchema, plan);
}

/** Settles everything that can be settled, and refuses everything that can be refused, before anything is created. */
export async function planDeployment(
  session: OciSession,
  run: DeploymentRun,
  volumes: readonly Volume[],
  signal: AbortSignal,
): Promise<DeploymentPlan> {
  const environment = readEnvironment(run.environment);
  const place = await placeOf(session, environment, signal);
  const [subnets, groups] = await Promise.all([subnetsOf(session, place, signal), groupsOf(session, place, signal)]);
  const nics = run.vm.nics.map((nic, index) => planNic(run, environment, subnets, groups, nic, index));
  if (nics.length === 0)
    throw new CausewayError(
      'general.invalid-input',
      `VM ${run.vm.name} has no network interface, and the cloud has no instances without one`,
      { details: { vmId: run.vm.id } },
    );
  const boot = bootDiskOf(run.vm);
  const attachments = Object.fromEntries(
    run.vm.disks.filter(({ id }) => id !== boot?.id).map((disk) => [disk.id, attachmentOf(disk, environment)]),
  );
  const shape = await shapeOf(session, place, 'shape_name', required(environment, 'shape_name'), signal);
  const config = configFor(shape, run.vm);
  const size = sizeOf(shape, config);
  if (!fits(size, run.vm))
    run.note(`Shape ${shape.shape} is smaller than the source (${size.vcpus} vCPU, ${size.ram} MB)`, {
      shape: shape.shape,
    });
  const most = vnicLimit(shape, config);
  if (nics.length > most) {
    throw new CausewayError(
      'general.invalid-input',
      `shape_name: ${shape.shape} has at most ${most} VNICs, and the VM has ${nics.length} network interfaces`,
      { details: { parameter: 'shape_name', vnics: nics.length, most } },
    );
  }
  noteLimits(run, environment, attachments, nics.length);
  const worker = await planWorker(session, place, environment, run.preparationRole, signal);
  const gigabytes = volumes.reduce((sum, volume) => sum + Math.ceil(volume.sizeBytes / 2 ** 30), 0);
  const needs = addNeeds(
    // Snapshots are volumes as well. The worker is gone when the instance comes.
    { 'volume-count': 2 * volumes.length, 'total-storage-gb': 2 * gigabytes },
    larger(workerNeeds(worker).server, shapeNeeds(shape, config)),
  );
  if (!hasStarted(run)) requireQuota(needs, await readQuotas(session, place, needs, signal), quotaWords);
  const state: PlanState = { nics, attachments, ...config };
  return { machineType: shape.shape, state: JSON.parse(JSON.stringify(state)) as JsonObject };
}

/** Of needs that are not there at the same time, the larger one of each. */
function larger(
  one: Readonly<Record<string, number>>,
  other: Readonly<Record<string, number>>,
): Record<string, number> {
  return Object.fromEntries(
    [...new Set([...Object.keys(one), ...Object.keys(other)])].map((name) => [
      name,
      Math.max(one[name] ?? 0, other[name] ?? 0),
    ]),
  );
}

export async function groupsOf(
  session: OciSession,
  { compartmentId, networkCompartmentId }: { readonly compartmentId: string; readonly networkCompartmentId: string },
  signal: AbortSignal,
): Promise<readonly SecurityGroup[]> {
  const all = await Promise.all(
    [...new Set([networkCompartmentId, compartmentId])].map((each) => session.network.groups(each, signal)),
  );
  return all.flat();
}

function planNic(
  run: DeploymentRun,
  environment: DestinationEnvironment,
  subnets: readonly Subnet[],
  groups: readonly SecurityGroup[],
  nic: Nic,
  index: number,
): PlanState['nics'][number] {
  const mapped =
    environment.network_map[nic.network] ??
    missing('network_map', `network_map has no entry for "${nic.network}", the network of NIC ${nic.id}`);
  const subnet = resolvedOrThrow(
    'subnet',
    `network_map.${nic.network}.id`,
    mapped.id,
    resolveNamed(subnets, mapped.id),
  );
  const nsgIds = (mapped.security_groups ?? []).map((wanted) => {
    const group = resolvedOrThrow(
      'network security group',
      `network_map.${nic.network}.security_groups`,
      wanted,
      resolveNamed(groups, wanted),
    );
    if (group.vcnId === subnet.vcnId) return group.id;
    throw new CausewayError(
      'general.invalid-input',
      `network_map.${nic.network}.security_groups: ${wanted} belongs to another virtual cloud network than the subnet`,
      { details: { parameter: 'network_map', network: nic.network, group: wanted } },
    );
  });
  const wantsPublic = index === 0 && environment.set_public_ip;
  if (wantsPublic && subnet.prohibitPublicIpOnVnic === true) {
    throw new CausewayError(
      'general.invalid-input',
      `set_public_ip: subnet ${subnet.displayName ?? subnet.id} has no public addresses`,
      { details: { parameter: 'set_public_ip', subnetId: subnet.id } },
    );
  }
  return {
    // A VNIC is made with its instance: until then it is known by what its tag will say.
    id: labelValue(deploymentKey(run, `nic/${nic.id}`)),
    sourceNicId: nic.id,
    subnetId: subnet.id,
    nsgIds: [...new Set(nsgIds)],
    assignPublicIp: wantsPublic,
    ...(typeof subnet.cidrBlock === 'string' ? { prefix: subnet.cidrBlock } : {}),
    ...(typeof subnet.virtualRouterIp === 'string' ? { gateway: subnet.virtualRouterIp } : {}),
  };
}

/** What the platform leaves to the guest. */
function noteLimits(
  run: DeploymentRun,
  environment: DestinationEnvironment,
  attachments: PlanState['attachments'],
  nics: number,
): void {
  const iscsi = Object.entries(attachments)
    .filter(([, type]) => type === 'iscsi')
    .map(([diskId]) => diskId);
  if (iscsi.length > 0)
    run.note(
      `Disks attached by iSCSI (${iscsi.join(', ')}): the guest must log in to them. The console shows the commands`,
      { diskIds: iscsi },
    );
  if (nics > 1) run.note('The platform serves no addresses to secondary VNICs: configure them in the guest', { nics });
  if (run.vm.firmware === 'uefi' && 'use_pv_mode' in run.environment && !environment.use_pv_mode)
    run.note(
      `VM ${run.vm.name} boots with UEFI: it is paravirtualized, whatever use_pv_mode says (${launchProfile(run.vm, false).name})`,
    );
  if (run.vm.secure_boot === true)
    run.note('Secure Boot is turned off: instances from replicated boot volumes start without it');
}
