import { homedir, userInfo } from 'node:os';
import { join } from 'node:path';
import SSHConfig from 'ssh-config';
import { CausewayError } from '../../shared/model/causeway-error.ts';

/** Where an SSH connection goes, as the user's OpenSSH would go there. */
export interface SshDestination {
  readonly host: string;
  readonly port: number;
  readonly username: string;
  readonly identityFiles: readonly string[];
  /** Servers on the way, the first one from here. */
  readonly jumps: readonly Omit<SshDestination, 'jumps'>[];
}

const usualKeys = ['id_ed25519', 'id_ecdsa', 'id_rsa'];
const form = /^(?:ssh:\/\/)?(?:([^\s@/]+)@)?(?:\[([0-9A-Fa-f:.]+)\]|([^\s@:/[\]]+))(?::(\d{1,5}))?\/?$/;

/**
 * Reads `user@host:port`, where each part but the host may be missing, by the user's configuration of OpenSSH: names of hosts, ports, users,
 * identity files and jump hosts. Other options of that file have no effect.
 *
 * @param config the text of `~/.ssh/config`; empty where there is none
 * @throws CausewayError `general.invalid-input`
 */
export function sshDestination(
  text: string,
  config: string,
  home = homedir(),
  user = userInfo().username,
): SshDestination {
  const parsed = parseConfig(config);
  const one = (given: string): Omit<SshDestination, 'jumps'> & { readonly jump: string | undefined } => {
    const [, username, address, name, port] = form.exec(given.trim()) ?? [];
    const alias = address ?? name;
    if (alias === undefined)
      throw new CausewayError('general.invalid-input', `"${given}" is not a host, nor user@host:port`);
    const found = parsed.compute(
      username === undefined ? { Host: alias } : { Host: alias, User: username },
    ) as Readonly<Record<string, string | string[] | undefined>>;
    const value = (key: string): string | undefined => [found[key] ?? []].flat()[0];
    const number = Number(port ?? value('Port') ?? 22);
    if (!(number >= 1 && number <= 65_535))
      throw new CausewayError('general.invalid-input', `"${given}" has no valid port`);
    const named = [found['IdentityFile'] ?? []]
      .flat()
      .map((file) => file.replace(/^~(?=\/|$)/, home).replaceAll('%d', home));
    return {
      host: (value('HostName') ?? alias).replaceAll('%h', alias),
      port: number,
      username: username ?? value('User') ?? user,
      identityFiles: named.length > 0 ? named : usualKeys.map((key) => join(home, '.ssh', key)),
      jump: value('ProxyJump'),
    };
  };
  const { jump, ...target } = one(text);
  const entries = jump === undefined || jump.toLowerCase() === 'none' ? [] : jump.split(',');
  const jumps = entries.map((entry) => {
    const { jump: further, ...hop } = one(entry);
    if (further !== undefined && further.toLowerCase() !== 'none')
      throw new CausewayError(
        'general.invalid-input',
        `the jump host ${entry} has jump hosts of its own: name all of them in one ProxyJump`,
      );
    return hop;
  });
  return { ...target, jumps };
}

function parseConfig(config: string): SSHConfig {
  try {
    return SSHConfig.parse(config);
  } catch (cause) {
    throw new CausewayError(
      'general.invalid-input',
      `the configuration of SSH cannot be read: ${cause instanceof Error ? cause.message : ''}`,
      { cause },
    );
  }
}
