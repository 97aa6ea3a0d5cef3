import { z } from 'zod';

/** A certificate as a server shows it. */
export const serverCertificateSchema = z.object({
  subject: z.string(),
  issuer: z.string(),
  /** Host names and addresses that it is for. */
  names: z.array(z.string()),
  validFrom: z.iso.datetime(),
  validTo: z.iso.datetime(),
  /** Fingerprint, hexadecimal bytes with colons between. */
  sha256: z.string(),
  pem: z.string(),
});
export type ServerCertificate = z.infer<typeof serverCertificateSchema>;

/** What a server shows of itself over TLS. */
export const serverTrustSchema = z.object({
  /** `host:port`. */
  address: z.string(),
  /** Whether it is believed with what is trusted. */
  isVerified: z.boolean(),
  /** Why it is not. */
  reason: z.string().optional(),
  /** Whether it would be believed if the last certificate of the chain were trusted. */
  isCurable: z.boolean().optional(),
  /** The server's own certificate first, then those of its issuers, as far as it sent them. */
  chain: z.array(serverCertificateSchema),
});
export type ServerTrust = z.infer<typeof serverTrustSchema>;
