import { z } from 'zod';

/** How a server was reached, and what it showed. */
export const connectionTestSchema = z.object({
  /** `host:port`. */
  address: z.string(),
  /** All ways to it, in the order in which they are tried: `direct`, or the address of a proxy. */
  ways: z.array(z.string()),
  /** The one that led there. */
  way: z.string(),
  /** What was said by those that were tried before it and did not respond. */
  passed: z.array(z.string()),
  /** Whether its certificate is trusted. */
  isVerified: z.boolean(),
  /** Why it is not. */
  reason: z.string().optional(),
  /** Who issued its certificate. */
  issuer: z.string().optional(),
});
export type ConnectionTest = z.infer<typeof connectionTestSchema>;
