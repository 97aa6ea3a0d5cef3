import type { JsonObject } from '../../model/json.ts';
import type { PluginId, Side } from '../../model/plugin-id.ts';
import type { Vm } from '../../model/vm.ts';
import type { Catalog } from '../../model/catalog.ts';

/** A VM that every golden environment suits. */
export const goldenVm: Vm = {
  id: 'vm-101',
  name: 'web-01',
  os_type: 'linux',
  firmware: 'bios',
  vcpus: 2,
  memory_mb: 4096,
  disks: [
    { id: 'disk-0', size_bytes: 10_737_418_240, storage_backend: 'ds1', bootable: true },
    { id: 'disk-1', size_bytes: 1_073_741_824, storage_backend: 'ds2' },
  ],
  nics: [{ id: 'nic-0', network: 'VM Network', mac_address: '52:54:00:00:00:01', ip_addresses: ['10.1.0.5'] }],
};

/** What every golden destination has. Each kind holds two resources of one name, so that ambiguity can be had. */
export const goldenCatalog: Catalog = {
  networks: [
    { id: 'net-1', name: 'prod', cidrs: ['10.1.0.0/24'], gateway: '10.1.0.1' },
    { id: 'net-2', name: 'workers', cidrs: ['10.2.0.0/24'] },
    { id: 'net-3', name: 'prod/default', cidrs: ['10.1.0.0/24'] },
    { id: 'net-4', name: 'twin', cidrs: ['10.4.0.0/24'] },
    { id: 'net-5', name: 'twin', cidrs: ['10.5.0.0/24'] },
  ],
  images: [
    { id: 'img-1', name: 'linux-worker', min_disk_gb: 10 },
    { id: 'img-2', name: 'windows-worker', min_disk_gb: 40 },
    { id: 'ocid1.image.linux', name: 'linux-worker-2' },
    { id: 'ocid1.image.windows', name: 'windows-worker-2' },
  ],
  machine_types: [
    { id: 'small', name: 'small', vcpus: 1, memory_mb: 1024, max_data_disks: 0 },
    { id: 'azure-2', name: 'Standard_D2s_v5', vcpus: 2, memory_mb: 8192, max_data_disks: 4 },
    { id: 'oci-2', name: 'VM.Standard2.2', vcpus: 4, memory_mb: 30_720 },
    { id: 'medium', name: 'medium', vcpus: 2, memory_mb: 4096, max_data_disks: 4 },
  ],
  volume_types: [
    { id: 'standard', name: 'standard' },
    { id: 'fast', name: 'fast' },
  ],
  security_groups: [
    { id: 'sg-1', name: 'web' },
    { id: 'ocid1.networksecuritygroup.web', name: 'web-2' },
  ],
  affinity_groups: [{ id: 'ag-1', name: 'apart' }],
  availability_zones: [
    { id: 'zone-1', name: 'zone-1' },
    { id: 'ad-1', name: 'Uocm:EU-FRANKFURT-1-AD-1' },
  ],
  keypairs: [{ id: 'ops', name: 'ops' }],
};

const storage = {
  default: 'standard',
  backend_mappings: [{ source: 'ds1', destination: 'fast' }],
  disk_mappings: [{ disk_id: 'disk-1', destination: 'fast' }],
};
const images = { linux: 'linux-worker', windows: 'windows-worker' };
const marketplace = { publisher: 'Canonical', offer: 'ubuntu-24_04-lts', sku: 'server', version: 'latest' };

interface Golden {
  readonly plugin: PluginId;
  readonly side: Side;
  readonly environment: JsonObject;
}

