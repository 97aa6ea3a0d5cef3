import { CausewayError } from '../../../shared/model/causeway-error.ts';
import { parseJumpHost } from '../../../shared/plugins/shapes/ssh-route.ts';
import { parseProxy } from '../http/proxy-server.ts';
import type { SshTarget } from './ssh-connection.ts';

/** The fields of a connection that say how its SSH server is reached, with their secrets in plain text. */
interface RouteFields {
  readonly ssh_jump_hosts?: readonly string[] | undefined;
  readonly ssh_proxy?: string | undefined;
  readonly ssh_proxy_username?: string | undefined;
  readonly ssh_proxy_password?: unknown;
}

/**
 * Jump hosts and proxy of an endpoint's connection. The jump hosts are signed in to as the target is; with a key, no password is
 * offered to them.
 *
 * @throws CausewayError general.invalid-input
 */
export function sshRoute(
  connection: RouteFields,
  credentials: Pick<SshTarget, 'privateKeyPem' | 'passphrase' | 'password'>,
): Pick<SshTarget, 'jumpHosts' | 'proxy'> {
  const {
    ssh_jump_hosts: entries = [],
    ssh_proxy: proxy,
    ssh_proxy_username: username,
    ssh_proxy_password: password,
  } = connection;
  const { privateKeyPem, passphrase } = credentials;
  const signIn = privateKeyPem === undefined ? { password: credentials.password } : { privateKeyPem, passphrase };
  const jumpHosts = entries.map((entry) => {
    const hop = parseJumpHost(entry);
    if (hop === undefined)
      throw new CausewayError(
        'general.invalid-input',
        `ssh_jump_hosts: ${entry} is not user@host:port with a host key`,
      );
    return { ...hop, ...signIn };
  });
  if (proxy === undefined) return { jumpHosts };
  const authentication =
    username === undefined ? {} : { username, password: typeof password === 'string' ? password : '' };
  return { jumpHosts, proxy: { ...parseProxy(proxy, 'ssh_proxy'), ...authentication } };
}
