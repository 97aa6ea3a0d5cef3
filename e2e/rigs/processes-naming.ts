import { readdir, readFile } from 'node:fs/promises';

export interface NamedProcess {
  readonly pid: number;
  readonly line: string;
}

/** The processes that name `text` in their command lines, but for this process. @param text what nobody else names, e.g. a folder of the test's own */
export async function processesNaming(text: string): Promise<NamedProcess[]> {
  const found: NamedProcess[] = [];
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name) || name === String(process.pid)) continue;
    const line = await readFile(`/proc/${name}/cmdline`, 'utf8').catch(() => '');
    const words = line.replaceAll('\0', ' ');
    if (words.includes(text)) found.push({ pid: Number(name), line: words });
  }
  return found;
}
