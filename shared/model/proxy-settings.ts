import { z } from 'zod';

/** How this computer's user wants proxies to be found; the password is kept apart. */
export const proxySettingsSchema = z.object({
  /** `system`: of the environment, then of the operating system, which may detect a script. */
  mode: z.enum(['system', 'script', 'manual', 'none']),
  /** Address of a script (PAC): http, https or file. */
  script: z.string().max(2000),
  /** `http://`, `https://` or `socks5://`, then host and port. */
  server: z.string().max(500),
  /** Hosts that are reached without the server: as in NO_PROXY. */
  exceptions: z.string().max(4000),
  /** The sign-in that proxies are given; none if it is empty. */
  username: z.string().max(250),
  /** Whether connections to workers, by SSH and to the agent, go through them too. */
  forWorkers: z.boolean(),
});
export type ProxySettings = z.infer<typeof proxySettingsSchema>;

export const usualProxySettings: ProxySettings = {
  mode: 'system',
  script: '',
  server: '',
  exceptions: '',
  username: '',
  forWorkers: false,
};
