import { z } from 'zod';
import { field } from '../field-meta.ts';
import { keyValuePairs, mappingOf, text } from '../shapes/values.ts';
import { storageMapping, storageMappingExample } from '../storage-mapping.ts';
import { workerFields } from './worker-fields.ts';

const volumeTypes = ['standard', 'ssd'] as const;

export const destination = z.strictObject({
  network_map: field(mappingOf(text()).optional(), {
    title: 'Network map',
    help: 'Maps source network names to names or IDs of existing networks. The port of each source NIC is created on the mapped network.',
    group: 'Network',
    example: { 'VM Network': 'private' },
    optionsFrom: 'networks',
    keysFrom: 'vm.networks',
  }),
  storage_mappings: field(
    storageMapping({ target: 'volume type', optionsFrom: 'volume_types', examples: volumeTypes }).optional(),
    {
      title: 'Storage mappings',
      help: 'Maps source disks or storage back ends to volume types.',
      group: 'Storage',
      example: storageMappingExample(volumeTypes),
    },
  ),
  hypervisor_type: field(z.enum(['hyperv', 'qemu', 'kvm']).optional(), {
    title: 'Hypervisor',
    help: 'Hypervisor of the destination’s compute hosts. Determines the drivers that are installed in the guest: Hyper-V for hyperv, VirtIO otherwise.',
    group: 'Server',
    example: 'kvm',
  }),
  flavor_name: field(text().optional(), {
    title: 'Flavor',
    help: 'Existing compute flavor for the migrated instance.',
    group: 'Server',
    example: 'm1.medium',
    optionsFrom: 'machine_types',
  }),
  keypair_name: field(text().optional(), {
    title: 'Key pair',
    help: 'Existing key pair that is injected into the instance.',
    group: 'Server',
    example: 'ops-key',
    optionsFrom: 'keypairs',
  }),
  delete_disks_on_vm_termination: field(z.boolean().optional(), {
    title: 'Delete volumes with the VM',
    help: 'Delete the volumes when the VM is deleted.',
    group: 'Storage',
    example: false,
  }),
  security_groups: field(z.array(text()).optional(), {
    title: 'Security groups',
    help: 'Names or IDs of existing security groups for the instance’s ports.',
    group: 'Network',
    example: ['web', 'ssh'],
    optionsFrom: 'security_groups',
  }),
  ...workerFields,
  port_reuse_policy: field(z.enum(['keep_mac', 'replace_mac', 'reuse_ports']).optional(), {
    title: 'Ports with the same MAC address',
    help: 'How to handle existing ports with a MAC address that the VM needs. keep_mac deletes and recreates them, replace_mac creates ports with other addresses, reuse_ports tries to reuse them. Ports of existing servers are not changed. Default: keep_mac.',
    group: 'Network',
    example: 'keep_mac',
  }),
  list_all_destination_networks: field(z.boolean().optional(), {
    title: 'List all networks',
    help: 'List all networks, not only those of the endpoint’s project.',
    group: 'Network',
    example: false,
  }),
  volumes_are_zeroed: field(z.boolean().optional(), {
    title: 'New volumes are zeroed',
    help: 'Unallocated blocks on new volumes contain zeros, so empty regions are not written.',
    group: 'Data transfer',
    example: true,
  }),
  set_dhcp: field(z.boolean().optional(), {
    title: 'Configure DHCP',
    help: 'Configure each NIC of the guest for DHCP during OSMorphing.',
    group: 'Guest preparation',
    example: true,
  }),
  preserve_fixed_ips: field(z.boolean().optional(), {
    title: 'Keep fixed IPs',
    help: 'Keep the fixed IPs of the VM’s ports.',
    group: 'Network',
    example: false,
  }),
  server_group: field(text().optional(), {
    title: 'Server group',
    help: 'Name or ID of the server group for the migrated VM.',
    group: 'Placement',
    example: 'web-anti-affinity',
    optionsFrom: 'server_groups',
  }),
  use_floating_ip: field(z.boolean().optional(), {
    title: 'Floating IP',
    help: 'Attach a floating IP to the migrated VM.',
    group: 'Network',
    example: false,
  }),
  floating_ip_pool: field(text().optional(), {
    title: 'Floating IP pool',
    help: 'Pool for the floating IP of the migrated VM, optionally with a subnet: <network>/<subnet>. Only used with a floating IP.',
    group: 'Network',
    example: 'public',
    optionsFrom: 'floating_ip_pools',
  }),
  instance_tags: field(keyValuePairs().optional(), {
    title: 'Tags',
    help: 'Key-value pairs that are set on the VM as metadata and, where the format allows, as key=value tags.',
    group: 'Server',
    example: { environment: 'production' },
  }),
});
