import { text } from '../shapes/values.ts';

const rule =
  'must be qemu:///system, qemu:///session, the same with qemu+unix, or qemu+tls://host/system. Other transports and parameters are rejected, because they can start programs and read key files. For a daemon over SSH, use qemu:///system with ssh_host';

/**
 * The libvirt URIs that start no program and read no file that the URI names: the daemon of this machine, or one reached
 * over TLS with the certificates that libvirt is set up with.
 */
export function isPlainLibvirtUri(uri: string): boolean {
  return (
    isLocalLibvirtUri(uri) ||
    /^qemu\+tls:\/\/([A-Za-z0-9][A-Za-z0-9.-]*|\[[0-9A-Fa-f:.]+\])(:\d{1,5})?\/(system|session)$/.test(uri)
  );
}

/** The daemon of the machine that it is used on. */
export function isLocalLibvirtUri(uri: string): boolean {
  return /^qemu(\+unix)?:\/\/\/(system|session)$/.test(uri);
}

export const libvirtUri = () => text().refine(isPlainLibvirtUri, { error: rule });
