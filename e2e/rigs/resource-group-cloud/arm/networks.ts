import { contains, firstFreeAddress, isIPv4, prefixRange, toAddress } from '../../cloud-kit/addresses.ts';
import { exposeServers } from '../reachability.ts';
import type {
  IpConfiguration,
  NetworkInterfaceRecord,
  PublicIpRecord,
  SecurityGroupRecord,
  SecurityRule,
  SubnetRecord,
  SubResource,
  VirtualNetworkRecord,
} from '../records.ts';
import type { World } from '../world.ts';
import {
  beginOperation,
  commonOperations,
  demand,
  idOf,
  invalid,
  locationOf,
  objectField,
  optionalString,
  propertiesOf,
  referred,
  refuse,
  sameId,
  stringField,
  stringList,
  tagsOf,
  zonesOf,
  type Body,
  type Call,
  type Operation,
} from './call.ts';
import { demandName } from './disks.ts';

const network = 'Microsoft.Network';
const nicType = `${network}/networkInterfaces`;
const ipType = `${network}/publicIPAddresses`;
const groupType = `${network}/networkSecurityGroups`;
const vnetType = `${network}/virtualNetworks`;

export const nics = commonOperations<NetworkInterfaceRecord>({
  type: nicType,
  collection: (world) => world.networkInterfaces,
});
export const publicIps = commonOperations<PublicIpRecord>({ type: ipType, collection: (world) => world.publicIps });
export const securityGroups = commonOperations<SecurityGroupRecord>({
  type: groupType,
  collection: (world) => world.securityGroups,
});
export const virtualNetworks = commonOperations<VirtualNetworkRecord>({
  type: vnetType,
  collection: (world) => world.virtualNetworks,
});

function demandNetworkLimit(world: World, name: string, code: string): void {
  const limit = world.setup.networkLimits[name];
  if (limit !== undefined && (world.networkUsage()[name] ?? 0) >= limit)
    throw refuse(400, code, `Cannot create more than ${limit} ${name} for this subscription in this region.`);
}

/** Network resources are made in a moment; what can fail or hang is the same as everywhere. */
function settle<R extends { readonly properties: { provisioningState: string } }>(
  call: Call,
  record: R,
  status: number,
): ReturnType<Operation> {
  return beginOperation(
    call,
    network,
    {
      succeed: () => {
        record.properties.provisioningState = 'Succeeded';
      },
      fail: () => {
        record.properties.provisioningState = 'Failed';
      },
    },
    { status, body: { ...record, properties: { ...record.properties } }, result: () => record },
  );
}

function remove(call: Call, done: () => void): ReturnType<Operation> {
  return beginOperation(
    call,
    network,
    { work: () => exposeServers(call.world), succeed: done, fail: () => undefined },
    { status: 202 },
  );
}

export function subnetOf(
  world: World,
  id: string,
): { readonly network: VirtualNetworkRecord; readonly subnet: SubnetRecord } | undefined {
  for (const one of world.virtualNetworks.values()) {
    const subnet = one.properties.subnets.find((each) => sameId(each.id, id));
    if (subnet !== undefined) return { network: one, subnet };
  }
  return undefined;
}

const configurations = (world: World): readonly IpConfiguration[] =>
  [...world.networkInterfaces.values()].flatMap(({ properties }) => properties.ipConfigurations);

/** The addresses of a subnet that are taken; the first four and the last belong to the cloud. */
const takenIn = (world: World, subnetId: string): Set<string> =>
  new Set(
    configurations(world)
      .filter(({ properties }) => sameId(properties.subnet.id, subnetId))
      .map(({ properties }) => properties.privateIPAddress),
  );

