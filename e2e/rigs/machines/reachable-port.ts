import { readFileSync } from 'node:fs';

/** The lowest port that this process may listen on. */
function lowestPort(): number {
  if (process.geteuid?.() === 0) return 0;
  try {
    return Number(readFileSync('/proc/sys/net/ipv4/ip_unprivileged_port_start', 'utf8'));
  } catch {
    return 1024;
  }
}

const shift = 20_000;

/** The port that the lab listens on for a port of its machines: the same where the process may, one beyond 20,000 otherwise. */
export function listenPort(port: number): number {
  return port >= lowestPort() ? port : port + shift;
}

/** Where an address and port of the lab really are. A platform adapter in the lab takes this as its address resolver. */
export function resolveAddress(address: string, port: number): { readonly host: string; readonly port: number } {
  return { host: address, port: listenPort(port) };
}
