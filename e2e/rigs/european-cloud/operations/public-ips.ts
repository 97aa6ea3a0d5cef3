import { ApiError, badRequest, created, noContent, ok } from '../../cloud-kit/call.ts';
import { labelsField, mergedLabels, optionalString, selected } from '../call.ts';
import type { Operation } from '../call.ts';
import { exposeServers } from '../reachability.ts';
import type { PublicIpRecord } from '../records.ts';
import { newId } from '../world.ts';
import type { World } from '../world.ts';

export const listPublicIps: Operation = (call) => ok({ items: selected(call, call.world.publicIps.listed()) });

export const getPublicIp: Operation = ({ world, params }) => ok(world.publicIps.demand(params['publicIpId']));

function demandFreeNic(world: World, nicId: string, except?: PublicIpRecord): void {
  world.nics.demand(nicId);
  for (const other of world.publicIps.values()) {
    if (other !== except && other.networkInterface === nicId)
      throw badRequest('network interface already has a public ip');
  }
}

export const createPublicIp: Operation = async (call) => {
  const { world } = call;
  world.demandQuota({ publicIps: 1 }, 429);
  const nicId = optionalString(call, 'networkInterface');
  if (nicId !== undefined) demandFreeNic(world, nicId);
  const taken = new Set([...world.publicIps.values()].map((one) => one.ip));
  const ip = world.ground.publicAddresses.find((address) => !taken.has(address));
  if (ip === undefined) throw new ApiError(429, 'no public ip is free');
  const made: PublicIpRecord = {
    id: newId(),
    ip,
    labels: labelsField(call),
    ...(nicId === undefined ? {} : { networkInterface: nicId }),
  };
  world.publicIps.set(made.id, made);
  await exposeServers(world);
  return created({ ...made });
};

export const updatePublicIp: Operation = async (call) => {
  const target = call.world.publicIps.demand(call.params['publicIpId']);
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
  const target = world.publicIps.demand(params['publicIpId']);
  world.publicIps.delete(target.id);
  await exposeServers(world);
  return noContent();
};
