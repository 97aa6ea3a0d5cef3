import type { workbenchCalls, workbenchEvents } from '../../shared/contract/shell.ts';
import type { TableClient } from '../../shared/contract/tables.ts';

/** The workbench of a project on a mover: its own calls and, through them, the engine's. */
export type MoverClient = TableClient<typeof workbenchCalls, typeof workbenchEvents>;
