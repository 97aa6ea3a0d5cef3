import { CausewayError } from '../../../shared/model/causeway-error.ts';
import type { JsonObject } from '../../../shared/model/json.ts';
import { inspectionOf, inspectionRequest, type InspectOptions, type InspectOutcome } from './inspection.ts';
import { placeProgram, unmount, type MorphRequest } from './morph-linux-guest.ts';
import { windowsPlanRequest } from './windows/offline-guest.ts';

const inspectTimeoutMs = 900_000;

export type InspectRequest = Omit<MorphRequest, 'options'> & { readonly options: InspectOptions };

/**
 * Inspects the installation on attached disks, Linux or Windows: what it is, and what its preparation would stop at, do doubtfully and
 * change. The worker opens the disks for reading alone.
 *
 * @throws `osmorphing.*`, `transport.*`, or the signal's reason
 */
export async function inspectOnWorker(request: InspectRequest): Promise<InspectOutcome> {
  const { program, warnings } = await placeProgram(request);
  try {
    const disks: JsonObject = { ...inspectionRequest(request.options), devices: [...request.devices] };
    const found = await program
      .run('inspect', disks, request.signal, inspectTimeoutMs)
      .catch(async (error: unknown) => {
        if (!(error instanceof CausewayError) || error.details['otherSystem'] !== 'windows') throw error;
        return program.run(
          'windows-inspect',
          { ...disks, ...(await windowsPlanRequest(request.options)) },
          request.signal,
          inspectTimeoutMs,
        );
      });
    return inspectionOf(found, warnings);
  } finally {
    if (!request.ssh.lost.aborted) await unmount(program).catch(() => undefined);
    await program.remove();
  }
}
