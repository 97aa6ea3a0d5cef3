import { createHmac } from 'node:crypto';

/**
 * The keys that a known hosts file of OpenSSH has for a server, each `<type> <base64>`. Revoked keys are left out; keys of certificate
 * authorities are no host keys.
 *
 * @see sshd(8), "SSH_KNOWN_HOSTS FILE FORMAT"
 */
export function knownHostKeys(file: string, host: string, port: number): string[] {
  const name = port === 22 ? host : `[${host}]:${port}`;
  const entries = file
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([first]) => first !== undefined && first !== '' && !first.startsWith('#'));
  const revoked = new Set(entries.filter(([first]) => first === '@revoked').map(([, , type, key]) => `${type} ${key}`));
  return entries
    .filter(
      ([names = '', type, key]) =>
        !names.startsWith('@') && type !== undefined && key !== undefined && namesHost(names, name),
    )
    .map(([, type, key]) => `${type} ${key}`)
    .filter((key) => !revoked.has(key));
}

function namesHost(names: string, name: string): boolean {
  const [, , salt, digest] = names.split('|');
  if (names.startsWith('|1|'))
    return (
      createHmac('sha1', Buffer.from(salt ?? '', 'base64'))
        .update(name)
        .digest('base64') === digest
    );
  const patterns = names.split(',');
  return (
    patterns.some((pattern) => matches(pattern, name)) &&
    !patterns.some((pattern) => pattern.startsWith('!') && matches(pattern.slice(1), name))
  );
}

function matches(pattern: string, name: string): boolean {
  const source = pattern
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${source}$`, 'i').test(name);
}
