import type { PluginId, Side } from '../../model/plugin-id.ts';

/**
 * What the parameter reference says, key by key, written by hand from its tables and from nothing in the schemas.
 * Keys below an object are dotted; `[]` stands for the elements of a list, `{}` for the entries of a mapping.
 */
export interface SpecifiedKey {
  readonly key: string;
  readonly type: SpecifiedType;
  readonly required?: true;
  readonly default?: unknown;
  readonly secret?: true;
  readonly unit?: string;
}

/** The types, each with values that it takes and values that it refuses. */
export const specifiedTypes = {
  text: { takes: ['x', 'Größe 1', 'a/b'], refuses: [1, true, null, [], {}, ''] },
  version: { takes: ['6.7', '8.0'], refuses: [7, 6.7, '7', '7.0.1', 'v7.0', null] },
  boolean: { takes: [true, false], refuses: ['true', 'false', 'yes', 0, 1, null] },
  flag: { takes: [true, false, 'true', 'FALSE', 'yes', 'No'], refuses: ['on', 'off', '1', 1, 0, null, '', ' yes'] },
  integer: { takes: [1, 20, 16_000], refuses: ['20', 1.5, null, 0, -1, true] },
  texts: { takes: [[], ['a'], ['a', 'b']], refuses: ['a', [1], [null], {}, null] },
  labels: {
    takes: [[], ['env=prod'], ['x'.repeat(60)], Array.from({ length: 50 }, (_, index) => `label-${index}`)],
    refuses: [
      ['x'.repeat(61)],
      ['a/b'],
      ['a,b'],
      Array.from({ length: 51 }, (_, index) => `label-${index}`),
      'a,b',
      [1],
      null,
    ],
  },
  'text map': { takes: [{}, { 'VM Network': 'net' }], refuses: [{ a: 1 }, { a: { id: 'x' } }, ['net'], 'net', null] },
  'subnet map': {
    takes: [{}, { a: 'net/sub net' }],
    refuses: [{ a: 'net' }, { a: 'net/' }, { a: '/sub' }, { a: 'a/b/c' }, { a: 1 }, null],
  },
  'network object map': {
    takes: [{}, { a: { id: 'x' } }, { a: { id: 'x', security_groups: ['g'] } }],
    refuses: [{ a: 'x' }, { a: {} }, { a: { id: 'x', security_groups: 'g' } }, { a: { id: 'x', other: 1 } }, null],
  },
  'per os': {
    takes: [{}, { linux: 'a' }, { linux: 'a', windows: 'b' }],
    refuses: [{ bsd: 'a' }, { linux: 1 }, { Linux: 'a' }, 'a', null],
  },
  'secret per os': {
    takes: [{ linux: 'a' }, { windows: { $secret: 'name' } }],
    refuses: [{ bsd: 'a' }, { linux: 1 }, { linux: { $secret: 1 } }, { linux: { secret: 'x' } }, null],
  },
  secret: { takes: ['a', { $secret: 'name' }], refuses: [1, {}, { $secret: '' }, { $secret: 'a', more: 1 }, null, ''] },
  'os type map': {
    takes: [{ redhat: 'linux', win: 'windows' }],
    refuses: [{ redhat: 'solaris' }, { redhat: 1 }, 'linux', null],
  },
  'storage mapping': {
    takes: [
      {},
      { default: 'a' },
      { backend_mappings: [{ source: 'a', destination: 'b' }], disk_mappings: [{ disk_id: 'a', destination: 'b' }] },
    ],
    refuses: [
      { a: 'b' },
      { default: 1 },
      { backend_mappings: { a: 'b' } },
      { backend_mappings: [{ source: 'a' }] },
      { disk_mappings: [{ source: 'a', destination: 'b' }] },
      'a',
      null,
    ],
  },
  image: {
    takes: [{ publisher: 'p', offer: 'o', sku: 's', version: 'latest' }],
    refuses: ['p:o:s:latest', { publisher: 1, offer: 'o', sku: 's', version: 'latest' }, { urn: 'x' }, null],
  },
  'key-values': {
    takes: [{}, { a: 'b' }, { a: 1, b: true }],
    refuses: ['a=b', ['a'], { a: { b: 'c' } }, { a: null }, null],
  },
  'image metadata': {
    takes: [{}, { operating_system: 'linux', uefi: true, secure_boot: false }, { disk_bus: 'scsi' }],
    refuses: [{ no_such_key: 1 }, { uefi: 'true' }, 'uefi:true', null],
  },
  object: { takes: [{}], refuses: ['a', [], null] },
  hypervisor: { takes: ['hyperv', 'qemu', 'kvm'], refuses: ['KVM', 'xen', 1, null] },
  'export mechanism': {
    takes: ['objectstore_backups', 'distributed_backups', 'distributed_snapshots', 'service_backups'],
    refuses: ['swift_backups', 'ceph_backups', 'ceph_snapshots', '', 1, null],
  },
  'port policy': { takes: ['keep_mac', 'replace_mac', 'reuse_ports'], refuses: ['keep', true, null] },
  'disk bus': { takes: ['scsi', 'virtio', 'ide', 'usb'], refuses: ['sata', 'VirtIO', 1, null] },
  mechanism: { takes: ['HTTPS', 'SSH'], refuses: ['https', 'ssh', 'TLS', true, null] },
  program_url: {
    takes: ['https://example.com/agent.zip', `http://10.0.0.1/a.zip#sha256=${'0f'.repeat(32)}`],
    refuses: ['agent.zip', 'ftp://example.com/a', 'http://10.0.0.1/a.zip', 1, null],
  },
  url: {
    takes: ['https://example.com/virtio-win.iso', 'http://10.0.0.1/a.iso'],
    refuses: ['virtio-win.iso', 'ftp://example.com/a', 1, null],
  },
  'encoded ssh key': {
    takes: ['c3NoLWVkMjU1MTkgQUFBQUMzTnphQw=='],
    refuses: ['ssh-ed25519 AAAA', 'bm8ga2V5', 1, null],
  },
  'optional text': { takes: ['', 'storage_premium_perf2'], refuses: [1, null] },
} as const satisfies Record<string, { takes: readonly unknown[]; refuses: readonly unknown[] }>;

