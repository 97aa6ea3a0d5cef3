import { ownVmDestinations } from '../../shared/model/own-vm.ts';
import type { PluginId } from '../../shared/model/plugin-id.ts';
import { platformLabel } from '../../shared/plugins/plugin-definition.ts';
import { plugins, pluginsWith } from '../../shared/plugins/registry.ts';
import { markdownTable } from './generated-block.ts';

/** Where volumes are attached to the VM that an engine runs on: its ID, what says which one it is, how a volume's device is told from the VM's own, how many it takes. */
const supported: Partial<Record<PluginId, readonly [string, string, string, string]>> = {
  'open-source-cloud': [
    'UUID of the server',
    'metadata service, cloud-init, product UUID',
    'serial',
    'as the hypervisor has it',
  ],
  'european-cloud': [
    'UUID of the server',
    'metadata service, cloud-init, product UUID',
    'serial',
    'as the hypervisor has it',
  ],
  'resource-group-cloud': [
    'resource ID: `/subscriptions/…/virtualMachines/NAME`',
    'metadata service, confirmed by the product UUID',
    'LUN, by the links in `/dev/disk/azure` (udev rules of the Azure agent or of azure-vm-utils)',
    'data disks of its size',
  ],
  'compartment-cloud': [
    'OCID of the instance',
    'metadata service (version 2)',
    'consistent device path, `/dev/oracleoci/…`',
    '32',
  ],
  'classic-infrastructure-cloud': [
    'whole name: `/Compute-…/user/name/…`',
    'nothing: give it',
    'name of the kernel by the index of the attachment, `xvdb` to `xvdk`',
    '10',
  ],
};

/** Why not. */
const refused: Partial<Record<PluginId, string>> = {
  'server-virtualization-manager':
    'Its disks have neither a serial nor a name: they are told by their order only, which says nothing on a VM with disks of its own. Workers are started.',
};

/** Which destinations can attach volumes to the VM that an engine runs on. */
export function ownVmTable(): string {
  const label = (id: PluginId): string => platformLabel(plugins[id]);
  const rows = pluginsWith('destination').map((id) => {
    const facts = ownVmDestinations.includes(id) ? supported[id] : undefined;
    const why = refused[id];
    if (facts === undefined && why === undefined) throw new Error(`scripts/documents/own-vms.ts says nothing of ${id}`);
    return facts === undefined ? [label(id), `no: ${why ?? ''}`, '', '', ''] : [label(id), ...facts];
  });
  return markdownTable(
    ['Destination', 'ID of the VM', 'Found by', 'Volumes are told from other disks by', 'Volumes at the same time'],
    rows,
  );
}
