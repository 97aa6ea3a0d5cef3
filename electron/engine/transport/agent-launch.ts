import { textEnd } from '../../../shared/model/cut-text.ts';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { CausewayError } from '../../../shared/model/causeway-error.ts';
import { shellQuoted, type SshConnection } from './ssh-connection.ts';

/** What an inspection of the worker over SSH returns. */
export interface WorkerFacts {
  readonly isRoot: boolean;
  readonly canSudo: boolean;
  readonly python: string;
  /** Whether its processor has instructions for AES; without them ChaCha20 is about twice as fast. */
  readonly hasAes: boolean;
}

export interface AgentPlace {
  readonly facts: WorkerFacts;
  /** A folder that only the login user can read. */
  readonly folder: string;
  /** The start of a command line that runs the agent with the rights it needs. */
  readonly command: string;
}

const commandTimeoutMs = 60_000;

// One round for everything: starting a process on an emulated worker takes a good part of a second.
const lookAround = [
  'echo "uid=$(id -u)"',
  'for p in python3 /usr/libexec/platform-python /usr/bin/python3; do',
  '  v=$("$p" -c "import sys; print(\'%d.%d\' % sys.version_info[:2])" 2>/dev/null) && echo "python=$p $v" && break',
  'done',
  'if [ "$(id -u)" != 0 ] && sudo -n true 2>/dev/null; then echo sudo=yes; fi',
  'if grep -qwE "aes|pmull" /proc/cpuinfo 2>/dev/null; then echo aes=yes; fi',
  'umask 077; echo "folder=$(mktemp -d "${TMPDIR:-/tmp}/causeway-XXXXXXXX")"',
].join('\n');

/**
 * Inspects the worker and copies the agent to it. Rejects with `transport.python-missing`, `transport.not-privileged`
 * (unless `needsRoot` is false), `transport.upload-damaged`.
 */
export async function placeAgent(
  ssh: SshConnection,
  agentPath: string,
  needsRoot: boolean,
  where: string,
  signal: AbortSignal,
): Promise<AgentPlace> {
  const look = await ssh.exec(lookAround, { signal, timeoutMs: commandTimeoutMs });
  const said = new Map(
    look.stdout.split('\n').map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );
  const [python, version] = (said.get('python') ?? '').split(' ');
  if (python === undefined || version === undefined || !isRecent(version)) {
    throw new CausewayError(
      'transport.python-missing',
      `${where}: found ${version ?? 'no Python 3'}, needed is 3.6 or later`,
    );
  }
  const folder = said.get('folder');
  if (folder === undefined || !folder.startsWith('/')) {
    throw new CausewayError(
      'transport.agent-start',
      `${where}: no temporary folder for the agent: ${textEnd(look.stderr.trim(), 300)}`,
    );
  }
  const facts = {
    isRoot: said.get('uid') === '0',
    canSudo: said.get('sudo') === 'yes',
    python,
    hasAes: said.get('aes') === 'yes',
  };
  if (needsRoot && !facts.isRoot && !facts.canSudo) {
    throw new CausewayError('transport.not-privileged', `${where}: \`sudo -n true\` was refused`);
  }
  const path = `${folder}/causeway_agent.py`;
  await ssh.upload(path, await readFile(agentPath), { signal });
  const prefix = facts.isRoot || !facts.canSudo ? '' : 'sudo -n ';
  return { facts, folder, command: `${prefix}${shellQuoted(python)} ${shellQuoted(path)}` };
}

/** Exit status of an agent that was not started because its caller was replaced. */
export const fencedStatus = 76;

/** Another engine continues with what this worker is for. */
export function fenced(where: string, words: string): CausewayError {
  return new CausewayError('fleet.claim-lost', `${where}: ${textEnd(words.trim(), 300)}`);
}

/** Name of the lock that only one agent for this worker holds at a time. */
export function agentLock(workerId: string): string {
  return createHash('sha256').update(workerId).digest('hex').slice(0, 16);
}

/** Where blocks are kept for the next session with a worker; they end with it. Not a file system in memory. */
export function keptBlocks(workerId: string): string {
  return `/var/tmp/causeway-blocks-${agentLock(workerId)}`;
}

/** Removes what was put on the worker. Best effort: the worker is deleted soon anyway. */
export async function removeAgent(ssh: SshConnection, folder: string): Promise<void> {
  if (ssh.lost.aborted) return;
  const options = { signal: AbortSignal.timeout(3000), timeoutMs: 3000 };
  await ssh.exec(`rm -rf ${shellQuoted(folder)}`, options).catch(() => undefined);
}

/** Where the agent's file is: beside the sources, or beside the built application. */
export function defaultAgentPath(from: string = import.meta.dirname): string {
  for (let folder = from; ; folder = dirname(folder)) {
    const path = join(folder, 'assets', 'worker', 'causeway_agent.py');
    if (existsSync(path)) return path;
    if (dirname(folder) === folder) {
      throw new CausewayError('general.bug', `assets/worker/causeway_agent.py is not above ${from}`);
    }
  }
}

function isRecent(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > 3 || (major === 3 && minor >= 6);
}
