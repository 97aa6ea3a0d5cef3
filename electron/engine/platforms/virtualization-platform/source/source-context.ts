import type { PlatformUse } from '../../../ports/platform-context.ts';
import type { BackOff } from '../../../time/back-off.ts';
import type { Clock } from '../../../time/clock.ts';
import type { VimSession } from '../client/session.ts';
import type { DiskAccess } from '../disk-access/disk-access.ts';

/** What the parts of the source share. */
export interface SourceContext {
  readonly session: VimSession;
  readonly access: DiskAccess;
  /** The tags of VMs of a management server, by id of the VM. */
  readonly readTags: (vmIds: readonly string[], signal: AbortSignal) => Promise<ReadonlyMap<string, readonly string[]>>;
  readonly clock: Clock;
  readonly random: () => number;
  readonly backOff: BackOff;
  readonly use: PlatformUse | undefined;
  /** The mark of the project data, which snapshots carry. */
  readonly owner: string | undefined;
  /** Tells the people who watch the execution. */
  readonly note: (message: string) => void;
}
