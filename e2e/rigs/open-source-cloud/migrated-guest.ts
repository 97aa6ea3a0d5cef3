import { copyFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ensureDebianGuest } from '../images/ensure.ts';
import { RigSsh } from '../rig-ssh.ts';

/** The public part of the key that opens root's account of the Debian guest. */
export async function publicKey(): Promise<string> {
  return (await readFile(join(await ensureDebianGuest(), 'id_ed25519.pub'), 'utf8')).trim();
}

/** Root's shell on a Debian guest that was moved, by the key that it had before; resolves once it answers. */
export async function guestOn(address: string | undefined, folder: string): Promise<RigSsh> {
  const keyPath = join(folder, 'guest-key');
  await copyFile(join(await ensureDebianGuest(), 'id_ed25519'), keyPath);
  const ssh = new RigSsh({ host: address ?? '', port: 22, user: 'root', keyPath });
  await ssh.waitUntilUp(6 * 60_000);
  return ssh;
}
