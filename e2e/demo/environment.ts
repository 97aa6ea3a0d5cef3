/** The environment document of the demonstration's VM; `more` are further lines of its destination. */
export function environmentDocument(...more: readonly string[]): string {
  return `# How the demonstration's VM is moved.
source:
  plugin: qemu-hypervisor
  environment: {}
destination:
  plugin: european-cloud
  environment:
    network_map: { net0: production, user: production, "VM Network": production }
    availability_zone: eu01-1
    migr_network: migration
    migr_machine_type: g1.2
    migr_image_map: { linux: Debian 12 }
    server_labels: [demo, moved-by=causeway]
${more.map((line) => `    ${line}\n`).join('')}`;
}
