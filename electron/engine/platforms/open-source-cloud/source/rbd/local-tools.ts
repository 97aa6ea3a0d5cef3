import { CausewayError } from '../../../../../../shared/model/causeway-error.ts';
import { runTool, toolMissing } from '../../../../nbd/run-tool.ts';

/** QEMU without its module for this kind of storage. */
export const noStorageModule = (cause?: unknown): CausewayError =>
  new CausewayError(
    'source.tool-missing',
    'QEMU cannot read the distributed storage (Debian package qemu-block-extra)',
    { cause },
  );

/** Whether QEMU says that it knows no such storage. */
export const isModuleMissing = (message: string): boolean => /unknown driver|module/i.test(message);

/**
 * What this computer lacks to read the distributed storage by itself, a phrase each. Only starts the programs: no storage, no
 * image and no network is touched.
 */
export async function missingTools(signal: AbortSignal): Promise<readonly string[]> {
  const found = await Promise.all([
    lackOf('rbd', ['--version'], signal),
    lackOf('rados', ['--version'], signal),
    // Names no image, so that it always fails: by how, one sees whether the driver is there.
    lackOf('qemu-nbd', ['--read-only', 'json:{"driver":"rbd"}'], signal),
  ]);
  return found.flatMap((lack) => lack ?? []);
}

async function lackOf(tool: string, args: readonly string[], signal: AbortSignal): Promise<string | undefined> {
  try {
    await runTool(tool, args, 'source.request-refused', signal);
    return undefined;
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof CausewayError)) throw error;
    if (error.code === 'source.tool-missing') return toolMissing(tool).message;
    return isModuleMissing(error.message) ? noStorageModule().message : undefined;
  }
}
