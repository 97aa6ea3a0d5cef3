/** The plugins of the specification, then the embedded ones (local disk images, a QEMU or libvirt hypervisor). */
export const pluginIds = [
  'virtualization-platform',
  'open-source-cloud',
  'large-public-cloud',
  'windows-hypervisor',
  'resource-group-cloud',
  'compartment-cloud',
  'classic-infrastructure-cloud',
  'server-virtualization-manager',
  'european-cloud',
  'disk-images',
  'qemu-hypervisor',
] as const;

export type PluginId = (typeof pluginIds)[number];
export const sides = ['source', 'destination'] as const;
export type Side = (typeof sides)[number];

export function isSide(text: string): text is Side {
  return (sides as readonly string[]).includes(text);
}