function addressFor(call: Call, subnet: SubnetRecord, wanted: string | undefined, except: ReadonlySet<string>): string {
  const { addressPrefix } = subnet.properties;
  const { first, last } = prefixRange(addressPrefix);
  const taken = takenIn(call.world, subnet.id);
  for (const own of except) taken.delete(own);
  if (wanted === undefined) {
    const free = firstFreeAddress(addressPrefix, taken, 4);
    if (free === undefined)
      throw refuse(
        400,
        'SubnetIsFull',
        `Subnet ${subnet.name} with address prefix ${addressPrefix} does not have enough capacity.`,
      );
    return free;
  }
  if (!isIPv4(wanted) || !contains(addressPrefix, wanted))
    throw refuse(
      400,
      'PrivateIPAddressNotInSubnet',
      `Private static IP address ${wanted} does not belong to the range of subnet prefix ${addressPrefix}.`,
    );
  if ([first, first + 1, first + 2, first + 3, last].map(toAddress).includes(wanted))
    throw refuse(
      400,
      'PrivateIPAddressInReservedRange',
      `Private static IP address ${wanted} falls within reserved IP range of subnet prefix ${addressPrefix}.`,
    );
  if (taken.has(wanted))
    throw refuse(400, 'PrivateIPAddressInUse', `Private IP address ${wanted} is already allocated.`);
  return wanted;
}

export const putNic: Operation = async (call) => {
  const { world } = call;
  const id = idOf(call, nicType);
  const existing = world.networkInterfaces.get(id.toLowerCase());
  demandName(call.params['name'] ?? '');
  const location = locationOf(call);
  const properties = propertiesOf(call);
  const list = properties['ipConfigurations'];
  if (!Array.isArray(list) || list.length === 0) throw invalid('ipConfigurations', 'at least one is needed');
  if (existing === undefined) demandNetworkLimit(world, 'NetworkInterfaces', 'NetworkInterfaceCountLimitReached');
  const own = new Map((existing?.properties.ipConfigurations ?? []).map((each) => [each.name, each]));
  const ipConfigurations = list.map((each: Body, index): IpConfiguration => {
    const name = stringField(each, 'name');
    const wish = objectField(each['properties'], 'ipConfigurations.properties');
    const subnetId = stringField(objectField(wish['subnet'], 'subnet'), 'id');
    const found = subnetOf(world, subnetId);
    if (found === undefined)
      throw refuse(400, 'InvalidResourceReference', `Resource ${subnetId} referenced by resource ${id} was not found.`);
    const method = optionalString(wish, 'privateIPAllocationMethod') ?? 'Dynamic';
    const wanted =
      method === 'Static' ? stringField(wish, 'privateIPAddress') : own.get(name)?.properties.privateIPAddress;
    const privateIPAddress = addressFor(
      call,
      found.subnet,
      wanted,
      new Set([...own.values()].map(({ properties: p }) => p.privateIPAddress)),
    );
    const configurationId = `${id}/ipConfigurations/${name}`;
    const publicIp =
      wish['publicIPAddress'] === undefined
        ? undefined
        : referred(world.publicIps, wish['publicIPAddress'], 'publicIPAddress');
    if (
      publicIp?.properties.ipConfiguration !== undefined &&
      !sameId(publicIp.properties.ipConfiguration.id, configurationId)
    )
      throw refuse(
        400,
        'PublicIPAddressInUse',
        `Resource ${configurationId} is referencing public IP address ${publicIp.id} that is already allocated.`,
      );
    if (publicIp !== undefined) publicIp.properties.ipConfiguration = { id: configurationId };
    return {
      id: configurationId,
      name,
      properties: {
        primary: index === 0,
        privateIPAddress,
        privateIPAllocationMethod: method,
        privateIPAddressVersion: 'IPv4',
        subnet: { id: found.subnet.id },
        provisioningState: 'Succeeded',
        ...(publicIp === undefined ? {} : { publicIPAddress: { id: publicIp.id } }),
      },
    };
  });
  const group =
    properties['networkSecurityGroup'] === undefined
      ? undefined
      : referred(world.securityGroups, properties['networkSecurityGroup'], 'networkSecurityGroup');
  const nic: NetworkInterfaceRecord = {
    id,
    name: call.params['name'] ?? '',
    type: nicType,
    location,
    ...tagsOf(call),
    properties: {
      ...(existing === undefined
        ? {}
        : {
            ...(existing.properties.virtualMachine && { virtualMachine: existing.properties.virtualMachine }),
            ...(existing.properties.macAddress && { macAddress: existing.properties.macAddress }),
          }),
      ipConfigurations,
      ...(group === undefined ? {} : { networkSecurityGroup: { id: group.id } }),
      enableAcceleratedNetworking: properties['enableAcceleratedNetworking'] === true,
      enableIPForwarding: false,
      provisioningState: existing === undefined ? 'Updating' : 'Succeeded',
    },
  };
  world.networkInterfaces.set(id.toLowerCase(), nic);
  // An address that the interface had and has no more is free.
  for (const one of world.publicIps.values()) {
    const holds = ipConfigurations.some((each) => sameId(each.properties.publicIPAddress?.id, one.id));
    if (!holds && one.properties.ipConfiguration?.id.toLowerCase().startsWith(`${id.toLowerCase()}/`) === true)
      delete one.properties.ipConfiguration;
  }
  await exposeServers(world);
  return settle(call, nic, existing === undefined ? 201 : 200);
};

