import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { CausewayError } from '../../shared/model/causeway-error.ts';
import { hostKeyFingerprint, sameHostKey } from '../engine/transport/host-keys.ts';
import { knownHostKeys } from './known-hosts.ts';
import type { Mover, MoverBook } from './mover-book.ts';
import { logInToMover, pinHostKeys, type SshSecrets } from './mover-login.ts';
import { systemOf } from './engine-archive.ts';
import { readSystem } from './place-engine.ts';
import { sshDestination } from './ssh-destination.ts';

export interface NewMover {
  readonly name: string;
  /** `user@host:port`, or a host of the user's SSH configuration. */
  readonly destination: string;
  /** Instead of the keys that the configuration names. */
  readonly identityFile?: string | undefined;
  /** The SSH configuration; the user's own by default. */
  readonly sshConfig?: string | undefined;
}

/** Whether a person trusts a host key that the known hosts file does not have. */
export type ConfirmHostKey = (server: Server, fingerprint: string) => Promise<boolean>;

interface Server {
  readonly host: string;
  readonly port: number;
}

/**
 * Pins the host keys of a destination and of the servers on the way, signs in once, and remembers it under a name. Nothing is placed there.
 * Rejects with `mover.host-key-unknown`, `mover.host-key-repeated`, `mover.platform`, `transport.*`, or with what `confirm` and `secrets` reject with.
 */
export async function addMover(
  book: MoverBook,
  { name, destination, identityFile, sshConfig }: NewMover,
  secrets: SshSecrets,
  confirm: ConfirmHostKey,
  signal: AbortSignal,
): Promise<Mover> {
  const found = sshDestination(destination, readIfThere(sshConfig ?? join(homedir(), '.ssh', 'config')));
  const known = readIfThere(join(homedir(), '.ssh', 'known_hosts'));
  const before: { readonly server: Server; readonly hostKey: string }[] = [];
  const isTrusted = async (server: Server, hostKey: string): Promise<boolean> => {
    const isKnown = knownHostKeys(known, server.host, server.port).includes(hostKey);
    const same = before.find((shown) => sameHostKey(shown.hostKey, hostKey))?.server;
    // A jump host can answer in place of what is behind it. Its key proves no more than that it did.
    if (!isKnown && same !== undefined)
      throw new CausewayError(
        'mover.host-key-repeated',
        `${server.host}:${server.port} shows the host key of the jump host ${same.host}:${same.port}: ${hostKeyFingerprint(hostKey)}`,
      );
    before.push({ server, hostKey });
    return isKnown || confirm(server, hostKeyFingerprint(hostKey));
  };
  const chosen =
    identityFile === undefined ? found : { ...found, identityFiles: [identityFile.replace(/^~(?=\/|$)/, homedir())] };
  const mover = await pinHostKeys(chosen, name, secrets, isTrusted, signal);
  const connection = await logInToMover(mover, secrets, signal);
  try {
    systemOf(await readSystem(connection, signal));
  } finally {
    await connection.close();
  }
  book.save(mover);
  return mover;
}

function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}
