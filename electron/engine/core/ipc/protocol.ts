import { createHash } from 'node:crypto';
import { chmodSync, lstatSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { CausewayError } from '../../../../shared/model/causeway-error.ts';

/** Far above any honest message; a peer that sends more is cut off. */
const longestLine = 32 * 1024 * 1024;

/** Calls back for each line; `failed` when one is too long or no JSON. */
export function readLines(stream: Readable, line: (value: unknown) => void, failed: (error: Error) => void): void {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  stream.on('data', (chunk: Buffer) => {
    rest += decoder.write(chunk);
    for (let end = rest.indexOf('\n'); end >= 0; end = rest.indexOf('\n')) {
      const text = rest.slice(0, end);
      rest = rest.slice(end + 1);
      let value: unknown;
      try {
        value = JSON.parse(text);
      } catch {
        failed(new Error('a line is not JSON'));
        return;
      }
      line(value);
    }
    if (rest.length > longestLine) failed(new Error('a line is too long'));
  });
}

/**
 * Where the engine of a project listens: a socket in its state folder, which is closed to others; in a private folder of
 * the system's temporary one where the path would be too long for a socket (about 100 bytes); a named pipe on Windows.
 */
export function localAddress(stateFolder: string): string {
  const folder = resolve(stateFolder);
  const digest = createHash('sha256').update(folder).digest('hex').slice(0, 24);
  if (process.platform === 'win32') return `\\\\.\\pipe\\causeway-${digest}`;
  const near = join(folder, 'engine.sock');
  if (Buffer.byteLength(near) < 100) return near;
  const uid = process.getuid?.() ?? 0;
  const privateFolder = join(tmpdir(), `causeway-${uid}`);
  mkdirSync(privateFolder, { recursive: true, mode: 0o700 });
  const found = lstatSync(privateFolder);
  if (!found.isDirectory() || found.uid !== uid) throw new CausewayError('general.invalid-input', `${privateFolder} belongs to another user`);
  chmodSync(privateFolder, 0o700);
  return join(privateFolder, `${digest}.sock`);
}
