import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import ssh2 from 'ssh2';
import { CausewayError } from '../../shared/model/causeway-error.ts';
import { SshConnection, type SshTarget } from '../engine/transport/ssh-connection.ts';
import type { Mover } from './mover-book.ts';
import type { SshDestination } from './ssh-destination.ts';

/** A password that SSH needs. */
export interface PasswordQuestion {
  /** `user@host`, as a person reads it. */
  readonly about: string;
  /** What the answer is kept under: never the same for two movers, nor for two ways to one. */
  readonly key: string;
}

/** What a person or a file says when SSH needs it. */
export interface SshSecrets {
  /** Address of the SSH agent; undefined where none runs. */
  readonly agent: string | undefined;
  /** The passphrase of an encrypted key, or undefined to go without it. */
  passphrase(file: string): Promise<string | undefined>;
  /** The password of the user on a mover, or undefined where none is to be sent. */
  password(asked: PasswordQuestion): Promise<string | undefined>;
}

/** What jump hosts may see: no password is among it. */
type KeyCredentials = Pick<SshTarget, 'privateKeyPem' | 'passphrase' | 'agent'>;

/** How long a mover may be silent before the connection counts as lost, milliseconds. */
const lostAfterMs = 15_000;

/**
 * Signs in to a mover, through its jump hosts, with its pinned keys: by the SSH agent and the first key file that can be read, then by a
 * password, which only the mover itself gets. Rejects with `mover.unreachable`, `mover.login-refused`, `transport.*`, or `general.invalid-input`
 * where a passphrase is wrong.
 */
export async function logInToMover(mover: Mover, secrets: SshSecrets, signal: AbortSignal): Promise<SshConnection> {
  return logIn(mover, secrets, signal).catch((error: unknown) => Promise.reject(aboutMover(error)));
}

/** The same errors in words for movers: those of the transport speak of workers. */
function aboutMover(error: unknown): unknown {
  const codes = {
    'transport.unreachable': 'mover.unreachable',
    'transport.login-refused': 'mover.login-refused',
  } as const;
  if (!(error instanceof CausewayError) || !Object.hasOwn(codes, error.code)) return error;
  return new CausewayError(codes[error.code as keyof typeof codes], error.message, {
    cause: error,
    details: error.details,
  });
}

async function logIn(mover: Mover, secrets: SshSecrets, signal: AbortSignal): Promise<SshConnection> {
  const keys = await credentialsOf(mover.identityFiles, secrets);
  const target = targetOf(mover, keys);
  try {
    return await SshConnection.connect(target, { lostAfterMs }, signal);
  } catch (error) {
    // A jump host that refuses the key gets no password instead: it would see that of the mover.
    if (
      !(error instanceof CausewayError) ||
      error.code !== 'transport.login-refused' ||
      error.details['jumpHost'] !== undefined
    )
      throw error;
    const password = await secrets.password(passwordQuestion(mover));
    if (password === undefined) throw error;
    return SshConnection.connect({ ...target, password }, { lostAfterMs }, signal);
  }
}

/** One address may be another computer behind other jump hosts, and one name another mover later: the answer to one is not sent to the other. */
export function passwordQuestion({ name, username, host, port, hostKey, jumpHosts }: Mover): PasswordQuestion {
  const way = jumpHosts.map((hop) => [hop.username, hop.host, hop.port, hop.hostKey]);
  const digest = createHash('sha256')
    .update(JSON.stringify([name, username, host, port, hostKey, way]))
    .digest('hex');
  return { about: port === 22 ? `${username}@${host}` : `${username}@${host}:${port}`, key: `password ${digest}` };
}

/** The host keys of a destination and of the servers on the way, each confirmed before the next server is reached through it. */
export async function pinHostKeys(
  destination: SshDestination,
  name: string,
  secrets: SshSecrets,
  confirm: (server: { readonly host: string; readonly port: number }, hostKey: string) => Promise<boolean>,
  signal: AbortSignal,
): Promise<Mover> {
  const keys = await credentialsOf(destination.identityFiles, secrets);
  const pinned: Mover['jumpHosts'] = [];
  const pin = async ({ host, port, username }: Omit<SshDestination, 'jumps'>): Promise<Mover['jumpHosts'][number]> => {
    const target: SshTarget = { host, port, username, jumpHosts: pinned.map((hop) => ({ ...hop, ...keys })) };
    const hostKey = await SshConnection.showHostKey(target, {}, signal).catch((error: unknown) =>
      Promise.reject(aboutMover(error)),
    );
    if (!(await confirm({ host, port }, hostKey))) throw new CausewayError('mover.host-key-unknown', `${host}:${port}`);
    return { host, port, username, hostKey };
  };
  for (const jump of destination.jumps) pinned.push(await pin(jump));
  return { name, ...(await pin(destination)), jumpHosts: pinned, identityFiles: [...destination.identityFiles] };
}

function targetOf(mover: Mover, keys: KeyCredentials): SshTarget {
  const { host, port, username, hostKey, jumpHosts } = mover;
  return { host, port, username, hostKey, ...keys, jumpHosts: jumpHosts.map((hop) => ({ ...hop, ...keys })) };
}

/** The agent, and the first key file that is there and can be read. */
async function credentialsOf(files: readonly string[], secrets: SshSecrets): Promise<KeyCredentials> {
  const agent = secrets.agent === undefined ? {} : { agent: secrets.agent };
  for (const file of files) {
    const privateKeyPem = readIfThere(file);
    if (privateKeyPem === undefined) continue;
    if (!(ssh2.utils.parseKey(privateKeyPem) instanceof Error)) return { ...agent, privateKeyPem };
    if (secrets.agent !== undefined) continue; // it may have this key already
    const passphrase = await secrets.passphrase(file);
    if (passphrase === undefined) continue;
    if (ssh2.utils.parseKey(privateKeyPem, passphrase) instanceof Error)
      throw new CausewayError('general.invalid-input', `the private key ${file} cannot be read with this passphrase`);
    return { privateKeyPem, passphrase };
  }
  return agent;
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
