import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const script = (guard: string, livesMs: number): string =>
  `import { endOnUnhandledRejection } from ${JSON.stringify(new URL('end-on-rejection.ts', import.meta.url).href)};
   ${guard}
   setTimeout(() => process.exit(7), ${livesMs});
   void Promise.reject(new Error('nobody handles this'));`;
/** As in Electron's utility process, where an unhandled rejection is a warning. */
const run = (guard: string, livesMs: number) =>
  promisify(execFile)(process.execPath, [
    '--unhandled-rejections=warn',
    '--input-type=module-typescript',
    '--eval',
    script(guard, livesMs),
  ]);

test('a rejection that nobody handles ends the process, and is written to standard error', async () => {
  await expect(run('endOnUnhandledRejection();', 60_000)).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining('nobody handles this') as string,
  });
});

test('without it, the process goes on', async () => {
  await expect(run('', 200)).rejects.toMatchObject({ code: 7 });
});
