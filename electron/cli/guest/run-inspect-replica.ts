import { fromErrorRecord } from '../../../shared/model/causeway-error.ts';
import type { CoreClient } from '../../../shared/contract/core-client.ts';
import { wouldStop, type GuestInspection } from '../../../shared/model/guest-inspection.ts';
import type { CommandContext, ExitStatus, ProjectOptions } from '../command-context.ts';
import { explained, foundText } from '../output/guest-text.ts';
import { withProject } from '../project/with-project.ts';

interface Flags extends ProjectOptions {
  readonly root?: string;
  readonly keySecret?: readonly string[];
  readonly cancel?: boolean;
}

/** Inspects the guest on a replica's volumes and shows what was found. Exit status 1 when OSMorphing would stop. */
export async function runInspectReplica(replica: string, flags: Flags, context: CommandContext): Promise<ExitStatus> {
  return withProject(flags, context, async (core) => {
    if (flags.cancel === true) {
      await core.call('guest.cancelInspection', { replica });
      return 0;
    }
    const { replicaId } = await core.call('guest.inspect', {
      replica,
      options: {
        ...(flags.root === undefined ? {} : { root: flags.root }),
        ...(flags.keySecret === undefined ? {} : { luksKeys: flags.keySecret.map((secret) => ({ secret })) }),
      },
    });
    const { state, error, found } = await ended(core, replicaId, flags, context);
    if (error !== undefined) throw fromErrorRecord(error);
    if (state !== 'completed' || found === undefined) {
      context.stderr.write(`The inspection was ${state}.\n`);
      return 1;
    }
    context.stdout.write(
      flags.json === true
        ? `${JSON.stringify({ ...found, findings: found.findings.map(explained), doubts: found.doubts.map(explained) })}\n`
        : foundText(found),
    );
    return wouldStop(found) ? 1 : 0;
  });
}

/** The inspection at its end. An interrupt cancels it. */
async function ended(
  core: CoreClient,
  replica: string,
  { json }: Flags,
  { signal, stderr }: CommandContext,
): Promise<GuestInspection> {
  const over = Promise.withResolvers<GuestInspection>();
  let [told, asking] = ['', Promise.resolve()];
  const look = async (): Promise<void> => {
    const inspection = await core.call('guest.inspection', { replica });
    if (inspection === null) return;
    if (inspection.state !== 'running') over.resolve(inspection);
    else if (json !== true && inspection.step !== undefined && inspection.step !== told)
      stderr.write(`${(told = inspection.step)} …\n`);
  };
  const lookSoon = (): void => void (asking = asking.then(look).catch(over.reject));
  const cancel = (): void => void core.call('guest.cancelInspection', { replica }).catch(over.reject);
  const stop = core.subscribe('guest.inspection', (event) => {
    if (event.replica === replica) lookSoon();
  });
  signal.addEventListener('abort', cancel, { once: true });
  try {
    if (signal.aborted) cancel();
    lookSoon();
    return await over.promise;
  } finally {
    signal.removeEventListener('abort', cancel);
    stop();
  }
}
