import type { LedgerScope } from '../../../ports/ledger.ts';
import type { PlatformUse } from '../../../ports/platform-context.ts';
import type { Clock } from '../../../time/clock.ts';
import type { Hosts } from '../control/hosts.ts';
import type { DiskAccess } from '../disk-access/disk-access.ts';

/** What the parts of the source share. */
export interface SourceContext {
  readonly hosts: Hosts;
  readonly access: DiskAccess;
  /** Where digests of disks are kept. */
  readonly digestFolder: string;
  readonly clock: Clock;
  readonly use: PlatformUse | undefined;
  readonly ledger: LedgerScope | undefined;
  /** The mark of the project data, which checkpoints carry. */
  readonly owner: string | undefined;
  /** Tells the people who watch the execution. */
  readonly note: (message: string) => void;
}
