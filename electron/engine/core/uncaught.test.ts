import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createCore } from './core.ts';
import { memoryVault, MemoryLab } from './testing/memory-lab.ts';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'causeway-uncaught-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const here = (file: string): string => JSON.stringify(new URL(file, import.meta.url).href);

/** A process with an open project in which something goes wrong that nothing catches. */
async function dying(deed: string): Promise<{ status: unknown; said: string }> {
  const script = `
    import { createCore } from ${here('./core.ts')};
    import { endOnUncaught } from ${here('./uncaught.ts')};
    import { memoryVault, MemoryLab } from ${here('./testing/memory-lab.ts')};
    endOnUncaught({ status: 70, tell: (_error, stack) => void process.stderr.write(stack) });
    const core = createCore({ projectFolder: ${JSON.stringify(folder)}, vault: memoryVault(), platforms: new MemoryLab().platforms });
    setInterval(() => undefined, 1000);
    ${deed}`;
  const child = spawn(process.execPath, ['--input-type=module', '--no-warnings', '-e', script], {
    stdio: ['ignore', 'inherit', 'pipe'],
  });
  const [said, [status]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  return { status, said };
}

test.each([
  ['an exception', `setTimeout(() => { throw new Error('out of order'); });`],
  ['a rejection', `void Promise.reject(new Error('out of order'));`],
])(
  "%s that nothing catches ends the process with a status, is told, and is in the project's events",
  async (_what, deed) => {
    const { status, said } = await dying(deed);
    expect([status, said]).toEqual([70, expect.stringMatching(/^general\.bug: out of order\n\s+at /)]);
    const core = createCore({ projectFolder: folder, vault: memoryVault(), platforms: new MemoryLab().platforms });
    const events = await core.call('execution.events', {});
    await core.close();
    expect(events.map(({ message }) => message)).toEqual([expect.stringMatching(/unexpected error.*out of order/)]);
  },
);
