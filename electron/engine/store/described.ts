import type { DatabaseSync } from 'node:sqlite';

export type DescribedStore = ReturnType<typeof describedStore>;

/** Which endpoints and replicas have had a file in the project's folder. */
export function describedStore(db: DatabaseSync) {
  const insert = db.prepare('INSERT OR IGNORE INTO project_files VALUES (?)');
  const remove = db.prepare('DELETE FROM project_files WHERE id = ?');
  const all = db.prepare('SELECT id FROM project_files');
  return {
    add: (id: string): void => void insert.run(id),
    ids: (): Set<string> => new Set(all.all().map((row) => String(row['id']))),
    remove: (id: string): void => void remove.run(id),
  };
}