export const deleteNic: Operation = (call) => {
  const { world } = call;
  const id = idOf(call, nicType);
  const nic = world.networkInterfaces.get(id.toLowerCase());
  if (nic === undefined) return { status: 204 };
  if (nic.properties.virtualMachine !== undefined)
    throw refuse(
      400,
      'NicInUse',
      `Network Interface ${nic.id} is used by existing resource ${nic.properties.virtualMachine.id}. In order to delete the network interface, it must be dissociated from the resource.`,
    );
  return remove(call, () => {
    world.networkInterfaces.delete(id.toLowerCase());
    for (const one of world.publicIps.values())
      if (one.properties.ipConfiguration?.id.toLowerCase().startsWith(`${id.toLowerCase()}/`) === true)
        delete one.properties.ipConfiguration;
  });
};

export const putPublicIp: Operation = async (call) => {
  const { world } = call;
  const id = idOf(call, ipType);
  const existing = world.publicIps.get(id.toLowerCase());
  if (existing !== undefined) {
    Object.assign(existing, tagsOf(call));
    return { status: 200, body: existing };
  }
  demandName(call.params['name'] ?? '');
  const location = locationOf(call);
  const properties = propertiesOf(call);
  const sku = call.body['sku'] === undefined ? 'Basic' : stringField(objectField(call.body['sku'], 'sku'), 'name');
  if (sku !== 'Standard')
    throw refuse(400, 'BasicSkuPublicIpRetired', 'Public IP addresses of the SKU Basic cannot be created any more.');
  if (optionalString(properties, 'publicIPAllocationMethod') !== 'Static')
    throw invalid('publicIPAllocationMethod', 'addresses of the standard SKU are static');
  demandNetworkLimit(world, 'StandardSkuPublicIpAddresses', 'PublicIPCountLimitReached');
  demandNetworkLimit(world, 'PublicIPAddresses', 'PublicIPCountLimitReached');
  const taken = new Set([...world.publicIps.values()].map((one) => one.properties.ipAddress));
  const ipAddress = world.ground.publicAddresses.find((address) => !taken.has(address));
  if (ipAddress === undefined) throw refuse(400, 'PublicIPCountLimitReached', 'No public IP address is free.');
  const made: PublicIpRecord = {
    id,
    name: call.params['name'] ?? '',
    type: ipType,
    location,
    ...tagsOf(call),
    ...zonesOf(call),
    sku: { name: sku, tier: 'Regional' },
    properties: {
      ipAddress,
      publicIPAllocationMethod: 'Static',
      publicIPAddressVersion: 'IPv4',
      provisioningState: 'Updating',
    },
  };
  world.publicIps.set(id.toLowerCase(), made);
  await exposeServers(world);
  return settle(call, made, 201);
};