export type SpecifiedType = keyof typeof specifiedTypes;

export interface SpecifiedSection {
  readonly plugin: PluginId;
  readonly part: Side | 'provider configuration';
  readonly keys: readonly SpecifiedKey[];
}

const key = (name: string, type: SpecifiedType, more: Omit<SpecifiedKey, 'key' | 'type'> = {}): SpecifiedKey => ({
  key: name,
  type,
  ...more,
});

const storage = (name: string): SpecifiedKey[] => [
  key(name, 'storage mapping'),
  key(`${name}.default`, 'text'),
  key(`${name}.backend_mappings[].source`, 'text', { required: true }),
  key(`${name}.backend_mappings[].destination`, 'text', { required: true }),
  key(`${name}.disk_mappings[].disk_id`, 'text', { required: true }),
  key(`${name}.disk_mappings[].destination`, 'text', { required: true }),
];

const perOs = (name: string): SpecifiedKey[] => [
  key(name, 'per os'),
  key(`${name}.linux`, 'text'),
  key(`${name}.windows`, 'text'),
];

const image = (name: string, preset?: object): SpecifiedKey[] => [
  key(name, 'image', preset === undefined ? {} : { default: preset }),
  ...['publisher', 'offer', 'sku', 'version'].map((part) => key(`${name}.${part}`, 'text', { required: true })),
];

const virtioIso = 'https://fedorapeople.org/groups/virt/virtio-win/direct-downloads/stable-virtio/virtio-win.iso';

