import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * Hands a link to the desktop's browser. Every user of the computer can read command lines, so the browser is given a
 * private file that leads there instead. Where there is no desktop the printed link has to do: never an error.
 *
 * @returns removes the file; to be called once the link was used, or at the end
 */
export function openInBrowser(url: string): () => void {
  const opener =
    process.platform === 'darwin'
      ? 'open'
      : process.platform === 'win32'
        ? 'explorer'
        : process.env['DISPLAY'] !== undefined || process.env['WAYLAND_DISPLAY'] !== undefined
          ? 'xdg-open'
          : undefined;
  if (opener === undefined) return () => undefined;
  const { file, remove } = redirectFile(url);
  // Windows hands a path to the program of its ending, and would take a file: URL for a folder.
  const target = process.platform === 'win32' ? file : pathToFileURL(file).href;
  spawn(opener, [target], { stdio: 'ignore', detached: true })
    .on('error', () => undefined)
    .unref();
  return remove;
}

/** A page that leads to a link, which its owner alone can read. */
export function redirectFile(url: string): { readonly file: string; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'causeway-link-'));
  const file = join(folder, 'open.html');
  const escaped = url.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
  writeFileSync(
    file,
    `<!doctype html><meta name="referrer" content="no-referrer"><meta http-equiv="refresh" content="0;url=${escaped}">\n`,
    { mode: 0o600, flag: 'wx' },
  );
  return { file, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
