import { CausewayError } from '../../../../../../../shared/model/causeway-error.ts';
import { ownVmAccess } from '../../../../../cloud-resources/own-vm.ts';
import type { OwnVmAccess } from '../../../../../ports/own-vm.ts';
import { findInstance, listInstanceTypes } from '../../../client/compute.ts';
import type { SourceContext } from '../../source-context.ts';
import { cloudApi } from './cloud-api.ts';

/** How NVMe devices of Nitro instances call a volume. */
export const serialOf = (volumeId: string): string => volumeId.replace('-', '');

/** Copies on a VM of the region that an engine runs on. It has disks of its own, so that only devices with serials can be told apart. */
export function awsOwnVm(context: SourceContext): OwnVmAccess {
  const access = ownVmAccess(() => cloudApi(context), { areCopies: true, serialOf });
  return {
    ...access,
    async check(environment, vmId, signal) {
      const found = await access.check(environment, vmId, signal);
      const type = (await findInstance(context.cloud, vmId, signal))?.InstanceType ?? '';
      const [info] = await listInstanceTypes(context.cloud, [type], signal);
      if (info?.Hypervisor === 'xen') throw new CausewayError('engine.own-vm-unusable', `VM ${found.name} is a ${type}, the devices of which have no serials: take a type of the Nitro system`);
      return found;
    },
  };
}

/** The availability zone of such a VM: copies have to be made there. */
export async function zoneOf({ cloud }: SourceContext, vmId: string, signal: AbortSignal): Promise<string> {
  const zone = (await findInstance(cloud, vmId, signal))?.Placement?.AvailabilityZone;
  if (zone === undefined) throw new CausewayError('engine.own-vm-unusable', `there is no VM ${vmId}`);
  return zone;
}
