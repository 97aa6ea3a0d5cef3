import type { Rule } from '../rule.ts';
import { catalogOf } from './catalog-names.ts';
import { isOn, textAt, type Path } from './environment-view.ts';

interface FloatingIps {
  /** Switches floating IPs on. */
  readonly flag: Path;
  readonly pool: Path;
  /** Whether the catalog is that of the side whose floating IPs these are. */
  readonly inCatalog: boolean;
}

/** Floating IPs come from a pool: without a name, from the only one that there is. */
export function floatingIpsHavePool(id: string, plugin: string, { flag, pool, inCatalog }: FloatingIps): Rule {
  return {
    id,
    *check(context) {
      const { effective } = context;
      if (!isOn(effective, flag) || textAt(effective, pool) !== undefined) return;
      const pools = inCatalog ? catalogOf(context, plugin)?.['floating_ip_pools'] : undefined;
      const name = String(pool.at(-1));
      if (!Array.isArray(pools)) {
        yield {
          severity: 'info',
          at: pool,
          message: `${name} is not set: this only works if the cloud has exactly one external network.`,
        };
      } else if (pools.length !== 1) {
        yield {
          severity: 'error',
          at: pool,
          message: `${name} is not set, and the destination has ${pools.length === 0 ? 'no external network' : `${pools.length} external networks`}.`,
          ...(pools.length === 0 ? {} : { suggestion: 'Set it to the external network for floating IPs.' }),
        };
      }
    },
  };
}

/** A floating IP belongs to a NIC. */
export function floatingIpNeedsNic(plugin: string, flag: string): Rule {
  return {
    id: `${plugin}/floating-ip-without-nic`,
    *check({ vm, effective }) {
      if (vm?.nics === undefined || vm.nics.length > 0 || !isOn(effective, [flag])) return;
      yield {
        severity: 'warning',
        at: [flag],
        message: `${flag} has no effect: the VM has no NIC to assign the address to.`,
      };
    },
  };
}
