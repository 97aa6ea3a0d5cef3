import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { textEnd } from '../../shared/model/cut-text.ts';
import { CausewayError } from '../../shared/model/causeway-error.ts';
import { shellQuoted, type SshConnection } from '../engine/transport/ssh-connection.ts';
import type { EngineArchive } from './engine-archive.ts';

/** The folder of all that Causeway places on a mover, below the user's home: `mover uninstall` removes it. */
export const moverFolder = '.causeway-mover';

const shortMs = 30_000;
const unpackMs = 300_000;

/** What `uname -sm` prints on the other side. */
export async function readSystem(connection: SshConnection, signal: AbortSignal): Promise<string> {
  return (await connection.exec('uname -sm', { signal, timeoutMs: shortMs })).stdout;
}

/** The program of an engine with this digest, as a word of the other side's shell. */
export function engineProgram(digest: string): string {
  return `"$HOME"/${moverFolder}/engines/${digest}/bin/causeway-mover`;
}

/**
 * Brings an engine to a mover, unless it is there: uploads the archive, compares its digest there, unpacks it beside others, and makes
 * it visible by one rename. A placement that was cut off leaves nothing that is taken for an engine. Rejects with `mover.archive-damaged`.
 *
 * @param progress told the bytes that were sent
 */
export async function placeEngine(
  connection: SshConnection,
  archive: EngineArchive,
  progress: (sentBytes: number) => void,
  signal: AbortSignal,
): Promise<void> {
  const { digest } = archive;
  const program = engineProgram(digest);
  const target = `"$HOME"/${moverFolder}/engines/${digest}`;
  // Its time is when it was last asked for: engines that nobody uses are removed some time later.
  const there = await connection.exec(`test -x ${program} && touch ${target} && echo there`, {
    signal,
    timeoutMs: shortMs,
  });
  if (there.stdout.trim() === 'there') return;
  // Several computers may place the same engine at once: each its own file and folder, and the last rename wins.
  const mine = `${target}.${randomBytes(6).toString('hex')}`;
  const uploaded = `${mine}.tar.gz`;
  await upload(connection, archive, uploaded, progress, signal);
  const unpack = [
    `mkdir -m 700 ${mine}.partial`,
    `tar -xzf ${uploaded} -C ${mine}.partial --strip-components=1`,
    `rm -f ${uploaded}`,
    `touch ${mine}.partial`,
    `{ test -x ${program} || { rm -rf ${target} && mv -T ${mine}.partial ${target}; } || test -x ${program}; }`,
    `rm -rf ${mine}.partial`,
    `test -x ${program}`,
  ].join(' && ');
  const result = await connection.exec(unpack, { signal, timeoutMs: unpackMs });
  if (result.code !== 0) throw damaged(result.stderr || `exit status ${result.code ?? 'unknown'}`);
}

async function upload(
  connection: SshConnection,
  archive: EngineArchive,
  target: string,
  progress: (sentBytes: number) => void,
  signal: AbortSignal,
): Promise<void> {
  const folder = `"$HOME"/${moverFolder}/engines`;
  const channel = await connection.openChannel(
    `umask 077 && mkdir -p ${folder} && cat > ${target} && sha256sum < ${target}`,
    signal,
  );
  let sent = 0;
  const counted = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      sent += chunk.length;
      progress(sent);
      done(undefined, chunk);
    },
  });
  const said = readAll(channel.stream);
  said.catch(() => undefined); // a broken stream is reported by what is sent
  const stop = AbortSignal.any([signal, connection.lost]);
  try {
    await pipeline(createReadStream(archive.path), counted, channel.stream, { signal: stop });
  } catch (error) {
    if (stop.aborted) throw stop.reason;
    throw damaged(channel.errorTail() || (error instanceof Error ? error.message : String(error)));
  }
  const digest = (await said).trim().split(/\s/)[0];
  if (digest !== archive.digest) throw damaged(channel.errorTail() || `SHA-256 ${digest === '' ? 'missing' : digest}`);
}

async function readAll(stream: NodeJS.ReadableStream): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of stream) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString('utf8');
}

function damaged(evidence: string): CausewayError {
  return new CausewayError('mover.archive-damaged', textEnd(evidence.trim(), 500));
}

/** Removes everything that Causeway placed on a mover. Projects there stay. */
export async function removeEngines(connection: SshConnection, signal: AbortSignal): Promise<void> {
  await connection.exec(`rm -rf "$HOME"/${shellQuoted(moverFolder)}`, { signal, timeoutMs: unpackMs });
}
