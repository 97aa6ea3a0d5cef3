import type { createTransferTables, deleteTransferState, forgetTransferState, openTransferState, replicateDisk, verifyDisk } from '../replication/index.ts';

/** What replication offers to an execution; replaced in tests of the graph. */
export interface Replication {
  readonly createTransferTables: typeof createTransferTables;
  readonly deleteTransferState: typeof deleteTransferState;
  readonly forgetTransferState: typeof forgetTransferState;
  readonly openTransferState: typeof openTransferState;
  readonly replicateDisk: typeof replicateDisk;
  readonly verifyDisk: typeof verifyDisk;
}
