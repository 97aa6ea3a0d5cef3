/** Where an NBD server listens. */
export type NbdAddress =
  | { readonly kind: 'unix'; readonly path: string }
  | { readonly kind: 'tcp'; readonly host: string; readonly port: number };

/** How the server is verified, and what it may verify in turn. PEM texts; live in memory only. */
export interface NbdTls {
  /** Certificates that the server's chain must lead to. Unset with `pinnedSha256` unset: the system's. */
  readonly caPem?: string;
  /** SHA-256 of the server's certificate (DER) in hex; when set, exactly this certificate is accepted and no other. */
  readonly pinnedSha256?: string;
  /** Name that the certificate must bear; default is the address' host. Required with a CA over a Unix socket. */
  readonly serverName?: string;
  readonly clientCertificatePem?: string;
  readonly clientKeyPem?: string;
}

export function addressText(address: NbdAddress): string {
  return address.kind === 'unix' ? address.path : `${address.host}:${address.port}`;
}
