import { createHash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import type { DatabaseSync } from 'node:sqlite';
import { CausewayError } from '../../../shared/model/causeway-error.ts';
import type { Ownership } from '../ports/ledger.ts';
import { json, text } from './rows.ts';

/** The computer that a store is on. */
export interface Computer {
  /** Different for every computer, the same after a restart. */
  readonly id: string;
  /** For people. */
  readonly name: string;
}

export type StoreIdentity = ReturnType<typeof storeIdentity>;

/**
 * Which store this is, as the marks of resources in clouds name it. A store that turns up on another computer is a copy,
 * or was moved; two copies at work would write to the same volumes, each with its own knowledge of what is on them.
 */
export function storeIdentity(db: DatabaseSync, computer: Computer) {
  const read = db.prepare('SELECT mark, former, computer_id, computer_name FROM store_identity');
  const write = db.prepare(
    'INSERT OR REPLACE INTO store_identity (only_row, mark, former, computer_id, computer_name) VALUES (1, ?, ?, ?, ?)',
  );
  if (read.get() === undefined) write.run(newMark(computer), '[]', computer.id, computer.name);
  const row = () => read.get() ?? {};
  return {
    /** The mark of this store, and those under which it made resources before it was taken over. */
    ownership: (): Ownership => ({ mark: text(row(), 'mark'), former: json(row(), 'former') }),
    /** @throws CausewayError `store.other-computer` when the store belongs to another computer */
    refuseOtherComputer(): void {
      if (text(row(), 'computer_id') === computer.id) return;
      const owner = text(row(), 'computer_name');
      throw new CausewayError(
        'store.other-computer',
        `the data of this project belongs to ${owner}; this is ${computer.name}`,
        {
          details: { owner, computer: computer.name },
        },
      );
    },
    /** The names of the computer that the store belongs to, and of this one. */
    computers: (): { readonly owner: string; readonly computer: string } => ({
      owner: text(row(), 'computer_name'),
      computer: computer.name,
    }),
    /** Whether the store belongs to another computer. */
    isElsewhere: (): boolean => text(row(), 'computer_id') !== computer.id,
    /** Makes the store this computer's, under a new mark, so that a copy on another computer can be distinguished. */
    takeOver(): void {
      const { mark, former } = { mark: text(row(), 'mark'), former: json<string[]>(row(), 'former') };
      write.run(newMark(computer), JSON.stringify([mark, ...former]), computer.id, computer.name);
    },
  };
}

/** The name of the computer in a mark. */
export function computerOf(mark: string): string {
  return mark.slice(0, Math.max(0, mark.lastIndexOf('.'))) || mark;
}

/** Fits a label of every cloud. */
function newMark({ name }: Computer): string {
  const plain =
    name
      .replaceAll(/[^A-Za-z0-9-]+/g, '-')
      .replaceAll(/^-+|-+$/g, '')
      .slice(0, 40) || 'computer';
  return `${plain}.${randomBytes(6).toString('hex')}`;
}

export function thisComputer(): Computer {
  const name = hostname();
  return {
    id: createHash('sha256')
      .update(`causeway ${machineId() ?? name}`)
      .digest('hex')
      .slice(0, 32),
    name,
  };
}

/** Set at installation; other systems than Linux are known by their name. */
function machineId(): string | undefined {
  for (const path of ['/etc/machine-id', '/var/lib/dbus/machine-id']) {
    try {
      const id = readFileSync(path, 'utf8').trim();
      if (id !== '') return id;
    } catch {
      // Another system.
    }
  }
  return undefined;
}
