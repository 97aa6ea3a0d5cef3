import * as tls from 'node:tls';

let count: number | undefined;
let hasTried = false;

/**
 * Makes this process trust the authorities of the operating system as well as Node's own: companies put those of their
 * TLS-inspecting proxies and internal services there. Once for each process; a runtime that cannot keeps its own.
 */
export function trustSystemCertificates(): void {
  if (hasTried) return;
  hasTried = true;
  try {
    const system = tls.getCACertificates('system');
    tls.setDefaultCACertificates([...new Set([...tls.getCACertificates('default'), ...system])]);
    count = system.length;
  } catch {
    // Node before 22.19, or a runtime without it: doctor shows that they are not used.
  }
}

/** How many certificates of the operating system are trusted; undefined where they cannot be read. */
export function systemCertificateCount(): number | undefined {
  trustSystemCertificates();
  return count;
}
