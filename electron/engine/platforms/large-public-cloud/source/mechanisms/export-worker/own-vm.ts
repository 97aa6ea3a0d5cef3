import type { Instance, InstanceTypeInfo } from '@aws-sdk/client-ec2';
import { CausewayError } from '../../../../../../../shared/model/causeway-error.ts';
import { ownVmAccess } from '../../../../../cloud-resources/own-vm.ts';
import type { OwnVmAccess, ThisComputer, VmHint } from '../../../../../ports/own-vm.ts';
import { findInstance, listInstanceTypes } from '../../../client/compute.ts';
import type { SourceContext } from '../../source-context.ts';
import { cloudApi, deviceNames } from './cloud-api.ts';

/** How NVMe devices of Nitro instances call a volume. */
export const serialOf = (volumeId: string): string => volumeId.replace('-', '');

/** Copies on a VM of the region that an engine runs on. It has disks of its own, so that only devices with serials can be told apart. */
export function awsOwnVm(context: SourceContext): OwnVmAccess {
  const access = ownVmAccess(() => cloudApi(context), { areCopies: true, serialOf, hints: instanceHints });
  return {
    ...access,
    async check(environment, vmId, signal) {
      const found = await access.check(environment, vmId, signal);
      const instance = await findInstance(context.cloud, vmId, signal);
      const type = instance?.InstanceType ?? '';
      const [info] = await listInstanceTypes(context.cloud, [type], signal);
      if (info?.Hypervisor === 'xen')
        throw new CausewayError(
          'engine.own-vm-unusable',
          `VM ${found.name} is a ${type}, the devices of which have no serials: take a type of the Nitro system`,
        );
      return { ...found, room: roomOf(instance, info) };
    },
  };
}

/** How many more volumes an instance takes: by the names that they are attached by, and by what its type says, which some types share with network interfaces and disks of the host. */
export function roomOf(
  instance: Pick<Instance, 'BlockDeviceMappings' | 'NetworkInterfaces'> | undefined,
  type: Pick<InstanceTypeInfo, 'EbsInfo' | 'InstanceStorageInfo'> | undefined,
): number {
  const attached = instance?.BlockDeviceMappings ?? [];
  const names = deviceNames.filter((name) => !attached.some(({ DeviceName: taken }) => taken === name)).length;
  const { MaximumEbsAttachments: most, AttachmentLimitType: limit } = type?.EbsInfo ?? {};
  if (most === undefined) return names;
  const ofHost = (type?.InstanceStorageInfo?.Disks ?? []).reduce((sum, { Count: count = 0 }) => sum + count, 0);
  const others = limit === 'shared' ? (instance?.NetworkInterfaces ?? []).length + ofHost : 0;
  return Math.max(0, Math.min(names, most - attached.length - others));
}

/** The second version of the metadata service answers those alone who ask for a token first. */
async function instanceHints(here: ThisComputer, signal: AbortSignal): Promise<readonly VmHint[]> {
  const token = await here.metadata(
    '/latest/api/token',
    { 'x-aws-ec2-metadata-token-ttl-seconds': '60' },
    signal,
    'PUT',
  );
  const isToken = token !== undefined && /^[\w+/=-]{1,512}$/.test(token);
  const told = await here.metadata(
    '/latest/meta-data/instance-id',
    isToken ? { 'x-aws-ec2-metadata-token': token } : {},
    signal,
  );
  const kept = await here.cloudInitId(signal);
  const isId = (text: string | undefined): text is string => text !== undefined && /^i-[0-9a-f]{8,32}$/.test(text);
  return [
    ...(isId(told) ? [{ vmId: told, by: 'metadata-service' as const }] : []),
    ...(isId(kept) ? [{ vmId: kept, by: 'cloud-init' as const }] : []),
  ];
}

/** The availability zone of such a VM: copies have to be made there. */
export async function zoneOf({ cloud }: SourceContext, vmId: string, signal: AbortSignal): Promise<string> {
  const zone = (await findInstance(cloud, vmId, signal))?.Placement?.AvailabilityZone;
  if (zone === undefined) throw new CausewayError('engine.own-vm-unusable', `there is no VM ${vmId}`);
  return zone;
}
