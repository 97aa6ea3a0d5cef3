/** A document with a few typical mistakes, so that the empty screen has something to show. */
export const exampleDocument = `vm:
  id: vm-101
  name: web-01
  os_type: linux
  firmware: bios
  disks: [{ id: disk-0, size_bytes: 10737418240, storage_backend: ds1 }]
  nics: [{ id: nic-0, network: VM Network, ip_addresses: [10.1.0.5, "fd00::5"] }]
source:
  plugin: virtualization-platform
  environment: { automatically_enable_cbt: "true" }
destination:
  plugin: european-cloud
  environment:
    network_map: { Other Network: production }
    availability_zone: eu01-1
    migr_network: workers
    flavor_name: c1.2
    migr_image_map: { linux: Ubuntu 24.04 }
    server_labels: [web, "a/b"]
    preserve_fixed_ips: true
    disk_buss: virtio
`;
