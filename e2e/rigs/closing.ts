import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** How a rig is put on a stack: `stack.adopt(await startCloud(), closing)`. */
export const closing = async (rig: { close(): unknown }): Promise<void> => void (await rig.close());

/** A new folder in the one for temporary files, which goes with the stack. */
export async function temporaryFolder(stack: AsyncDisposableStack, prefix: string): Promise<string> {
  return stack.adopt(await mkdtemp(join(tmpdir(), prefix)), (folder) =>
    rm(folder, { recursive: true, force: true, maxRetries: 5 }),
  );
}

/** Takes all of these steps, one after the other, whatever of them fails: what a test file closes in its hooks. */
export async function closeAll(...steps: readonly (() => unknown)[]): Promise<void> {
  await using stack = new AsyncDisposableStack();
  for (const step of steps.toReversed()) stack.defer(async () => void (await step()));
}
