import { z } from 'zod';
import { field } from '../field-meta.ts';
import { secretValue } from './secret-value.ts';
import { text } from './values.ts';

const jumpHost =
  /^([^\s@]+)@(?:\[([0-9A-Fa-f:.]+)\]|([A-Za-z0-9][A-Za-z0-9._-]*))(?::(\d{1,5}))? ((?:ssh|ecdsa)-[A-Za-z0-9@.-]+ [A-Za-z0-9+/]+=*)$/;

/** A server on the way, with the key that it must show. */
export interface JumpHost {
  readonly username: string;
  readonly host: string;
  readonly port: number;
  /** `<type> <base64>` */
  readonly hostKey: string;
}

/** What an entry of `ssh_jump_hosts` says; undefined when it does not have the form. */
export function parseJumpHost(entry: string): JumpHost | undefined {
  const [, username, address, name, port, hostKey] = jumpHost.exec(entry) ?? [];
  if (username === undefined || hostKey === undefined) return undefined;
  const number = Number(port ?? 22);
  return number < 1 || number > 65_535 ? undefined : { username, host: address ?? name ?? '', port: number, hostKey };
}

/** Fields for the way to an SSH server, where it is not direct. */
export const sshRouteFields = (group: string) => ({
  ssh_jump_hosts: field(
    z
      .array(
        text().refine((entry) => parseJumpHost(entry) !== undefined, {
          error: 'must be user@host:port, a blank, and the host key: its type and its base64 text',
        }),
      )
      .optional(),
    {
      title: 'Jump hosts',
      help: 'SSH servers that the connection passes through, the first one from here, each as user@host:port <type> <base64> with its host key. They are signed in to with the same private key, or with the same password if no private key is set.',
      group,
      example: [
        'me@bastion.example.com:22 ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEXAMPLEEXAMPLEEXAMPLEEXAMPLEEXAMPLEEXAMPLEEXA',
      ],
    },
  ),
  ssh_proxy: field(
    z
      .string()
      .regex(
        /^(http|https|socks5):\/\/[A-Za-z0-9[][A-Za-z0-9.:\]_-]*\/?$/,
        'must start with http:, https: or socks5: and name a host and a port',
      )
      .optional(),
    {
      title: 'Proxy for SSH',
      help: 'Proxy that the connection goes through: an HTTP proxy that allows CONNECT, spoken to in the clear (http) or by TLS (https), or a SOCKS 5 proxy (socks5). If not set, the connection is direct.',
      group,
      example: 'http://proxy.example.com:3128',
    },
  ),
  ssh_proxy_username: field(text().optional(), {
    title: 'User name for the proxy',
    help: 'User name, if the proxy asks for one. HTTP proxies are signed in to by Basic authentication.',
    group,
    example: 'me',
  }),
  ssh_proxy_password: field(secretValue().optional(), {
    title: 'Password for the proxy',
    help: 'Password of the user of the proxy. Stored in the vault.',
    group,
    secret: true,
    example: { $secret: 'proxy-password' },
  }),
});
