import { ApiError, badRequest } from '../api-error.ts';
import { created, labelsField, mergedLabels, noContent, ok, optionalString } from '../call.ts';
import type { Operation } from '../call.ts';
import { parseLabelSelector } from '../label-selector.ts';
import { demandQuota } from '../quota.ts';
import { exposeServers } from '../reachability.ts';
import type { PublicIpRecord } from '../records.ts';
import { get, newId } from '../world.ts';
import type { World } from '../world.ts';

export const listPublicIps: Operation = ({ world, query }) => {
  const matches = parseLabelSelector(query.get('label_selector') ?? '');
  return ok({ items: [...world.publicIps.values()].filter((one) => matches(one.labels)) });
};

export const getPublicIp: Operation = ({ world, params }) => ok(get(world.publicIps, params['publicIpId'], 'public ip'));

function demandFreeNic(world: World, nicId: string, except?: PublicIpRecord): void {
  get(world.nics, nicId, 'network interface');
  for (const other of world.publicIps.values()) {
    if (other !== except && other.networkInterface === nicId) throw badRequest('network interface already has a public ip');
  }
}

export const createPublicIp: Operation = async (call) => {
  const { world } = call;
  demandQuota(world, { publicIps: 1 }, (message) => new ApiError(429, message));
  const nicId = optionalString(call, 'networkInterface');
  if (nicId !== undefined) demandFreeNic(world, nicId);
  const taken = new Set([...world.publicIps.values()].map((one) => one.ip));
  const ip = world.setup.publicAddresses.find((address) => !taken.has(address));
  if (ip === undefined) throw new ApiError(429, 'no public ip is free');
  const made: PublicIpRecord = {
    id: newId(), ip, labels: labelsField(call), ...(nicId === undefined ? {} : { networkInterface: nicId }),
  };
  world.publicIps.set(made.id, made);
  await exposeServers(world);
  return created({ ...made });
};

export const updatePublicIp: Operation = async (call) => {
  const target = get(call.world.publicIps, call.params['publicIpId'], 'public ip');
  if (call.body['networkInterface'] === null) {
    delete target.networkInterface;
  } else {
    const nicId = optionalString(call, 'networkInterface');
    if (nicId !== undefined) {
      demandFreeNic(call.world, nicId, target);
      target.networkInterface = nicId;
    }
  }
  target.labels = mergedLabels(call, target.labels);
  await exposeServers(call.world);
  return ok({ ...target });
};

export const deletePublicIp: Operation = async ({ world, params }) => {
  const target = get(world.publicIps, params['publicIpId'], 'public ip');
  world.publicIps.delete(target.id);
  await exposeServers(world);
  return noContent();
};
