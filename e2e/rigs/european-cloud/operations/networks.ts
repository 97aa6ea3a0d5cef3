import { randomBytes } from 'node:crypto';
import { badRequest, conflict, created, noContent, notFound, ok } from '../../cloud-kit/call.ts';
import { contains, firstFreeAddress, isIPv4, prefixRange, toAddress } from '../../cloud-kit/addresses.ts';
import { labelsField, mergedLabels, nameField, optionalString, selected, stringList } from '../call.ts';
import type { Call, Operation } from '../call.ts';
import { exposeServers } from '../reachability.ts';
import type { NetworkRecord, NicRecord } from '../records.ts';
import { newId } from '../world.ts';
import type { World } from '../world.ts';

export const listNetworks: Operation = (call) => ok({ items: selected(call, call.world.networks.listed()) });

export const getNetwork: Operation = ({ world, params }) => ok(world.networks.demand(params['networkId']));

/** A NIC as answers show it. */
export function showNic({ ownedByServer: _, ...shown }: NicRecord): Record<string, unknown> {
  return shown;
}

const nicOf = (call: Call): NicRecord => {
  const nic = call.world.nics.demand(call.params['nicId']);
  const network = call.params['networkId'];
  if (network !== undefined && nic.networkId !== network) throw notFound('network interface');
  return nic;
};

export const listNics: Operation = (call) => {
  const network = call.world.networks.demand(call.params['networkId']);
  return ok({
    items: selected(call, call.world.nics.listed())
      .filter((nic) => nic.networkId === network.id)
      .map(showNic),
  });
};

export const listProjectNics: Operation = (call) =>
  ok({ items: selected(call, call.world.nics.listed()).map(showNic) });

export const getNic: Operation = (call) => ok(showNic(nicOf(call)));

/** Takes an address of the network: the wanted one, or the first that is free. */
function takeAddress(world: World, network: NetworkRecord, wanted: string | undefined): string {
  const prefix = network.ipv4.prefixes[0] ?? '';
  const { first, last } = prefixRange(prefix);
  const taken = new Set([...world.nics.values()].filter((nic) => nic.networkId === network.id).map((nic) => nic.ipv4));
  if (wanted !== undefined) {
    if (!isIPv4(wanted) || !contains(prefix, wanted)) throw badRequest('ip address is not part of the network');
    const reserved = [first, first + 1, first + 2, last].map(toAddress);
    if (taken.has(wanted) || reserved.includes(wanted)) throw conflict('ip address is already in use');
    return wanted;
  }
  // The gateway and the metadata service sit on the first two.
  const free = firstFreeAddress(prefix, taken, 3);
  if (free === undefined) throw conflict('no free ip address in the network');
  return free;
}

export function makeNic(
  world: World,
  network: NetworkRecord,
  wish: Partial<
    Pick<
      NicRecord,
      | 'name'
      | 'ipv4'
      | 'labels'
      | 'securityGroups'
      | 'nicSecurity'
      | 'allowedAddresses'
      | 'description'
      | 'ownedByServer'
    >
  >,
): NicRecord {
  const groups = (wish.securityGroups ?? []).map((id) => world.securityGroups.demand(id));
  if (new Set(groups.map((group) => group.stateful)).size > 1) {
    throw badRequest('stateful and stateless security groups cannot be mixed on one network interface');
  }
  const fallback = [...world.securityGroups.values()]
    .filter((group) => group.name === 'default')
    .map((group) => group.id);
  const id = newId();
  const nic: NicRecord = {
    id,
    name: wish.name ?? id,
    labels: wish.labels ?? {},
    networkId: network.id,
    ipv4: takeAddress(world, network, wish.ipv4),
    mac: `fa:16:3e:${randomBytes(3)
      .toString('hex')
      .replace(/(..)(?=.)/g, '$1:')}`,
    allowedAddresses: wish.allowedAddresses ?? [],
    nicSecurity: wish.nicSecurity ?? true,
    securityGroups: wish.nicSecurity === false ? [] : (wish.securityGroups ?? fallback),
    status: 'DOWN',
    type: 'none',
    ownedByServer: wish.ownedByServer ?? false,
    ...(wish.description === undefined ? {} : { description: wish.description }),
  };
  world.nics.set(id, nic);
  return nic;
}

export const createNic: Operation = (call) => {
  const network = call.world.networks.demand(call.params['networkId']);
  call.world.demandQuota({ nics: 1 }, 429);
  const description = optionalString(call, 'description');
  const ipv4 = optionalString(call, 'ipv4');
  const nic = makeNic(call.world, network, {
    labels: labelsField(call),
    nicSecurity: call.body['nicSecurity'] !== false,
    ...(call.body['name'] === undefined ? {} : { name: nameField(call) }),
    ...(ipv4 === undefined ? {} : { ipv4 }),
    ...(description === undefined ? {} : { description }),
    ...(call.body['securityGroups'] === undefined
      ? {}
      : { securityGroups: stringList(call.body['securityGroups'], 'securityGroups') }),
    ...(call.body['allowedAddresses'] === undefined
      ? {}
      : { allowedAddresses: stringList(call.body['allowedAddresses'], 'allowedAddresses') }),
  });
  return created(showNic(nic));
};

export const updateNic: Operation = async (call) => {
  const nic = nicOf(call);
  if (call.body['name'] !== undefined) nic.name = nameField(call);
  if (call.body['securityGroups'] !== undefined) {
    const ids = stringList(call.body['securityGroups'], 'securityGroups');
    for (const id of ids) call.world.securityGroups.demand(id);
    nic.securityGroups = ids;
  }
  if (call.body['nicSecurity'] !== undefined) nic.nicSecurity = call.body['nicSecurity'] === true;
  if (call.body['allowedAddresses'] !== undefined)
    nic.allowedAddresses = stringList(call.body['allowedAddresses'], 'allowedAddresses');
  nic.labels = mergedLabels(call, nic.labels);
  await exposeServers(call.world);
  return ok(showNic(nic));
};

export const deleteNic: Operation = (call) => {
  const nic = nicOf(call);
  if (nic.device !== undefined) throw badRequest('network interface is in use by a server');
  for (const publicIp of call.world.publicIps.values()) {
    if (publicIp.networkInterface === nic.id) delete publicIp.networkInterface;
  }
  call.world.nics.delete(nic.id);
  return noContent();
};
