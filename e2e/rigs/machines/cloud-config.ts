import { parse } from 'yaml';

/** What a worker is prepared with, as `apply-seed.py` takes it. */
export interface Seed {
  readonly users: readonly SeedUser[];
  /** As in cloud-config's `ssh_keys`, e.g. `ed25519_private`. */
  readonly hostKeys: Readonly<Record<string, string>>;
  /** Content in base64, permissions in octal. */
  readonly files: readonly {
    readonly path: string;
    readonly content: string;
    readonly permissions: string;
    readonly owner?: string;
  }[];
  /** A string goes to the shell, a list is a program and its arguments. */
  readonly commands: readonly (string | readonly string[])[];
}

export interface SeedUser {
  readonly name: string;
  readonly sudo?: string;
  readonly shell?: string;
  /** Only workers of the user let it in. */
  readonly password?: string;
  readonly authorizedKeys: readonly string[];
}

/** The account that images of the lab come with. */
export const imageUser = 'debian';

/** Top-level modules of cloud-config that the lab's workers understand. */
const understood = new Set([
  'users',
  'ssh_authorized_keys',
  'ssh_keys',
  'ssh_deletekeys',
  'disable_root',
  'ssh_pwauth',
  'write_files',
  'runcmd',
  'bootcmd',
  'hostname',
  'package_update',
  'package_upgrade',
  'preserve_hostname',
  'manage_etc_hosts',
  'locale',
  'timezone',
  'ssh_genkeytypes',
  'no_ssh_fingerprints',
  'growpart',
  'resize_rootfs',
]);

/**
 * The seed for user data (`#cloud-config`, a shell script, or nothing) and the server's key pair. Throws on a
 * cloud-config module that the lab does not know, so that nobody relies on what is not done here.
 */
export function seedFromUserData(userData: string, publicKey: string | undefined): Seed {
  const keys = publicKey === undefined ? [] : [publicKey];
  if (userData.startsWith('#!')) {
    const content = Buffer.from(userData).toString('base64');
    return {
      users: [{ name: imageUser, authorizedKeys: keys }],
      hostKeys: {},
      files: [{ path: '/var/lib/cloud/user-script', content, permissions: '0700' }],
      commands: [['/var/lib/cloud/user-script']],
    };
  }
  if (userData !== '' && !userData.startsWith('#cloud-config'))
    throw new Error('user data is neither a cloud-config nor a script');
  const config = (parse(userData) ?? {}) as Record<string, unknown>;
  for (const name of Object.keys(config)) {
    if (!understood.has(name)) throw new Error(`the lab's workers do not understand the cloud-config module ${name}`);
  }
  const imageKeys = [...keys, ...strings(config['ssh_authorized_keys'])];
  const wishes = config['users'] === undefined ? ['default'] : (config['users'] as unknown[]);
  const files = (config['write_files'] ?? []) as Record<string, unknown>[];
  return {
    users: wishes.map((wish) => seedUser(wish, imageKeys)),
    hostKeys: (config['ssh_keys'] ?? {}) as Record<string, string>,
    files: files.map((file) => {
      const isEncoded = ['b64', 'base64'].includes(String(file['encoding'] ?? ''));
      const content = String(file['content'] ?? '');
      return {
        path: String(file['path']),
        content: isEncoded ? content : Buffer.from(content).toString('base64'),
        permissions: String(file['permissions'] ?? '0644'),
        ...(file['owner'] === undefined ? {} : { owner: String(file['owner']) }),
      };
    }),
    commands: [...((config['bootcmd'] ?? []) as string[]), ...((config['runcmd'] ?? []) as string[])],
  };
}

function seedUser(wish: unknown, imageKeys: readonly string[]): SeedUser {
  if (wish === 'default') return { name: imageUser, authorizedKeys: imageKeys };
  const user = wish as Record<string, unknown>;
  const sudo = Array.isArray(user['sudo']) ? String(user['sudo'][0]) : user['sudo'];
  return {
    name: String(user['name']),
    authorizedKeys: strings(user['ssh_authorized_keys']),
    ...(typeof sudo === 'string' ? { sudo } : {}),
    ...(user['shell'] === undefined ? {} : { shell: String(user['shell']) }),
    ...(user['plain_text_passwd'] === undefined ? {} : { password: String(user['plain_text_passwd']) }),
  };
}

function strings(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return Array.isArray(value) ? value.map(String) : [];
}
