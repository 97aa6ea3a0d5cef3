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

/** Whether a service of this machine listens on the port on all addresses, so that none is left for the lab. */
function isTakenEverywhere(port: number): boolean {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  return ['/proc/net/tcp', '/proc/net/tcp6'].some((path) => {
    try {
      return readFileSync(path, 'utf8')
        .split('\n')
        .some((line) => {
          const [, local = '', , state] = line.trim().split(/\s+/);
          return state === '0A' && /^0+:/.test(local) && local.endsWith(suffix);
        });
    } catch {
      return false;
    }
  });
}

const shift = 20_000;
const decided = new Map<number, number>();

/**
 * The port that the lab listens on for a port of its machines: the same where the process may, one beyond 20,000 where
 * it may not or where the machine's own service (its sshd) has the port.
 */
export function listenPort(port: number): number {
  const known = decided.get(port);
  if (known !== undefined) return known;
  const isFree = port >= lowestPort() && !(port < 1024 && isTakenEverywhere(port));
  decided.set(port, isFree ? port : port + shift);
  return isFree ? port : port + shift;
}

/** Where an address and port of the lab really are. A platform adapter in the lab takes this as its address resolver. */
export function resolveAddress(address: string, port: number): { readonly host: string; readonly port: number } {
  return { host: address, port: listenPort(port) };
}
