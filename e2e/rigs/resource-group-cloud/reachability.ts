import { toNumber } from '../cloud-kit/addresses.ts';
import type { Exposure, IngressRule } from '../cloud-kit/server-machines.ts';
import type { NetworkInterfaceRecord, SecurityGroupRecord } from './records.ts';
import type { World } from './world.ts';

const everything: IngressRule = { cidr: '0.0.0.0/0', minPort: 0, maxPort: 65_535 };

/** What a security group lets in by TCP from address ranges. Rules that deny are not told apart by their place. */
export function ingressOf(group: SecurityGroupRecord | undefined): readonly IngressRule[] {
  if (group === undefined) return [];
  return group.properties.securityRules
    .filter(
      ({ properties: rule }) =>
        rule.direction === 'Inbound' && rule.access === 'Allow' && ['tcp', '*'].includes(rule.protocol.toLowerCase()),
    )
    .flatMap(({ properties: rule }) => {
      const sources = rule.sourceAddressPrefixes ?? [rule.sourceAddressPrefix ?? '*'];
      const ports = rule.destinationPortRanges ?? [rule.destinationPortRange ?? '*'];
      return sources.flatMap((source) =>
        ports.map((port): IngressRule => {
          const [minPort = 0, maxPort = minPort] = port === '*' ? [0, 65_535] : port.split('-').map(Number);
          const cidr =
            source === '*' || source === 'Internet' ? '0.0.0.0/0' : source.includes('/') ? source : `${source}/32`;
          return { cidr, minPort, maxPort };
        }),
      );
    });
}

/** Rules of the interface and of its subnet both have to let in; where there is no group at all, everything comes in from inside. */
function ingress(world: World, nic: NetworkInterfaceRecord, hasPublicAddress: boolean): readonly IngressRule[] {
  const subnetId = nic.properties.ipConfigurations[0]?.properties.subnet.id.toLowerCase();
  const subnet = [...world.virtualNetworks.values()]
    .flatMap(({ properties }) => properties.subnets)
    .find(({ id }) => id.toLowerCase() === subnetId);
  const groups = [nic.properties.networkSecurityGroup, subnet?.properties.networkSecurityGroup].flatMap((reference) =>
    reference === undefined ? [] : [world.securityGroups.get(reference.id.toLowerCase())],
  );
  // A public address of the standard kind is closed until a group opens it.
  if (groups.length === 0) return hasPublicAddress ? [] : [everything];
  const [first = [], second] = groups.map(ingressOf);
  return second === undefined ? first : first.filter((rule) => second.some((other) => covers(other, rule)));
}

const covers = (wide: IngressRule, narrow: IngressRule): boolean =>
  wide.minPort <= narrow.minPort &&
  wide.maxPort >= narrow.maxPort &&
  (wide.cidr === narrow.cidr ||
    wide.cidr === '0.0.0.0/0' ||
    toNumber(wide.cidr.split('/')[0] ?? '') === toNumber(narrow.cidr.split('/')[0] ?? ''));

/** Every address that leads to a running server now: public ones, and private ones of networks on loopback. */
export function exposures(world: World): readonly Exposure[] {
  const found: Exposure[] = [];
  for (const nic of world.networkInterfaces.values()) {
    const vmId = nic.properties.virtualMachine?.id.toLowerCase();
    if (vmId === undefined || world.inner.get(vmId)?.power !== 'running') continue;
    for (const { properties } of nic.properties.ipConfigurations) {
      const publicIp =
        properties.publicIPAddress === undefined
          ? undefined
          : world.publicIps.get(properties.publicIPAddress.id.toLowerCase());
      const rules = ingress(world, nic, publicIp !== undefined);
      const serverId = world.virtualMachines.get(vmId)?.properties.vmId ?? '';
      if (properties.privateIPAddress.startsWith('127.'))
        found.push({ address: properties.privateIPAddress, serverId, ingress: rules });
      if (publicIp?.properties.ipAddress !== undefined)
        found.push({ address: publicIp.properties.ipAddress, serverId, ingress: rules });
    }
  }
  return found;
}

/** Brings the machines' reachable addresses in line with the records; called after every change that matters. */
export const exposeServers = (world: World): Promise<void> => world.ground.machines.expose(exposures(world));

/** The same where nobody waits for it: what goes wrong is told on the error stream, the records stay as they are. */
export function exposeServersLater(world: World): void {
  exposeServers(world).catch((error: unknown) => {
    process.stderr.write(`the lab's addresses could not be brought up: ${String(error)}\n`);
  });
}
