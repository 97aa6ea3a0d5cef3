import { resolve, resolvedOrThrow, type Resolution } from '../../../cloud-resources/resolve-reference.ts';
import { missing } from '../../../cloud-resources/read-environment.ts';
import type { OpenStackCloud } from '../client/open-cloud.ts';
import type { Network, Subnet } from '../client/network.ts';

/**
 * The networks that form fields offer: those of the project, or all that it can see. External ones are among them where
 * the project may use them.
 */
export async function listNetworks(
  cloud: OpenStackCloud,
  all: boolean,
  signal: AbortSignal,
): Promise<readonly Network[]> {
  if (all) return cloud.network.networks({}, signal);
  const { projectId } = await cloud.identity(signal);
  return cloud.network.networks({ projectId }, signal);
}

/** A network by id or name. The project's own ones go before those that others share with it. */
export function resolveNetwork(networks: readonly Network[], projectId: string, wanted: string): Resolution<Network> {
  const own = resolve(
    networks.filter((network) => network.project_id === projectId),
    wanted,
  );
  return own.outcome === 'unknown' ? resolve(networks, wanted) : own;
}

/** Where floating IPs come from. */
export interface FloatingIpPool {
  readonly networkId: string;
  readonly networkName: string;
  readonly subnetId: string | undefined;
  /** Of its subnets as far as the project may see them. */
  readonly prefixes: readonly string[];
  readonly gateway: string | undefined;
}

/**
 * The pool of a name: `<network>`, or `<network>/<subnet>` for addresses of one subnet. Without a name, the only
 * external network that there is.
 *
 * @throws `cloud.parameter-missing`, `cloud.name-unknown`, `cloud.name-ambiguous`
 */
export async function findPool(
  cloud: OpenStackCloud,
  parameter: string,
  wanted: string | undefined,
  signal: AbortSignal,
): Promise<FloatingIpPool> {
  const external = await cloud.network.networks({ external: true }, signal);
  if (wanted === undefined) {
    const [only, ...others] = external;
    if (only === undefined || others.length > 0) {
      return missing(
        parameter,
        `${parameter} is not set, and the cloud has ${only === undefined ? 'no external network' : `several external networks: ${external.map(({ name }) => name).join(', ')}`}`,
      );
    }
    return poolOf(only, undefined, await cloud.network.subnets({ networkId: only.id }, signal));
  }
  // A network's own name may hold a slash.
  const whole = resolve(external, wanted);
  const slash = wanted.lastIndexOf('/');
  if (whole.outcome === 'found' || slash === -1) {
    const network = resolvedOrThrow('external network', parameter, wanted, whole);
    return poolOf(network, undefined, await cloud.network.subnets({ networkId: network.id }, signal));
  }
  const network = resolvedOrThrow(
    'external network',
    parameter,
    wanted.slice(0, slash),
    resolve(external, wanted.slice(0, slash)),
  );
  const subnets = await cloud.network.subnets({ networkId: network.id }, signal);
  const named = subnets.map((subnet) => ({ ...subnet, name: subnet.name ?? '' }));
  const subnet = wanted.slice(slash + 1);
  // A project may use subnets of external networks that it can't list; an id is taken at its word then.
  if (network.subnets.includes(subnet)) return poolOf(network, subnet, subnets);
  return poolOf(
    network,
    resolvedOrThrow(`subnet of ${network.name}`, parameter, subnet, resolve(named, subnet)).id,
    subnets,
  );
}

function poolOf(network: Network, subnetId: string | undefined, subnets: readonly Subnet[]): FloatingIpPool {
  const used = subnets.filter(
    (subnet) => subnet.ip_version === 4 && (subnetId === undefined || subnet.id === subnetId),
  );
  return {
    networkId: network.id,
    networkName: network.name,
    subnetId,
    prefixes: used.map(({ cidr }) => cidr),
    gateway: used[0]?.gateway_ip ?? undefined,
  };
}