/** One environment a plugin and side, as full as can be without a finding. */
export const goldenEnvironments: readonly Golden[] = [
  {
    plugin: 'virtualization-platform',
    side: 'source',
    environment: { disklib_compatibility_version: '7.0', automatically_enable_cbt: true },
  },
  {
    plugin: 'open-source-cloud',
    side: 'source',
    environment: {
      custom_os_type_map: { redhat: 'linux' },
      replica_export_mechanism: 'service_backups',
      service_backups_options: {
        export_interim_volume_type: 'standard',
        export_image: 'ubuntu-24.04',
        export_worker_use_config_drive: true,
        export_network: 'admin-net',
        export_flavor_name: 'm1.small',
        export_worker_use_fip: true,
        export_fip_pool_name: 'public',
        export_worker_boot_from_volume: true,
        export_worker_volume_type: 'standard',
        export_worker_volume_size: 20,
      },
    },
  },
  {
    plugin: 'large-public-cloud',
    side: 'source',
    environment: {
      migr_image_map: { linux: 'ami-0a1b2c3d4e5f60718', windows: 'ami-50946031' },
      worker_instance_type: 't3.medium',
      shutdown_migrated_instance: 'no',
    },
  },
  {
    plugin: 'windows-hypervisor',
    side: 'source',
    environment: { fallback_to_crash_consistent_snapshots: true, verify_rct_server: 'No' },
  },
  {
    plugin: 'resource-group-cloud',
    side: 'source',
    environment: {
      location: 'westeurope',
      resource_group: 'production',
      export_worker_size: 'Standard_D2s_v5',
      export_worker_image: marketplace,
      storage_account_name: 'migrationblobs',
      storage_container_name: 'disks',
    },
  },
  {
    plugin: 'classic-infrastructure-cloud',
    side: 'source',
    environment: {
      export_image_name: '/oracle/public/OL_8.9',
      export_img_username: 'opc',
      export_shape_name: 'oc3',
      export_root_disk_size: 20,
    },
  },
  {
    plugin: 'server-virtualization-manager',
    side: 'source',
    environment: {
      repository_name: 'repo',
      export_template_name: 'linux-worker',
      export_template_username: 'root',
      export_template_password: { $secret: 'template' },
      virtual_disk_clone_type: 'THIN_CLONE',
    },
  },
  {
    plugin: 'disk-images',
    side: 'source',
    environment: { os_type: 'linux', firmware: 'uefi', vcpus: 2, memory_mb: 2048, digest_block_size: 64 },
  },
  {
    plugin: 'qemu-hypervisor',
    side: 'source',
    environment: {
      os_type: 'linux',
      quiesce: true,
      guest_agent_socket: '/run/vms/web-01.qga',
      bitmap_granularity: 65_536,
    },
  },
  {
    plugin: 'open-source-cloud',
    side: 'destination',
    environment: {
      network_map: { 'VM Network': 'prod' },
      storage_mappings: storage,
      hypervisor_type: 'kvm',
      flavor_name: 'medium',
      keypair_name: 'ops',
      delete_disks_on_vm_termination: false,
      security_groups: ['web'],
      migr_image_map: images,
      migr_network: 'workers',
      migr_worker_use_fip: true,
      migr_fip_pool_name: 'public/sub',
      migr_flavor_name: 'small',
      migr_worker_boot_from_volume: true,
      migr_worker_volume_size: 40,
      migr_worker_volume_type: 'standard',
      migr_worker_use_config_drive: false,
      port_reuse_policy: 'keep_mac',
      list_all_destination_networks: true,
      volumes_are_zeroed: true,
      set_dhcp: true,
      preserve_fixed_ips: true,
      server_group: 'group',
      use_floating_ip: true,
      floating_ip_pool: 'public',
      instance_tags: { team: 'web' },
    },
  },
  {
    plugin: 'resource-group-cloud',
    side: 'destination',
    environment: {
      location: 'westeurope',
      resource_group: 'migrations',
      network_map: { 'VM Network': 'prod/default' },
      storage_map: {
        default: 'Standard_LRS',
        backend_mappings: [{ source: 'ds1', destination: 'Premium_LRS' }],
        disk_mappings: [{ disk_id: 'disk-1', destination: 'StandardSSD_LRS' }],
      },
      vm_size: 'Standard_D2s_v5',
      worker_size: 'Standard_D2s_v5',
      linux_migr_image: marketplace,
      windows_migr_image: {
        publisher: 'MicrosoftWindowsServer',
        offer: 'WindowsServer',
        sku: '2022-datacenter',
        version: 'latest',
      },
      preserve_nic_ips: true,
    },
  },
  {
    plugin: 'compartment-cloud',
    side: 'destination',
    environment: {
      availability_domain: 'Uocm:EU-FRANKFURT-1-AD-1',
      network_map: { 'VM Network': { id: 'ocid1.subnet.prod', security_groups: ['ocid1.networksecuritygroup.web'] } },
      storage_mappings: {
        default: 'paravirtualized',
        backend_mappings: [{ source: 'ds1', destination: 'iscsi' }],
        disk_mappings: [{ disk_id: 'disk-1', destination: 'emulated' }],
      },
      use_pv_mode: true,
      migr_image_map: { linux: 'ocid1.image.linux', windows: 'ocid1.image.windows' },
      migr_subnet_id: 'ocid1.subnet.workers',
      migr_shape_name: 'VM.Standard2.2',
      compartment: 'ocid1.compartment.migrations',
      vcn_compartment: 'ocid1.compartment.networks',
      set_public_ip: true,
      shape_name: 'VM.Standard2.2',
    },
  },
  {
    plugin: 'classic-infrastructure-cloud',
    side: 'destination',
    environment: {
      network_map: { 'VM Network': 'prod' },
      storage_mappings: storage,
      migr_image_map: images,
      migr_shape_name: 'small',
      shape_name: 'medium',
      default_volume_pool: 'standard',
      keypair_name: 'ops',
      set_public_ip: true,
    },
  },
  {
    plugin: 'server-virtualization-manager',
    side: 'destination',
    environment: {
      network_map: { 'VM Network': 'prod' },
      storage_mappings: storage,
      server_pool_name: 'pool',
      repository_name: 'repo',
      migr_template_name_map: images,
      migr_template_username_map: { linux: 'root', windows: 'Administrator' },
      migr_template_password_map: { linux: { $secret: 'linux' }, windows: { $secret: 'windows' } },
      leave_migrated_vm_off: false,
      os_label: 'migrated',
      virtual_disk_clone_type: 'THIN_CLONE',
    },
  },
  {
    plugin: 'european-cloud',
    side: 'destination',
    environment: {
      network_map: { 'VM Network': 'prod' },
      storage_mappings: storage,
      machine_type: 'medium',
      project: 'f5c6bd4b-1f0a-4d0e-9f5e-0c2f2f6f0a11',
      keypair_name: 'ops',
      delete_disks_on_server_termination: false,
      security_groups: ['web'],
      affinity_group: 'apart',
      availability_zone: 'zone-1',
      server_labels: ['env=prod', 'migrated'],
      server_properties: { owner: 'web' },
      use_public_ip: true,
      disk_bus: 'virtio',
      use_config_drive: false,
      custom_boot_volume_image_metadata: { operating_system: 'linux', uefi: false },
      migr_image_map: images,
      migr_network: 'workers',
      migr_machine_type: 'small',
      migr_worker_use_public_ip: true,
      migr_worker_volume_size: 40,
      migr_worker_volume_performance_class: 'standard',
      preserve_fixed_ips: true,
      volumes_are_zeroed: true,
      data_transfer_mechanism: 'HTTPS',
      set_dhcp: true,
      retain_user_credentials: false,
      windows_virtio_iso_url: 'https://example.com/virtio-win.iso',
    },
  },
];

export function goldenEnvironment(plugin: PluginId, side: Side): JsonObject {
  const golden = goldenEnvironments.find((one) => one.plugin === plugin && one.side === side);
  if (golden === undefined) throw new Error(`no golden environment for ${plugin} as a ${side}`);
  return golden.environment;
}