export const specified: readonly SpecifiedSection[] = [
  {
    plugin: 'virtualization-platform',
    part: 'source',
    keys: [key('disklib_compatibility_version', 'version'), key('automatically_enable_cbt', 'boolean')],
  },
  {
    plugin: 'open-source-cloud',
    part: 'source',
    keys: [
      key('custom_os_type_map', 'os type map'),
      key('replica_export_mechanism', 'export mechanism'),
      key('objectstore_backups_options', 'object'),
      key('objectstore_backups_options.volume_backups_container', 'text'),
      key('service_backups_options', 'object'),
      key('service_backups_options.export_interim_volume_type', 'text'),
      key('service_backups_options.export_image', 'text'),
      key('service_backups_options.export_worker_use_config_drive', 'boolean'),
      key('service_backups_options.export_network', 'text'),
      key('service_backups_options.export_flavor_name', 'text'),
      key('service_backups_options.export_worker_use_fip', 'boolean'),
      key('service_backups_options.export_fip_pool_name', 'text'),
      key('service_backups_options.export_worker_boot_from_volume', 'boolean'),
      key('service_backups_options.export_worker_volume_type', 'text'),
      key('service_backups_options.export_worker_volume_size', 'integer', { unit: 'GB' }),
    ],
  },
  {
    plugin: 'large-public-cloud',
    part: 'source',
    keys: [
      ...perOs('migr_image_map'),
      key('worker_instance_type', 'text', { default: 't2.medium' }),
      key('shutdown_migrated_instance', 'flag'),
    ],
  },
  {
    plugin: 'windows-hypervisor',
    part: 'source',
    keys: [key('fallback_to_crash_consistent_snapshots', 'flag'), key('verify_rct_server', 'flag')],
  },
  {
    plugin: 'resource-group-cloud',
    part: 'source',
    keys: [
      key('location', 'text'),
      key('resource_group', 'text'),
      key('export_worker_size', 'text'),
      ...image('export_worker_image'),
      key('storage_account_name', 'text'),
      key('storage_container_name', 'text'),
    ],
  },
  {
    plugin: 'open-source-cloud',
    part: 'destination',
    keys: [
      key('network_map', 'text map'),
      ...storage('storage_mappings'),
      key('hypervisor_type', 'hypervisor'),
      key('flavor_name', 'text'),
      key('keypair_name', 'text'),
      key('delete_disks_on_vm_termination', 'boolean'),
      key('security_groups', 'texts'),
      key('migr_image', 'text'),
      ...perOs('migr_image_map'),
      key('migr_network', 'text'),
      key('migr_worker_use_fip', 'boolean'),
      key('migr_fip_pool_name', 'text'),
      key('migr_flavor_name', 'text'),
      key('migr_worker_boot_from_volume', 'boolean'),
      key('migr_worker_volume_size', 'integer', { unit: 'GB' }),
      key('migr_worker_volume_type', 'text'),
      key('migr_worker_use_config_drive', 'boolean'),
      key('port_reuse_policy', 'port policy'),
      key('list_all_destination_networks', 'boolean'),
      key('volumes_are_zeroed', 'boolean'),
      key('set_dhcp', 'boolean'),
      key('preserve_fixed_ips', 'boolean'),
      key('server_group', 'text'),
      key('use_floating_ip', 'boolean'),
      key('floating_ip_pool', 'text'),
      key('instance_tags', 'key-values'),
    ],
  },
  {
    plugin: 'resource-group-cloud',
    part: 'destination',
    keys: [
      key('location', 'text'),
      key('resource_group', 'text'),
      key('network_map', 'subnet map'),
      ...storage('storage_map'),
      key('storage_account_name', 'text'),
      key('storage_container_name', 'text'),
      key('vm_size', 'text'),
      key('worker_size', 'text'),
      ...image('linux_migr_image', {
        publisher: 'Canonical',
        offer: 'UbuntuServer',
        sku: '16.04.0-LTS',
        version: 'latest',
      }),
      ...image('windows_migr_image', {
        publisher: 'MicrosoftWindowsServer',
        offer: 'WindowsServer',
        sku: '2016-Datacenter-Server-Core',
        version: 'latest',
      }),
      key('preserve_nic_ips', 'boolean'),
    ],
  },
  {
    plugin: 'compartment-cloud',
    part: 'destination',
    keys: [
      key('availability_domain', 'text'),
      key('network_map', 'network object map'),
      key('network_map{}.id', 'text', { required: true }),
      key('network_map{}.security_groups', 'texts'),
      ...storage('storage_mappings'),
      key('use_pv_mode', 'boolean'),
      ...perOs('migr_image_map'),
      key('migr_subnet_id', 'text'),
      key('migr_shape_name', 'text'),
      key('compartment', 'text'),
      key('vcn_compartment', 'text'),
      key('set_public_ip', 'boolean'),
      key('shape_name', 'text'),
    ],
  },
  {
    plugin: 'classic-infrastructure-cloud',
    part: 'source',
    keys: [
      key('export_image_name', 'text'),
      key('export_img_username', 'text'),
      key('export_shape_name', 'text'),
      key('export_root_disk_size', 'integer', { unit: 'GB' }),
    ],
  },
  {
    plugin: 'classic-infrastructure-cloud',
    part: 'destination',
    keys: [
      key('network_map', 'text map'),
      ...storage('storage_mappings'),
      ...perOs('migr_image_map'),
      key('migr_shape_name', 'text'),
      key('shape_name', 'text'),
      key('default_volume_pool', 'text'),
      key('keypair_name', 'text'),
      key('set_public_ip', 'boolean'),
    ],
  },
  {
    plugin: 'server-virtualization-manager',
    part: 'source',
    keys: [
      key('repository_name', 'text'),
      key('export_template_name', 'text'),
      key('export_template_username', 'text'),
      key('export_template_password', 'secret', { secret: true }),
      key('virtual_disk_clone_type', 'text'),
    ],
  },
  {
    plugin: 'server-virtualization-manager',
    part: 'destination',
    keys: [
      key('network_map', 'text map'),
      ...storage('storage_mappings'),
      key('server_pool_name', 'text'),
      key('repository_name', 'text'),
      ...perOs('migr_template_name_map'),
      ...perOs('migr_template_username_map'),
      key('migr_template_password_map', 'secret per os'),
      key('migr_template_password_map.linux', 'secret', { secret: true }),
      key('migr_template_password_map.windows', 'secret', { secret: true }),
      key('leave_migrated_vm_off', 'boolean'),
      key('os_label', 'text'),
      key('virtual_disk_clone_type', 'text'),
    ],
  },
  {
    plugin: 'european-cloud',
    part: 'provider configuration',
    keys: [
      key('list_all_images', 'boolean', { default: false }),
      key('delete_disks_on_server_termination', 'boolean', { default: false }),
      key('set_dhcp', 'boolean', { default: true }),
      key('volumes_are_zeroed', 'boolean', { default: true }),
      key('default_volume_performance_class', 'optional text', { default: '' }),
      key('default_security_groups', 'texts', { default: [] }),
      { ...key('migr_image_map', 'per os'), default: {} },
      ...perOs('migr_image_map').slice(1),
      key('migr_machine_type', 'text'),
      key('migr_network', 'text'),
      key('migr_worker_use_public_ip', 'boolean', { default: true }),
      key('migr_worker_debug_ssh_public_key', 'encoded ssh key'),
      key('migr_worker_volume_size', 'integer', { unit: 'GB' }),
      key('server_labels', 'labels', { default: [] }),
      key('server_properties', 'key-values', { default: {} }),
      key('preserve_fixed_ips', 'boolean', { default: false }),
      key('use_public_ip', 'boolean', { default: false }),
      key('affinity_group', 'text'),
      key('migr_worker_volume_performance_class', 'text'),
      key('data_transfer_mechanism', 'mechanism', { default: 'HTTPS' }),
      key('availability_zone', 'text'),
      key('default_custom_boot_volume_image_metadata', 'image metadata', { default: {} }),
      key('retain_user_credentials', 'boolean', { default: false }),
      key('windows_virtio_iso_url', 'url', { default: virtioIso }),
      key('disk_bus', 'disk bus', { default: 'virtio' }),
      key('use_config_drive', 'boolean', { default: false }),
      key('winguestinit_x64_url', 'program_url', {
        default: 'https://www.cloudbase.it/downloads/CloudbaseInitSetup_x64.zip',
      }),
    ],
  },
  {
    plugin: 'european-cloud',
    part: 'destination',
    keys: [
      key('network_map', 'text map', { required: true }),
      ...storage('storage_mappings'),
      key('machine_type', 'text'),
      key('project', 'text'),
      key('keypair_name', 'text'),
      key('delete_disks_on_server_termination', 'boolean', { default: false }),
      key('security_groups', 'texts'),
      key('affinity_group', 'text'),
      key('availability_zone', 'text', { required: true }),
      key('server_labels', 'labels'),
      key('server_properties', 'key-values'),
      key('use_public_ip', 'boolean', { default: false }),
      key('disk_bus', 'disk bus', { default: 'virtio' }),
      key('use_config_drive', 'boolean', { default: false }),
      key('custom_boot_volume_image_metadata', 'image metadata'),
      ...perOs('migr_image_map'),
      key('migr_network', 'text', { required: true }),
      key('migr_machine_type', 'text', { required: true }),
      key('migr_worker_use_public_ip', 'boolean', { default: true }),
      key('migr_worker_volume_size', 'integer', { unit: 'GB' }),
      key('migr_worker_volume_performance_class', 'text'),
      key('preserve_fixed_ips', 'boolean', { default: false }),
      key('volumes_are_zeroed', 'boolean', { default: true }),
      key('data_transfer_mechanism', 'mechanism', { default: 'HTTPS' }),
      key('set_dhcp', 'boolean', { default: true }),
      key('retain_user_credentials', 'boolean', { default: false }),
      key('windows_virtio_iso_url', 'url', { default: virtioIso }),
    ],
  },
];
