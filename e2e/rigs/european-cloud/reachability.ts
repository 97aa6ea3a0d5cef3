import type { Exposure, IngressRule } from '../cloud-kit/server-machines.ts';
import type { World } from './world.ts';
import type { NicRecord } from './records.ts';

const everything: IngressRule = { cidr: '0.0.0.0/0', minPort: 0, maxPort: 65_535 };

/** What the security groups of a NIC let in, as far as it is TCP from an address range. */
function ingressOf(world: World, nic: NicRecord): readonly IngressRule[] {
  if (!nic.nicSecurity) return [everything];
  return nic.securityGroups
    .flatMap((id) => world.securityGroups.get(id)?.rules ?? [])
    .filter(
      (rule) => rule.direction === 'ingress' && rule.ethertype === 'IPv4' && rule.remoteSecurityGroupId === undefined,
    )
    .filter((rule) => rule.protocol === undefined || rule.protocol.name === 'tcp')
    .map((rule) => ({
      cidr: rule.ipRange ?? '0.0.0.0/0',
      minPort: rule.portRange?.min ?? 0,
      maxPort: rule.portRange?.max ?? 65_535,
    }));
}

/** Every address that leads to a running server now: public ones, and private ones of networks on loopback. */
export function exposures(world: World): readonly Exposure[] {
  const found: Exposure[] = [];
  for (const nic of world.nics.values()) {
    const server = nic.device === undefined ? undefined : world.servers.get(nic.device);
    if (server === undefined || server.powerStatus !== 'RUNNING') continue;
    const ingress = ingressOf(world, nic);
    if (nic.ipv4.startsWith('127.')) found.push({ address: nic.ipv4, serverId: server.id, ingress });
    for (const publicIp of world.publicIps.values()) {
      if (publicIp.networkInterface === nic.id) found.push({ address: publicIp.ip, serverId: server.id, ingress });
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
