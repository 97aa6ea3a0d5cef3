import { CausewayError } from '../../../../../shared/model/causeway-error.ts';

interface WorkerConfig {
  readonly users: readonly [{ readonly ssh_authorized_keys: readonly string[] }];
  readonly ssh_keys: { readonly ed25519_private: string; readonly ed25519_public: string };
  readonly write_files: readonly { readonly path: string; readonly content: string }[];
}

/** The same for a Windows worker, whose user data is a PowerShell script already: that program runs its lines. */
export function windowsWorkerAttributes(userData: string): object {
  const script = Buffer.from(userData, 'base64')
    .toString('utf8')
    .replace(/^#ps1_sysnative\r?\n/, '')
    .split(/\r?\n/)
    .filter((line) => line !== '');
  return { userdata: { 'pre-bootstrap': { failonerror: true, script } } };
}

/**
 * What an instance's image does before its services start, for a worker. The platform's images are prepared by a program of their own,
 * which runs the lines of a script from the instance's attributes; they have no cloud-init.
 *
 * @param userData of a Linux worker as other clouds take it, in base64
 * @param user who is let in; made where the image has no such account
 */
export function workerAttributes(userData: string, user: string): object {
  if (!/^[a-z_][a-z0-9_-]{0,30}$/i.test(user))
    throw new CausewayError('general.invalid-input', `export_img_username: "${user}" is no name of an account`, {
      details: { parameter: 'export_img_username' },
    });
  const config = JSON.parse(
    Buffer.from(userData, 'base64')
      .toString('utf8')
      .replace(/^#cloud-config\n/, ''),
  ) as WorkerConfig;
  const put = (mode: string, path: string, text: string): string =>
    `put ${mode} "${path}" ${Buffer.from(text).toString('base64')}`;
  const script = [
    'set -e',
    'put() { mkdir -p "${2%/*}"; printf %s "$3" | base64 -d > "$2"; chmod "$1" "$2"; }',
    `id ${user} >/dev/null 2>&1 || useradd -m -s /bin/sh ${user}`,
    put('0440', '/etc/sudoers.d/90-causeway', `${user} ALL=(ALL) NOPASSWD:ALL\n`),
    `home=$(getent passwd ${user} | cut -d: -f6)`,
    put('0600', '$home/.ssh/authorized_keys', `${config.users[0].ssh_authorized_keys.join('\n')}\n`),
    `chmod 0700 "$home/.ssh"; chown -R ${user} "$home/.ssh"`,
    put('0600', '/etc/ssh/ssh_host_ed25519_key', config.ssh_keys.ed25519_private),
    put('0644', '/etc/ssh/ssh_host_ed25519_key.pub', `${config.ssh_keys.ed25519_public}\n`),
    ...config.write_files.map(({ path, content }) => put('0644', path, content)),
    'restorecon -R /etc/ssh /etc/udev "$home/.ssh" >/dev/null 2>&1 || true',
    'systemctl restart sshd >/dev/null 2>&1 || service sshd restart >/dev/null 2>&1 || true',
  ];
  return { userdata: { 'pre-bootstrap': { failonerror: true, script } } };
}
