import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import type { JsonObject } from '../../../../../shared/model/json.ts';
import type { CloudCalls } from '../../../cloud-resources/cloud-api.ts';
import { ownVmAccess, unusable } from '../../../cloud-resources/own-vm.ts';
import { textIn } from '../../../cloud-resources/vm-hints.ts';
import type { OwnVmAccess, VmHint } from '../../../ports/own-vm.ts';
import { parseResourceId, sameId } from '../client/resource-id.ts';
import { cloudCalls, getVm, lunOf, vmType } from './cloud-calls.ts';
import { directUse, endUpload } from './direct-upload.ts';
import { locationName, readEnvironment, readScope } from './environment.ts';
import { readOffers, resolveSize } from './offers.ts';
import type { AzureSession, Place } from './session.ts';

/** Volumes are attached to the VM that an engine runs on, unless their bytes are taken without any VM. */
export function ownVm(session: AzureSession): OwnVmAccess {
  const place = (environment: JsonObject): Place => {
    const { group, location } = readScope(environment);
    return { group: group ?? session.connection.defaultResourceGroup ?? '', location: location ?? '' };
  };
  return ownVmAccess(
    (environment, vmId) => spelledAs(cloudCalls(session, place(environment)), demandVmId(session, vmId)),
    {
      async hints(here, signal) {
        const document = await here.metadata(
          '/metadata/instance/compute?api-version=2021-02-01&format=json',
          { metadata: 'true' },
          signal,
        );
        const id = textIn(
          document,
          'resourceId',
          /^\/subscriptions\/[\w-]+\/resourceGroups\/[^/]{1,90}\/providers\/Microsoft\.Compute\/virtualMachines\/[^/]{1,64}$/i,
        );
        if (id === undefined || !isOwnVmId(session, id)) return [];
        const hints: VmHint[] = [{ vmId: id, by: 'metadata-service' }];
        // What is no id by itself confirms one: firmware has the first half of the VM's own UUID in another order of bytes.
        const [product, vm] = [await here.productUuid(signal), await readable(getVm(session, id, signal))];
        const own = vm?.vmId?.toLowerCase();
        if (product !== undefined && own !== undefined && [own, swapped(own)].includes(product))
          hints.push({ vmId: id, by: 'product-uuid' });
        return hints;
      },
      whyNone: (run, signal) => directUse(session, run, signal),
      async room(environment, vmId, signal) {
        const vm = await getVm(session, vmId, signal);
        const [location, wanted] = [locationName(vm?.location ?? ''), readEnvironment(environment).location];
        if (wanted !== undefined && locationName(wanted) !== location)
          throw unusable(
            `VM ${vm?.name ?? vmId} is in ${location}, and disks of ${locationName(wanted)} can't be attached to it`,
            vmId,
          );
        const size = resolveSize(
          (await readOffers(session, location, signal)).sizes,
          vm?.hardwareProfile?.vmSize ?? '',
        );
        // Sizes that are no longer offered are in no list.
        return size.outcome === 'found'
          ? Math.max(0, size.resource.dataDisks - (vm?.storageProfile?.dataDisks?.length ?? 0))
          : undefined;
      },
      async prepare(_run, vmId, { id }, signal) {
        const { group, name } = parseResourceId(id);
        const { disks } = await session.compute();
        const [vm, disk] = [
          await getVm(session, vmId, signal),
          await session.find(`read disk ${name}`, (options) => disks.get(group, name, options), signal),
        ];
        const [vmZone, diskZone] = [vm?.zones?.[0], disk?.zones?.[0]];
        if (vmZone !== diskZone && disk?.sku?.name?.endsWith('_ZRS') !== true) {
          throw unusable(
            `VM ${vm?.name ?? vmId} is ${zoneText(vmZone)}, and disk ${name} ${zoneText(diskZone)} can't be attached to it`,
            vmId,
          );
        }
        await endUpload(session, id, signal);
      },
      // Such a VM has disks of its own on further controllers, so that the number alone does not tell.
      deviceOf: async (_run, vmId, { id, sizeBytes }, signal) => ({
        kind: 'lun',
        lun: await lunOf(session, vmId, id, signal),
        isLinked: true,
        sizeBytes,
      }),
    },
  );
}

/** What the account may not read confirms nothing. */
async function readable<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof CausewayError && error.code === 'cloud.permission-denied') return undefined;
    throw error;
  }
}

const zoneText = (zone: string | undefined): string => (zone === undefined ? 'in no zone' : `in zone ${zone}`);

/** @throws `engine.own-vm-unusable` */
function demandVmId({ connection }: Pick<AzureSession, 'connection'>, vmId: string): string {
  if (isOwnVmId({ connection }, vmId)) return vmId;
  const example = `/subscriptions/${connection.subscriptionId}/resourceGroups/<group>/providers/${vmType}/<name>`;
  throw unusable(`${vmId} is not the resource ID of a VM of this subscription: ${example}`, vmId);
}

function isOwnVmId({ connection }: Pick<AzureSession, 'connection'>, vmId: string): boolean {
  try {
    const { subscription, type } = parseResourceId(vmId);
    return sameId(subscription, connection.subscriptionId) && type === vmType.toLowerCase();
  } catch (error) {
    if (error instanceof CausewayError) return false;
    throw error;
  }
}

/** A UUID whose first three parts are read in the other order of bytes. */
function swapped(uuid: string): string {
  const [low = '', mid = '', high = '', ...rest] = uuid.split('-');
  return [...[low, mid, high].map((part) => (part.match(/../g) ?? []).toReversed().join('')), ...rest].join('-');
}

/** Answers spell the id of a VM in several ways: this one as it was given. */
export function spelledAs(cloud: CloudCalls, vmId: string): CloudCalls {
  const { get } = cloud.volumes;
  return {
    ...cloud,
    volumes: {
      ...cloud.volumes,
      async get(id, signal) {
        const volume = await get(id, signal);
        return volume !== undefined && sameId(volume.serverId, vmId) ? { ...volume, serverId: vmId } : volume;
      },
    },
  };
}