export const deletePublicIp: Operation = (call) => {
  const id = idOf(call, ipType);
  const found = call.world.publicIps.get(id.toLowerCase());
  if (found === undefined) return { status: 204 };
  if (found.properties.ipConfiguration !== undefined)
    throw refuse(
      400,
      'PublicIPAddressCannotBeDeleted',
      `Public IP address ${found.id} can not be deleted since it is still allocated to resource ${found.properties.ipConfiguration.id}.`,
    );
  return remove(call, () => void call.world.publicIps.delete(id.toLowerCase()));
};

export const putSecurityGroup: Operation = async (call) => {
  const { world } = call;
  const id = idOf(call, groupType);
  const existing = world.securityGroups.get(id.toLowerCase());
  demandName(call.params['name'] ?? '');
  const location = locationOf(call);
  if (existing === undefined)
    demandNetworkLimit(world, 'NetworkSecurityGroups', 'NetworkSecurityGroupCountLimitReached');
  const rules = (propertiesOf(call)['securityRules'] ?? []) as readonly Body[];
  const securityRules = rules.map((each) => ruleOf(id, each));
  const places = securityRules.map(({ properties }) => `${properties.direction} ${properties.priority}`);
  if (new Set(places).size !== places.length)
    throw refuse(400, 'SecurityRuleConflict', 'Rules cannot have the same priority and direction.');
  const made: SecurityGroupRecord = {
    id,
    name: call.params['name'] ?? '',
    type: groupType,
    location,
    ...tagsOf(call),
    properties: {
      securityRules,
      defaultSecurityRules: [],
      provisioningState: existing === undefined ? 'Updating' : 'Succeeded',
    },
  };
  world.securityGroups.set(id.toLowerCase(), made);
  await exposeServers(world);
  return settle(call, made, existing === undefined ? 201 : 200);
};

function ruleOf(groupId: string, body: Body): SecurityRule {
  const name = stringField(body, 'name');
  demandName(name);
  const rule = objectField(body['properties'], 'securityRules.properties');
  const { priority } = rule;
  if (typeof priority !== 'number' || priority < 100 || priority > 4096)
    throw refuse(400, 'SecurityRuleInvalidPriority', `Security rule ${name} has an invalid priority.`);
  for (const key of ['access', 'direction', 'protocol']) stringField(rule, key);
  for (const prefix of [
    rule['sourceAddressPrefix'],
    ...(rule['sourceAddressPrefixes'] === undefined
      ? []
      : stringList(rule['sourceAddressPrefixes'], 'sourceAddressPrefixes')),
  ]) {
    if (
      prefix !== undefined &&
      !/^(\*|[A-Za-z]+|\d{1,3}(\.\d{1,3}){3}(\/\d{1,2})?|[0-9a-f:]+(\/\d{1,3})?)$/i.test(String(prefix))
    )
      throw refuse(
        400,
        'SecurityRuleInvalidAddressPrefix',
        `Security rule ${name} has an invalid address prefix ${String(prefix)}.`,
      );
  }
  return {
    id: `${groupId}/securityRules/${name}`,
    name,
    properties: { ...(rule as unknown as SecurityRule['properties']), provisioningState: 'Succeeded' },
  };
}

export const deleteSecurityGroup: Operation = (call) => {
  const { world } = call;
  const id = idOf(call, groupType);
  const group = world.securityGroups.get(id.toLowerCase());
  if (group === undefined) return { status: 204 };
  const uses = (reference: SubResource | undefined): boolean => sameId(reference?.id, id);
  const inUse =
    [...world.networkInterfaces.values()].some(({ properties }) => uses(properties.networkSecurityGroup)) ||
    [...world.virtualNetworks.values()].some(({ properties }) =>
      properties.subnets.some((subnet) => uses(subnet.properties.networkSecurityGroup)),
    );
  if (inUse)
    throw refuse(
      400,
      'InUseNetworkSecurityGroupCannotBeDeleted',
      `Network security group ${group.id} cannot be deleted because it is in use.`,
    );
  return remove(call, () => void world.securityGroups.delete(id.toLowerCase()));
};

