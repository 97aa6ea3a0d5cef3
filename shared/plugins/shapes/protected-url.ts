import { z } from 'zod';
import { isLoopbackHost } from '../../model/ip-address.ts';

const insecure = 'must be an https:// address: http:// would expose passwords and tokens, and is only accepted for loopback addresses';

/** Whether what is sent there is encrypted, or stays on this computer. */
export function isProtectedUrl(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname } = new URL(url);
  return protocol === 'https:' || (protocol === 'http:' && isLoopbackHost(hostname));
}

/** URL of an interface that gets a password or a token: https, or http on loopback. No user and password inside it. */
export const protectedUrl = () =>
  z
    .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
    .refine(isProtectedUrl, { error: insecure, abort: true })
    .refine((url) => new URL(url).username === '' && new URL(url).password === '', { error: 'must not contain a user name or password' });

/** URL of a program that a guest installs: https, or http with the digest that the download must have. */
export const programUrl = () =>
  z.url({ protocol: /^https?$/, error: 'must be an http or https URL' }).refine((url) => isProtectedUrl(url) || /#sha256=[0-9a-f]{64}$/i.test(url), {
    error: 'must be an https:// address, or end with #sha256= and the digest of the download: over http://, anyone on the network path can replace the program',
  });
