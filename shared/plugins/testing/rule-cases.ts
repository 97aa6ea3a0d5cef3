import type { JsonObject, JsonValue } from '../../model/json.ts';
import type { PluginId, Side } from '../../model/plugin-id.ts';
import type { Vm } from '../../model/vm.ts';
import type { Finding } from '../../schema/finding.ts';
import { goldenVm } from './golden-documents.ts';

/** A change of the golden document that a rule must notice, and only at one place. */
export interface RuleCase {
  readonly rule: string;
  readonly side: Side;
  /** Put over the golden environment; undefined leaves the key out. */
  readonly environment?: Readonly<Record<string, JsonValue | undefined>>;
  readonly vm?: Partial<Vm>;
  readonly configuration?: JsonObject;
  /** Of the side's endpoint. */
  readonly connection?: JsonObject;
  readonly severity: Finding['severity'];
  /** Pointer below /<side>/environment, or from the root where it begins with /vm. */
  readonly path: string;
}

export const pluginOf = ({ rule }: RuleCase): PluginId => rule.split('/')[0] as PluginId;

const uefi: Partial<Vm> = { firmware: 'uefi' };
const nic = (...addresses: string[]): Partial<Vm> => ({ nics: [{ ...goldenVm.nics[0]!, ip_addresses: addresses }] });
const on =
  (side: Side, plugin: PluginId) =>
  (name: string, severity: RuleCase['severity'], path: string, change: Partial<RuleCase>): RuleCase => ({
    rule: `${plugin}/${name}`,
    side,
    severity,
    path,
    ...change,
  });

/** What every destination with a catalog, a network map and a storage mapping has. */
function commonCases(plugin: PluginId, storageKey: string, network: (name: string) => JsonValue): RuleCase[] {
  const is = on('destination', plugin);
  const mapping = (mapped: JsonObject) => ({ environment: { [storageKey]: mapped } });
  return [
    is('nic-not-mapped', 'error', '/network_map/VM Network', {
      environment: { network_map: { 'VM network': network('prod') } },
    }),
    is(
      'unknown-disk',
      'warning',
      `/${storageKey}/disk_mappings/0/disk_id`,
      mapping({ disk_mappings: [{ disk_id: 'disk-9', destination: 'fast' }] }),
    ),
    is(
      'unknown-backend',
      'warning',
      `/${storageKey}/backend_mappings/0/source`,
      mapping({ backend_mappings: [{ source: 'ds9', destination: 'fast' }] }),
    ),
    is(
      'mapped-twice',
      'warning',
      `/${storageKey}/disk_mappings/1/disk_id`,
      mapping({
        disk_mappings: [
          { disk_id: 'disk-1', destination: 'fast' },
          { disk_id: 'disk-1', destination: 'standard' },
        ],
      }),
    ),
  ];
}

const byName = (name: string) => name;
const openSource = on('destination', 'open-source-cloud');
const exporting = on('source', 'open-source-cloud');
const resourceGroup = on('destination', 'resource-group-cloud');
const compartment = on('destination', 'compartment-cloud');
const classic = on('destination', 'classic-infrastructure-cloud');
const manager = on('destination', 'server-virtualization-manager');
const european = on('destination', 'european-cloud');
const metadata = (values: JsonObject) => ({ environment: { custom_boot_volume_image_metadata: values } });
const options = (values: JsonObject) => ({ environment: { service_backups_options: values } });
const retired = { publisher: 'Canonical', offer: 'UbuntuServer', sku: '14.04.5-LTS', version: 'latest' };
const amazon = on('source', 'large-public-cloud');
const azureSource = on('source', 'resource-group-cloud');
const classicSource = on('source', 'classic-infrastructure-cloud');
const managerSource = on('source', 'server-virtualization-manager');
const oddDisk: Partial<Vm> = { disks: [goldenVm.disks[0]!, { ...goldenVm.disks[1]!, size_bytes: 3 * 2 ** 30 + 512 }] };