export const putVirtualNetwork: Operation = (call) => {
  const { world } = call;
  const id = idOf(call, vnetType);
  const existing = world.virtualNetworks.get(id.toLowerCase());
  demandName(call.params['name'] ?? '', 64);
  const location = locationOf(call);
  const properties = propertiesOf(call);
  if (existing === undefined) demandNetworkLimit(world, 'VirtualNetworks', 'VnetCountLimitReached');
  const addressPrefixes = stringList(
    objectField(properties['addressSpace'], 'addressSpace')['addressPrefixes'],
    'addressPrefixes',
  );
  const subnets = ((properties['subnets'] ?? []) as readonly Body[]).map((each): SubnetRecord => {
    const name = stringField(each, 'name');
    const wish = objectField(each['properties'], 'subnets.properties');
    const addressPrefix = stringField(wish, 'addressPrefix');
    const range = prefixRange(addressPrefix);
    if (
      !addressPrefixes.some(
        (prefix) => contains(prefix, toAddress(range.first)) && contains(prefix, toAddress(range.last)),
      )
    )
      throw refuse(
        400,
        'NetcfgInvalidSubnet',
        `Subnet '${name}' is not valid because its IP address range is outside the IP address range of virtual network '${call.params['name'] ?? ''}'.`,
      );
    const group =
      wish['networkSecurityGroup'] === undefined
        ? undefined
        : referred(world.securityGroups, wish['networkSecurityGroup'], 'networkSecurityGroup');
    return {
      id: `${id}/subnets/${name}`,
      name,
      properties: {
        addressPrefix,
        provisioningState: 'Succeeded',
        ...(group === undefined ? {} : { networkSecurityGroup: { id: group.id } }),
      },
    };
  });
  const made: VirtualNetworkRecord = {
    id,
    name: call.params['name'] ?? '',
    type: vnetType,
    location,
    ...tagsOf(call),
    properties: {
      addressSpace: { addressPrefixes },
      subnets,
      provisioningState: existing === undefined ? 'Updating' : 'Succeeded',
    },
  };
  world.virtualNetworks.set(id.toLowerCase(), made);
  return settle(call, made, existing === undefined ? 201 : 200);
};

export const deleteVirtualNetwork: Operation = (call) => {
  const { world } = call;
  const id = idOf(call, vnetType);
  const found = world.virtualNetworks.get(id.toLowerCase());
  if (found === undefined) return { status: 204 };
  const inUse = configurations(world).find(({ properties }) =>
    properties.subnet.id.toLowerCase().startsWith(`${id.toLowerCase()}/`),
  );
  if (inUse !== undefined)
    throw refuse(
      400,
      'InUseSubnetCannotBeDeleted',
      `Subnet ${inUse.properties.subnet.id} is in use by ${inUse.id} and cannot be deleted.`,
    );
  return remove(call, () => void world.virtualNetworks.delete(id.toLowerCase()));
};

const subnetNamed = (call: Call): SubnetRecord => {
  const found = demand(call.world.virtualNetworks, idOf(call, vnetType)).properties.subnets.find(
    (each) => each.name.toLowerCase() === call.params['subnet']?.toLowerCase(),
  );
  if (found === undefined) throw refuse(404, 'NotFound', `Subnet ${call.params['subnet'] ?? ''} was not found.`);
  return found;
};

export const getSubnet: Operation = (call) => ({ status: 200, body: subnetNamed(call) });

/** Whether an address of a network is free. */
export const checkAddress: Operation = (call) => {
  const { world } = call;
  const { properties } = demand(world.virtualNetworks, idOf(call, vnetType));
  const address = call.query.get('ipAddress') ?? '';
  const subnet = properties.subnets.find((each) => contains(each.properties.addressPrefix, address));
  if (subnet === undefined)
    throw refuse(
      400,
      'PrivateIPAddressNotInAnySubnet',
      `Private static IP address ${address} does not belong to the range of any subnet.`,
    );
  const { first, last } = prefixRange(subnet.properties.addressPrefix);
  const reserved = [first, first + 1, first + 2, first + 3, last].map(toAddress).includes(address);
  return {
    status: 200,
    body: { available: !reserved && !takenIn(world, subnet.id).has(address), isPlatformReserved: reserved },
  };
};
