import type { DatabaseSync } from 'node:sqlite';

/**
 * What a query gives, read again only after any row of the database was written: the engine is its only writer. Whoever gets it must not
 * change it. In a transaction nothing new is kept, because it may be rolled back, which takes back rows but not the count of changes.
 */
export function keptUntilChange<T>(db: DatabaseSync, read: () => T): () => T {
  const count = db.prepare('SELECT total_changes() AS changes');
  let kept: { readonly changes: number; readonly value: T } | undefined;
  return () => {
    const changes = Number(count.get()?.['changes']);
    if (kept?.changes === changes) return kept.value;
    const value = read();
    if (!db.isTransaction) kept = { changes, value };
    return value;
  };
}
