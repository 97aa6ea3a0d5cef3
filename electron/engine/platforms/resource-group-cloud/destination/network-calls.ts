import type { NetworkInterface, NetworkSecurityGroup, PublicIPAddress, VirtualNetwork } from '@azure/arm-network';
import type { Ipv4Network } from '../../../../../shared/model/fixed-address.ts';
import { parseResourceId } from '../client/resource-id.ts';
import { ownId, type AzureSession, type Place } from './session.ts';

export const nicType = 'Microsoft.Network/networkInterfaces';
export const publicIpType = 'Microsoft.Network/publicIPAddresses';
export const securityGroupType = 'Microsoft.Network/networkSecurityGroups';
export const networkType = 'Microsoft.Network/virtualNetworks';
export const subnetType = 'Microsoft.Network/virtualNetworks/subnets';

type Tags = Readonly<Record<string, string>>;

/** One kind of network resource: read by name, listed, made by a PUT that may be repeated, deleted. */
export interface NetworkKind<T> {
  readonly type: string;
  get(group: string, name: string, signal: AbortSignal): Promise<T | undefined>;
  list(group: string, signal: AbortSignal): Promise<readonly T[]>;
  put(group: string, name: string, wish: T, signal: AbortSignal): Promise<void>;
  delete(group: string, name: string, signal: AbortSignal): Promise<void>;
}

export function nicCalls(session: AzureSession): NetworkKind<NetworkInterface> {
  const client = async () => (await session.network()).networkInterfaces;
  return {
    type: nicType,
    get: async (group, name, signal) =>
      client().then((nics) =>
        session.find(`read network interface ${name}`, (options) => nics.get(group, name, options), signal),
      ),
    list: async (group, signal) =>
      client().then((nics) =>
        session.list(`list network interfaces of ${group}`, (options) => nics.list(group, options), signal),
      ),
    put: async (group, name, wish, signal) =>
      client().then((nics) =>
        session.submit(
          `create network interface ${name}`,
          (options) => nics.createOrUpdate(group, name, wish, options),
          signal,
        ),
      ),
    delete: async (group, name, signal) =>
      client().then((nics) =>
        session.remove(`delete network interface ${name}`, (options) => nics.delete(group, name, options), signal),
      ),
  };
}

export function publicIpCalls(session: AzureSession): NetworkKind<PublicIPAddress> {
  const client = async () => (await session.network()).publicIPAddresses;
  return {
    type: publicIpType,
    get: async (group, name, signal) =>
      client().then((ips) =>
        session.find(`read public IP ${name}`, (options) => ips.get(group, name, options), signal),
      ),
    list: async (group, signal) =>
      client().then((ips) =>
        session.list(`list public IPs of ${group}`, (options) => ips.list(group, options), signal),
      ),
    put: async (group, name, wish, signal) =>
      client().then((ips) =>
        session.submit(`create public IP ${name}`, (options) => ips.createOrUpdate(group, name, wish, options), signal),
      ),
    delete: async (group, name, signal) =>
      client().then((ips) =>
        session.remove(`delete public IP ${name}`, (options) => ips.delete(group, name, options), signal),
      ),
  };
}

export function securityGroupCalls(session: AzureSession): NetworkKind<NetworkSecurityGroup> {
  const client = async () => (await session.network()).networkSecurityGroups;
  return {
    type: securityGroupType,
    get: async (group, name, signal) =>
      client().then((groups) =>
        session.find(`read network security group ${name}`, (options) => groups.get(group, name, options), signal),
      ),
    list: async (group, signal) =>
      client().then((groups) =>
        session.list(`list network security groups of ${group}`, (options) => groups.list(group, options), signal),
      ),
    put: async (group, name, wish, signal) =>
      client().then((groups) =>
        session.submit(
          `create network security group ${name}`,
          (options) => groups.createOrUpdate(group, name, wish, options),
          signal,
        ),
      ),
    delete: async (group, name, signal) =>
      client().then((groups) =>
        session.remove(
          `delete network security group ${name}`,
          (options) => groups.delete(group, name, options),
          signal,
        ),
      ),
  };
}

