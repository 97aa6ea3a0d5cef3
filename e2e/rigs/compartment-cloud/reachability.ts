import type { Exposure, IngressRule } from '../cloud-kit/server-machines.ts';
import { isGone } from './world.ts';
import type { World } from './world.ts';

/** Every address that leads to a running instance now, and what the groups of its VNIC let in, as far as it is TCP. */
function exposures(world: World): readonly Exposure[] {
  return [...world.vnicAttachments.values()].flatMap(({ instanceId, vnicId, lifecycleState }) => {
    const [vnic, instance] = [world.vnics.get(vnicId), world.instances.get(instanceId)];
    if (vnic === undefined || instance?.lifecycleState !== 'RUNNING' || isGone({ lifecycleState }) || isGone(vnic))
      return [];
    const ingress = vnic.nsgIds
      .flatMap((id) => world.rules.get(id) ?? [])
      .filter((rule) => rule.direction === 'INGRESS' && rule.protocol === '6')
      .map((rule): IngressRule => ({
        cidr: rule.source ?? '0.0.0.0/0',
        minPort: rule.tcpOptions?.destinationPortRange?.min ?? 0,
        maxPort: rule.tcpOptions?.destinationPortRange?.max ?? 65_535,
      }));
    return [vnic.publicIp, vnic.privateIp.startsWith('127.') ? vnic.privateIp : undefined]
      .filter((address) => address !== undefined)
      .map((address) => ({ address, serverId: instanceId, ingress }));
  });
}

/** Brings the machines' reachable addresses in line with the records. What goes wrong is told on the error stream. */
export function exposeInstancesLater(world: World): void {
  world.ground.machines.expose(exposures(world)).catch((error: unknown) => {
    process.stderr.write(`the lab's addresses could not be brought up: ${String(error)}\n`);
  });
}
