import { CausewayError } from '../../../../../../shared/model/causeway-error.ts';
import type { Nic } from '../../../../../../shared/model/vm.ts';
import { labelKeys, labelValue } from '../../../../cloud-resources/labels.ts';
import type { DeploymentRun } from '../../../../ports/deployment-platform.ts';
import type { Network, Port } from '../../client/network.ts';
import type { OpenStackSession } from '../context.ts';
import type { DestinationEnvironment } from '../environment.ts';
import { readTags } from '../description-tags.ts';

/** Which MAC address a port gets, and from where. */
interface PortChoice {
  readonly macAddress?: string;
  readonly replacedPortId?: string;
  readonly reusedPortId?: string;
}

/**
 * What becomes of the MAC address of a source NIC, and of a port that has it in the mapped network already (an address
 * is unique within a network):
 *
 * - `keep_mac`: the address is kept; a port that has it gives way, unless a server uses it.
 * - `replace_mac`: the cloud chooses another address.
 * - `reuse_ports`: a port that has it and is free is taken over; else a port is made, with the address if nobody has it.
 *
 * @throws `cloud.port-in-use`
 */
export async function portFor(
  session: OpenStackSession,
  run: DeploymentRun,
  policy: DestinationEnvironment['port_reuse_policy'],
  network: Network,
  nic: Nic,
  signal: AbortSignal,
): Promise<PortChoice> {
  const macAddress = nic.mac_address?.toLowerCase();
  if (macAddress === undefined || policy === 'replace_mac') return {};
  const [existing] = (await session.cloud.network.ports({ macAddress, networkId: network.id }, signal)).filter(
    (port) => !isOfThisDeployment(port, run),
  );
  if (existing === undefined) return { macAddress };
  const used = typeof existing.device_id === 'string' && existing.device_id !== '';
  const about = `port ${existing.name ?? ''} (${existing.id}) in network ${network.name}`;
  if (policy === 'reuse_ports') {
    if (!used) {
      run.note(`NIC ${nic.id}: ${about} has its MAC address ${macAddress} and is reused`, { portId: existing.id });
      return { reusedPortId: existing.id };
    }
    run.note(
      `NIC ${nic.id}: ${about} has its MAC address ${macAddress} and is in use by ${existing.device_id}: the VM gets another address`,
      { portId: existing.id },
    );
    return {};
  }
  if (used) {
    throw new CausewayError(
      'cloud.port-in-use',
      `NIC ${nic.id}: ${about} has its MAC address ${macAddress} and is in use by ${existing.device_owner ?? 'a device'} ${existing.device_id}`,
      {
        details: { nicId: nic.id, macAddress, portId: existing.id, deviceId: existing.device_id ?? null },
      },
    );
  }
  return { macAddress, replacedPortId: existing.id };
}

/** A deployment that goes on after a crash meets the ports that it made. */
function isOfThisDeployment(port: Port, run: DeploymentRun): boolean {
  const entryId = readTags(port.description)[labelKeys.entry];
  return (
    entryId !== undefined &&
    run.ledger.list({ kind: 'nic', lifetime: 'deployment' }).some((entry) => labelValue(entry.entryId) === entryId)
  );
}
