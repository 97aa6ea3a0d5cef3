import { readdir, readFile } from 'node:fs/promises';

/** Command lines of the processes that name `text`, but for this process. */
export async function processesNaming(text: string): Promise<string[]> {
  const found: string[] = [];
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name) || name === String(process.pid)) continue;
    const line = await readFile(`/proc/${name}/cmdline`, 'utf8').catch(() => '');
    if (line.includes(text)) found.push(line.replaceAll('\0', ' '));
  }
  return found;
}
