import type { DatabaseSync } from 'node:sqlite';

export type DescribedStore = ReturnType<typeof describedStore>;

/** Which endpoints and replicas have had a file in the project's folder. */
export function describedStore(db: DatabaseSync) {
  const insert = db.prepare('INSERT OR IGNORE INTO project_files VALUES (?)');
  const remove = db.prepare('DELETE FROM project_files WHERE id = ?');
  const byId = db.prepare('SELECT id FROM project_files WHERE id = ?');
  return {
    add: (id: string): void => void insert.run(id),
    has: (id: string): boolean => byId.get(id) !== undefined,
    remove: (id: string): void => void remove.run(id),
  };
}