export function networkCalls(session: AzureSession): NetworkKind<VirtualNetwork> {
  const client = async () => (await session.network()).virtualNetworks;
  return {
    type: networkType,
    get: async (group, name, signal) =>
      client().then((networks) =>
        session.find(`read virtual network ${name}`, (options) => networks.get(group, name, options), signal),
      ),
    list: async (group, signal) =>
      client().then((networks) =>
        session.list(`list virtual networks of ${group}`, (options) => networks.list(group, options), signal),
      ),
    put: async (group, name, wish, signal) =>
      client().then((networks) =>
        session.submit(
          `create virtual network ${name}`,
          (options) => networks.createOrUpdate(group, name, wish, options),
          signal,
        ),
      ),
    delete: async (group, name, signal) =>
      client().then((networks) =>
        session.remove(`delete virtual network ${name}`, (options) => networks.delete(group, name, options), signal),
      ),
  };
}

/** A subnet, by the name that environments have for it: `<network>/<subnet>`. */
export interface MappedSubnet extends Ipv4Network {
  readonly id: string;
  readonly name: string;
  readonly networkName: string;
}

/** The first addresses of each subnet are the cloud's: the network, the gateway, and two for name service. */
const reservedHosts = 3;

export async function listSubnets(
  session: AzureSession,
  { group, location }: Pick<Place, 'group'> & { readonly location: string | undefined },
  signal: AbortSignal,
): Promise<readonly MappedSubnet[]> {
  const networks = await networkCalls(session).list(group, signal);
  return networks
    .filter((network) => location === undefined || network.location?.toLowerCase().replaceAll(' ', '') === location)
    .flatMap((network) =>
      (network.subnets ?? []).map((subnet): MappedSubnet => {
        const prefixes = (subnet.addressPrefixes ?? [subnet.addressPrefix ?? '']).filter((prefix) =>
          prefix.includes('.'),
        );
        return {
          id: ownId(session, group, subnetType, network.name, subnet.name),
          name: `${network.name ?? ''}/${subnet.name ?? ''}`,
          networkName: network.name ?? '',
          prefixes,
          gateway: gatewayOf(prefixes[0]),
          reservedHosts,
        };
      }),
    );
}

/** The first host of a subnet is its gateway. */
export function gatewayOf(prefix: string | undefined): string | undefined {
  const parts = prefix?.split('/')[0]?.split('.').map(Number);
  if (parts?.length !== 4 || parts.some((part) => !Number.isInteger(part))) return undefined;
  return [...parts.slice(0, 3), (parts[3] ?? 0) + 1].join('.');
}

/** Whether an address of a subnet's network is free, and if not, what the cloud says of it. */
export async function isAddressFree(
  session: AzureSession,
  group: string,
  { networkName }: MappedSubnet,
  address: string,
  signal: AbortSignal,
): Promise<boolean> {
  const { virtualNetworks } = await session.network();
  const answer = await session.call(
    `check address ${address} in network ${networkName}`,
    (options) => virtualNetworks.checkIPAddressAvailability(group, networkName, address, options),
    signal,
  );
  return answer.available === true;
}

/** What is common to the records: a name, tags, and a state of provisioning. */
export interface NetworkRecord {
  readonly id?: string;
  readonly name?: string | undefined;
  readonly tags?: Tags | undefined;
}

/** The name of the interface that a public address is on. */
export function nicNameOf(address: PublicIPAddress): { readonly group: string; readonly name: string } | undefined {
  const id = address.ipConfiguration?.id;
  if (id === undefined) return undefined;
  const { group, names } = parseResourceId(id);
  return { group, name: names[0] ?? '' };
}