export const ruleCases: readonly RuleCase[] = [
  amazon('previous-generation', 'warning', '/worker_instance_type', {
    environment: { worker_instance_type: 'm3.large' },
  }),
  amazon('previous-generation', 'info', '/worker_instance_type', {
    environment: { worker_instance_type: 't2.medium' },
  }),
  amazon('previous-generation', 'info', '/worker_instance_type', { environment: { worker_instance_type: undefined } }),
  amazon('instance-type-form', 'error', '/worker_instance_type', {
    environment: { worker_instance_type: 't3.medium ' },
  }),
  amazon('instance-type-form', 'warning', '/worker_instance_type', {
    environment: { worker_instance_type: 't2.medum' },
  }),
  amazon('worker-image-missing', 'warning', '/migr_image_map/linux', {
    environment: { migr_image_map: { windows: 'ami-50946031' } },
  }),
  on('source', 'virtualization-platform')('disklib-version', 'warning', '/disklib_compatibility_version', {
    environment: { disklib_compatibility_version: '99.99' },
  }),
  on('source', 'large-public-cloud')('image-id-form', 'warning', '/migr_image_map/linux', {
    environment: { migr_image_map: { linux: 'Ubuntu' } },
  }),
  on('source', 'qemu-hypervisor')('quiesce-needs-guest-agent', 'error', '/quiesce', {
    environment: { guest_agent_socket: undefined },
  }),

  exporting('container-has-no-effect', 'warning', '/objectstore_backups_options/volume_backups_container', {
    environment: { objectstore_backups_options: { volume_backups_container: 'c' } },
  }),
  exporting('service-backups-options-have-no-effect', 'warning', '/service_backups_options', {
    environment: { replica_export_mechanism: 'objectstore_backups' },
  }),
  exporting(
    'export-volume-has-no-effect',
    'warning',
    '/service_backups_options/export_worker_volume_size',
    options({ export_worker_volume_size: 20 }),
  ),
  exporting(
    'export-volume-has-no-effect',
    'warning',
    '/service_backups_options/export_worker_volume_type',
    options({
      export_worker_volume_type: 'x',
      export_worker_boot_from_volume: false,
    }),
  ),
  exporting(
    'export-fip-pool-has-no-effect',
    'warning',
    '/service_backups_options/export_fip_pool_name',
    options({ export_fip_pool_name: 'x' }),
  ),
  exporting(
    'export-worker-incomplete',
    'warning',
    '/service_backups_options',
    options({ export_image: 'ubuntu-24.04', export_network: 'admin-net' }),
  ),
  exporting('export-worker-incomplete', 'warning', '/service_backups_options', {
    environment: { replica_export_mechanism: undefined, service_backups_options: undefined },
  }),
  exporting('no-distributed-storage', 'warning', '/replica_export_mechanism', {
    environment: { replica_export_mechanism: 'distributed_snapshots', service_backups_options: undefined },
    connection: {},
  }),
  exporting(
    'export-fip-pool-missing',
    'info',
    '/service_backups_options/export_fip_pool_name',
    options({ export_worker_use_fip: true }),
  ),
  exporting('retired-image', 'warning', '/service_backups_options/export_image', options({ export_image: 'xenial' })),
  exporting(
    'retired-image',
    'info',
    '/service_backups_options/export_image',
    options({ export_image: 'Ubuntu 18.04' }),
  ),
  exporting('container-form', 'error', '/objectstore_backups_options/volume_backups_container', {
    environment: {
      replica_export_mechanism: 'objectstore_backups',
      objectstore_backups_options: { volume_backups_container: 'a/b' },
    },
  }),

  on('source', 'resource-group-cloud')('container-without-account', 'warning', '/storage_container_name', {
    environment: { storage_account_name: undefined },
  }),
  on('source', 'resource-group-cloud')('storage-name-form', 'warning', '/storage_account_name', {
    environment: { storage_account_name: 'storage-account' },
  }),
  azureSource('location-form', 'warning', '/location', { environment: { location: 'West Europe' } }),
  azureSource('resource-group-form', 'error', '/resource_group', { environment: { resource_group: 'prod rg/../x' } }),
  azureSource('size-form', 'error', '/export_worker_size', { environment: { export_worker_size: 'standard_d2s_v5' } }),
  on('source', 'resource-group-cloud')('retired-image', 'warning', '/export_worker_image', {
    environment: { export_worker_image: retired },
  }),

  classicSource('name-form', 'warning', '/export_image_name', {
    environment: { export_image_name: '/oracle/public/OL 8' },
  }),
  classicSource('export-worker-incomplete', 'warning', '/export_image_name', {
    environment: { export_image_name: undefined },
  }),
  classicSource('no-uefi', 'warning', '/vm/firmware', { vm: uefi }),
  on('source', 'classic-infrastructure-cloud')('retired-image', 'warning', '/export_image_name', {
    environment: { export_image_name: 'CentOS-7.9' },
  }),
  managerSource('export-worker-incomplete', 'warning', '/export_template_username', {
    environment: { export_template_username: undefined },
  }),
  managerSource('export-worker-incomplete', 'warning', '/export_template_password', {
    environment: { export_template_password: undefined },
  }),
  managerSource('no-uefi', 'warning', '/vm/firmware', { vm: uefi }),
  on('source', 'server-virtualization-manager')('retired-image', 'warning', '/export_template_name', {
    environment: { export_template_name: 'ubuntu1604' },
  }),
  on('source', 'server-virtualization-manager')('plain-text-secret', 'warning', '/export_template_password', {
    environment: { export_template_password: 'hunter2' },
  }),
  on('source', 'server-virtualization-manager')('clone-type', 'warning', '/virtual_disk_clone_type', {
    environment: { virtual_disk_clone_type: 'Thin Clone' },
  }),

  ...commonCases('open-source-cloud', 'storage_mappings', byName),
  openSource('nic-not-mapped', 'error', '/network_map', { environment: { network_map: undefined } }),
  openSource('image-map-overridden', 'warning', '/migr_image_map', { environment: { migr_image: 'linux-worker' } }),
  openSource('worker-volume-has-no-effect', 'warning', '/migr_worker_volume_size', {
    environment: { migr_worker_boot_from_volume: false, migr_worker_volume_type: undefined },
  }),
  openSource('worker-fip-pool-has-no-effect', 'warning', '/migr_fip_pool_name', {
    environment: { migr_worker_use_fip: undefined },
  }),
  openSource('floating-ip-pool-has-no-effect', 'warning', '/floating_ip_pool', {
    environment: { use_floating_ip: false },
  }),
  openSource('one-image-for-windows', 'warning', '/migr_image', {
    environment: { migr_image: 'linux-worker' },
    vm: { os_type: 'windows' },
  }),
  openSource('name-length', 'error', '/server_group', { environment: { server_group: 'x'.repeat(256) } }),
  openSource('volume-larger-than-disk', 'info', '/vm/disks/1/size_bytes', { vm: oddDisk }),
  openSource('tag-form', 'error', '/instance_tags/note', { environment: { instance_tags: { note: 'x'.repeat(256) } } }),
  openSource('tag-form', 'error', '/instance_tags/größe', { environment: { instance_tags: { größe: '3' } } }),
  openSource('tag-form', 'error', '/instance_tags/managed-by', {
    environment: { instance_tags: { 'managed-by': 'ops' } },
  }),
  openSource('tag-as-metadata-alone', 'info', '/instance_tags/owner', {
    environment: { instance_tags: { team: 'web', owner: 'ops/web' } },
  }),
  openSource('worker-incomplete', 'warning', '/migr_network', { environment: { migr_network: undefined } }),
  openSource('worker-incomplete', 'warning', '/migr_flavor_name', { environment: { migr_flavor_name: '' } }),
  openSource('worker-incomplete', 'warning', '/migr_image_map', { environment: { migr_image_map: undefined } }),
  openSource('worker-fip-pool-missing', 'info', '/migr_fip_pool_name', {
    environment: { migr_fip_pool_name: undefined },
  }),
  openSource('floating-ip-pool-missing', 'info', '/floating_ip_pool', { environment: { floating_ip_pool: undefined } }),
  openSource('floating-ip-without-nic', 'warning', '/use_floating_ip', { vm: { nics: [] } }),
  openSource('worker-disk-too-small', 'warning', '/migr_flavor_name', {
    environment: { migr_flavor_name: 'diskless', migr_worker_boot_from_volume: undefined },
  }),
  openSource('worker-disk-too-small', 'error', '/migr_flavor_name', {
    environment: { migr_flavor_name: 'tiny', migr_worker_boot_from_volume: undefined },
  }),
  openSource('worker-image-missing', 'warning', '/migr_image_map/linux', {
    environment: { migr_image_map: { windows: 'windows-worker' } },
  }),
  openSource('retired-image', 'warning', '/migr_image_map/linux', {
    environment: { migr_image_map: { linux: 'Ubuntu 18.04' } },
  }),
  openSource('machine-type-too-small', 'warning', '/flavor_name', { environment: { flavor_name: 'small' } }),
  openSource('worker-volume-too-small', 'error', '/migr_worker_volume_size', {
    environment: { migr_image_map: { linux: 'linux-worker' }, migr_worker_volume_size: 9 },
  }),
  openSource('address-outside-network', 'error', '/vm/nics/0/ip_addresses/0', { vm: nic('10.9.0.5') }),
  openSource('address-reserved', 'error', '/vm/nics/0/ip_addresses/0', { vm: nic('10.1.0.1') }),
  openSource('address-reserved', 'error', '/vm/nics/0/ip_addresses/0', { vm: nic('10.1.0.255') }),
  openSource('address-outside-network', 'error', '/vm/nics/0/ip_addresses/1', { vm: nic('10.1.0.5', '10.9.0.5/24') }),
  openSource('ipv6-dropped', 'warning', '/vm/nics/0/ip_addresses/1', { vm: nic('10.1.0.5', 'fe80::1') }),
  openSource('further-addresses', 'warning', '/vm/nics/0/ip_addresses/1', { vm: nic('10.1.0.5', '10.1.0.6') }),
  openSource('static-address-changes', 'info', '/set_dhcp', {
    environment: { set_dhcp: false, preserve_fixed_ips: undefined },
  }),
  openSource('not-in-catalog', 'error', '/migr_network', { environment: { migr_network: 'worker' } }),
  openSource('ambiguous-name', 'error', '/migr_network', { environment: { migr_network: 'twin' } }),

  ...commonCases('resource-group-cloud', 'storage_map', () => 'prod/default'),
  resourceGroup('container-without-account', 'warning', '/storage_container_name', {
    environment: { storage_container_name: 'disks' },
  }),
  resourceGroup('storage-name-form', 'warning', '/storage_container_name', {
    environment: { storage_account_name: 'migrationblobs', storage_container_name: 'a--b' },
  }),
  resourceGroup('page-blobs', 'info', '/storage_account_name', {
    environment: { storage_account_name: 'migrationblobs' },
  }),
  resourceGroup('os-disk-type', 'error', '/storage_map/default', {
    environment: { storage_map: { default: 'UltraSSD_LRS' } },
  }),
  resourceGroup('os-disk-type', 'error', '/storage_map/disk_mappings/0/destination', {
    environment: {
      storage_map: { default: 'Premium_LRS', disk_mappings: [{ disk_id: 'disk-0', destination: 'PremiumV2_LRS' }] },
    },
  }),
  resourceGroup('os-disk-type', 'error', '/storage_map/backend_mappings/0/destination', {
    environment: {
      storage_map: { default: 'Premium_LRS', backend_mappings: [{ source: 'ds1', destination: 'UltraSSD_LRS' }] },
    },
  }),
  resourceGroup('size-without-uefi', 'error', '/vm_size', { environment: { vm_size: 'Standard_A1' }, vm: uefi }),
  resourceGroup('size-form', 'error', '/vm_size', { environment: { vm_size: 'D2s_v5' } }),
  resourceGroup('location-form', 'warning', '/location', { environment: { location: 'West Europe' } }),
  resourceGroup('resource-group-form', 'error', '/resource_group', { environment: { resource_group: 'prod.' } }),
  resourceGroup('network-form', 'error', '/network_map/VM Network', {
    environment: { network_map: { 'VM Network': 'prod-net / default' } },
  }),
  resourceGroup('destination-incomplete', 'warning', '/resource_group', { environment: { resource_group: undefined } }),
  resourceGroup('destination-incomplete', 'warning', '/vm_size', { environment: { vm_size: undefined } }),
  resourceGroup('volume-larger-than-disk', 'info', '/vm/disks/1/size_bytes', { vm: oddDisk }),
  resourceGroup('storage-account-type', 'warning', '/storage_map/default', {
    environment: { storage_map: { default: 'Premium_SSD' } },
  }),
  resourceGroup('retired-image', 'warning', '/linux_migr_image', { environment: { linux_migr_image: retired } }),
  resourceGroup('built-in-image-retired', 'info', '/linux_migr_image', {
    environment: { linux_migr_image: undefined },
  }),
  resourceGroup('built-in-image-retired', 'info', '/windows_migr_image', {
    environment: { windows_migr_image: undefined },
    vm: { os_type: 'windows' },
  }),
  resourceGroup('machine-type-too-small', 'warning', '/vm_size', { environment: { vm_size: 'small' } }),
  resourceGroup('too-many-disks', 'error', '/vm_size', { environment: { vm_size: 'small' } }),
  resourceGroup('address-outside-network', 'warning', '/vm/nics/0/ip_addresses/0', { vm: nic('10.9.0.5') }),
  resourceGroup('ipv6-dropped', 'warning', '/vm/nics/0/ip_addresses/1', { vm: nic('10.1.0.5', 'fe80::1') }),
  resourceGroup('further-addresses', 'warning', '/vm/nics/0/ip_addresses/1', { vm: nic('10.1.0.5', '10.1.0.6') }),
  resourceGroup('not-in-catalog', 'error', '/network_map/VM Network', {
    environment: { network_map: { 'VM Network': 'prod/other' } },
  }),
  resourceGroup('ambiguous-name', 'error', '/worker_size', { environment: { worker_size: 'double' } }),

  ...commonCases('compartment-cloud', 'storage_mappings', () => ({ id: 'ocid1.subnet.prod' })),
  compartment('attachment-type', 'warning', '/storage_mappings/default', {
    environment: { storage_mappings: { default: 'nvme' } },
  }),
  compartment('root-disk-mapped', 'warning', '/storage_mappings/disk_mappings/0/disk_id', {
    environment: { storage_mappings: { disk_mappings: [{ disk_id: 'disk-0', destination: 'iscsi' }] } },
  }),
  compartment('identifier-form', 'warning', '/migr_subnet_id', { environment: { migr_subnet_id: 'workers' } }),
  compartment('identifier-form', 'warning', '/network_map/VM Network/id', {
    environment: { network_map: { 'VM Network': { id: 'ocid1.vcn.prod' } } },
  }),
  compartment('availability-domain-form', 'warning', '/availability_domain', {
    environment: { availability_domain: 'AD-1' },
  }),
  compartment('shape-form', 'warning', '/shape_name', { environment: { shape_name: 'Standard2.1' } }),
  compartment('compartment-form', 'warning', '/compartment', {
    environment: { compartment: 'ocid1.subnet.oc1..aaaa' },
  }),
  compartment('destination-incomplete', 'warning', '/shape_name', { environment: { shape_name: undefined } }),
  compartment('volume-larger-than-disk', 'info', '/vm/disks/1/size_bytes', { vm: oddDisk }),
  compartment('pv-mode-has-no-effect', 'warning', '/use_pv_mode', { vm: uefi }),
  compartment('network-compartment-has-no-effect', 'warning', '/vcn_compartment', {
    environment: { compartment: 'c', vcn_compartment: 'c' },
  }),
  compartment('worker-image-missing', 'warning', '/migr_image_map/windows', {
    environment: { migr_image_map: { linux: 'ocid1.image.linux' } },
    vm: { os_type: 'windows' },
  }),
  compartment('machine-type-too-small', 'warning', '/shape_name', { environment: { shape_name: 'small' } }),
  compartment('not-in-catalog', 'error', '/availability_domain', { environment: { availability_domain: 'zone-9' } }),
  compartment('ambiguous-name', 'error', '/migr_shape_name', { environment: { migr_shape_name: 'double' } }),

  ...commonCases('classic-infrastructure-cloud', 'storage_mappings', byName),
  classic('name-form', 'warning', '/shape_name', { environment: { shape_name: 'oc 3' } }),
  classic('worker-incomplete', 'warning', '/migr_shape_name', { environment: { migr_shape_name: undefined } }),
  classic('volume-larger-than-disk', 'info', '/vm/disks/1/size_bytes', { vm: oddDisk }),
  classic('default-pool-overridden', 'warning', '/default_volume_pool', {
    environment: { default_volume_pool: 'fast' },
  }),
  classic('worker-image-missing', 'warning', '/migr_image_map/linux', { environment: { migr_image_map: {} } }),
  classic('retired-image', 'warning', '/migr_image_map/windows', {
    environment: { migr_image_map: { linux: 'linux-worker', windows: '/x/Windows_2012_R2' } },
  }),
  classic('no-uefi', 'warning', '/vm/firmware', { vm: uefi }),
  classic('machine-type-too-small', 'warning', '/shape_name', { environment: { shape_name: 'small' } }),
  classic('not-in-catalog', 'error', '/keypair_name', { environment: { keypair_name: 'none' } }),
  classic('ambiguous-name', 'error', '/network_map/VM Network', {
    environment: { network_map: { 'VM Network': 'twin' } },
  }),

  ...commonCases('server-virtualization-manager', 'storage_mappings', byName),
  manager('clone-type', 'warning', '/virtual_disk_clone_type', { environment: { virtual_disk_clone_type: 'COPY' } }),
  manager('template-credentials', 'warning', '/migr_template_username_map/windows', {
    environment: { migr_template_username_map: { linux: 'root' } },
  }),
  manager('template-credentials', 'warning', '/migr_template_password_map', {
    environment: {
      migr_template_name_map: { linux: 'linux-worker' },
      migr_template_username_map: { linux: 'root' },
      migr_template_password_map: undefined,
    },
  }),
  manager('destination-incomplete', 'warning', '/server_pool_name', { environment: { server_pool_name: undefined } }),
  manager('destination-incomplete', 'warning', '/repository_name', { environment: { repository_name: undefined } }),
  manager('worker-image-missing', 'warning', '/migr_template_name_map/windows', {
    environment: { migr_template_name_map: { linux: 'linux-worker' } },
    vm: { os_type: 'windows' },
  }),
  manager('retired-image', 'warning', '/migr_template_name_map/windows', {
    environment: { migr_template_name_map: { linux: 'linux-worker', windows: 'Windows 2016' } },
  }),
  manager('no-uefi', 'warning', '/vm/firmware', { vm: uefi }),
  manager('plain-text-secret', 'warning', '/migr_template_password_map/linux', {
    environment: { migr_template_password_map: { linux: 'hunter2', windows: { $secret: 'w' } } },
  }),
  manager('not-in-catalog', 'error', '/network_map/VM Network', {
    environment: { network_map: { 'VM Network': 'none' } },
  }),
  manager('ambiguous-name', 'error', '/network_map/VM Network', {
    environment: { network_map: { 'VM Network': 'twin' } },
  }),

  ...commonCases('european-cloud', 'storage_mappings', byName),
  european('worker-image-missing', 'error', '/migr_image_map', { environment: { migr_image_map: undefined } }),
  european('worker-image-missing', 'error', '/migr_image_map/linux', {
    environment: { migr_image_map: { windows: 'windows-worker' } },
  }),
  european('worker-image-missing', 'warning', '/migr_image_map/windows', {
    environment: { migr_image_map: { linux: 'linux-worker' } },
    configuration: { migr_image_map: { linux: 'linux-worker', windows: 'windows-worker' } },
    vm: { os_type: 'windows' },
  }),
  european('windows-needs-machine-type', 'error', '/machine_type', {
    environment: { machine_type: undefined },
    vm: { os_type: 'windows' },
  }),
  european('no-machine-type-fits', 'error', '/machine_type', {
    environment: { machine_type: undefined },
    vm: { vcpus: 64 },
  }),
  european('machine-type-too-small', 'warning', '/machine_type', { environment: { machine_type: 'small' } }),
  european('name-form', 'warning', '/affinity_group', { environment: { affinity_group: 'äpart' } }),
  european('keypair-form', 'warning', '/keypair_name', { environment: { keypair_name: 'ops key' } }),
  european('iso-with-digest', 'error', '/windows_virtio_iso_url', {
    environment: { windows_virtio_iso_url: `https://files.example/virtio.iso#sha256=${'0'.repeat(64)}` },
  }),
  european('iso-with-digest', 'error', '/windows_virtio_iso_url', {
    environment: { windows_virtio_iso_url: undefined },
    configuration: { windows_virtio_iso_url: 'https://files.example/virtio.iso#sha256=0' },
  }),
  european('volume-larger-than-disk', 'info', '/vm/disks/1/size_bytes', { vm: oddDisk }),
  european('storage-mapping-empty', 'warning', '/storage_mappings', { environment: { storage_mappings: {} } }),
  european('keypair-has-no-effect', 'warning', '/keypair_name', { environment: { retain_user_credentials: true } }),
  european('keypair-has-no-effect', 'warning', '/keypair_name', {
    environment: { retain_user_credentials: undefined },
    configuration: { retain_user_credentials: true },
  }),
  european('disk-bus-overridden', 'warning', '/disk_bus', metadata({ disk_bus: 'scsi' })),
  european('disk-bus-overridden', 'warning', '/disk_bus', {
    configuration: { default_custom_boot_volume_image_metadata: { disk_bus: 'ide' } },
  }),
  european(
    'metadata-contradicts-vm',
    'warning',
    '/custom_boot_volume_image_metadata/operating_system',
    metadata({ operating_system: 'windows' }),
  ),
  european('metadata-contradicts-vm', 'warning', '/custom_boot_volume_image_metadata/uefi', metadata({ uefi: true })),
  european(
    'secure-boot-needs-uefi',
    'warning',
    '/custom_boot_volume_image_metadata/secure_boot',
    metadata({ secure_boot: true }),
  ),
  european('ipv6-dropped', 'warning', '/vm/nics/0/ip_addresses/1', { vm: nic('10.1.0.5', 'fe80::1') }),
  european('address-outside-network', 'error', '/vm/nics/0/ip_addresses/0', { vm: nic('10.1.1.5') }),
  european('address-outside-network', 'error', '/vm/nics/0/ip_addresses/1', { vm: nic('10.1.0.5/24', '10.1.1.5') }),
  european('further-addresses', 'warning', '/vm/nics/0/ip_addresses/1', { vm: nic('10.1.0.5', '10.1.0.6') }),
  european('address-reserved', 'error', '/vm/nics/0/ip_addresses/0', { vm: nic('10.1.0.1') }),
  european('address-reserved', 'error', '/vm/nics/0/ip_addresses/0', { vm: nic('10.1.0.2') }),
  european('address-reserved', 'error', '/vm/nics/0/ip_addresses/0', { vm: nic('10.1.0.255') }),
  european('static-address-changes', 'info', '/set_dhcp', {
    environment: { set_dhcp: false, preserve_fixed_ips: undefined },
  }),
  european('label-alphabet', 'warning', '/server_labels/1', { environment: { server_labels: ['ok', 'nöt ok'] } }),
  european('label-alphabet', 'warning', '/server_labels/0', { environment: { server_labels: ['stackit-owner=me'] } }),
  european('label-alphabet', 'warning', '/server_labels/0', { environment: { server_labels: ['env=pr od'] } }),
  european('label-twice', 'warning', '/server_labels/1', { environment: { server_labels: ['env=a', 'env=b'] } }),
  european('property-form', 'warning', '/server_properties/nöt', { environment: { server_properties: { nöt: 'x' } } }),
  european('property-form', 'info', '/server_properties/count', { environment: { server_properties: { count: 3 } } }),
  european('retired-image', 'warning', '/migr_image_map/windows', {
    environment: { migr_image_map: { linux: 'linux-worker', windows: 'Windows Server 2016' } },
  }),
  european('project-id-form', 'warning', '/project', { environment: { project: 'dest-project' } }),
  european('worker-volume-too-small', 'error', '/migr_worker_volume_size', {
    environment: { migr_image_map: { linux: 'linux-worker' }, migr_worker_volume_size: 9 },
  }),
  european('not-in-catalog', 'error', '/security_groups/1', { environment: { security_groups: ['web', 'wbe2'] } }),
  european('not-in-catalog', 'error', '/storage_mappings/disk_mappings/0/destination', {
    environment: { storage_mappings: { disk_mappings: [{ disk_id: 'disk-1', destination: 'fsat' }] } },
  }),
  european('not-in-catalog', 'error', '/availability_zone', {
    environment: { availability_zone: undefined },
    configuration: { availability_zone: 'zone-9' },
  }),
  european('ambiguous-name', 'error', '/migr_network', { environment: { migr_network: 'twin' } }),
];
