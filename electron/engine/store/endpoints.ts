import type { DatabaseSync } from 'node:sqlite';
import type { Endpoint } from '../../../shared/model/endpoint.ts';
import type { CheckReport } from '../ports/platform-common.ts';
import { keptUntilChange } from './kept-until-change.ts';
import { json, text, type Row } from './rows.ts';

export type EndpointStore = ReturnType<typeof endpointStore>;

/** Endpoints. Connections come here with their secrets replaced by references already. */
export function endpointStore(db: DatabaseSync) {
  const insert = db.prepare('INSERT INTO endpoints VALUES (?, ?, ?, ?, ?, ?)');
  const update = db.prepare('UPDATE endpoints SET name = ?, connection = ?, updated_at = ? WHERE id = ?');
  const all = db.prepare('SELECT * FROM endpoints ORDER BY name');
  const kept = keptUntilChange(db, () => all.all().map(fromRow));
  const byReference = keptUntilChange(db, () => {
    const endpoints = kept();
    return new Map([
      ...endpoints.map((endpoint) => [endpoint.name, endpoint] as const),
      ...endpoints.map((endpoint) => [endpoint.id, endpoint] as const),
    ]);
  });
  const remove = db.prepare('DELETE FROM endpoints WHERE id = ?');
  const keepCheck = db.prepare(`INSERT INTO endpoint_checks VALUES (?, ?, ?)
    ON CONFLICT (endpoint_id) DO UPDATE SET checked_at = excluded.checked_at, report = excluded.report`);
  const check = db.prepare('SELECT * FROM endpoint_checks WHERE endpoint_id = ?');
  return {
    add(endpoint: Endpoint): void {
      insert.run(
        endpoint.id,
        endpoint.name,
        endpoint.plugin,
        JSON.stringify(endpoint.connection),
        endpoint.createdAt,
        endpoint.updatedAt,
      );
    },
    update(endpoint: Endpoint): void {
      update.run(endpoint.name, JSON.stringify(endpoint.connection), endpoint.updatedAt, endpoint.id);
    },
    /** By id, else by name. */
    find(idOrName: string): Endpoint | undefined {
      return byReference().get(idOrName);
    },
    list(): Endpoint[] {
      return [...kept()];
    },
    /** Keeps what a check that began then found, in place of the one before. */
    keepCheck(id: string, at: string, report: CheckReport): void {
      keepCheck.run(id, at, JSON.stringify(report));
    },
    lastCheck(id: string): (CheckReport & { readonly at: string }) | undefined {
      const row = check.get(id);
      return row === undefined
        ? undefined
        : { ...(JSON.parse(text(row, 'report')) as CheckReport), at: text(row, 'checked_at') };
    },
    remove(id: string): void {
      remove.run(id);
    },
  };
}

function fromRow(row: Row): Endpoint {
  return {
    id: text(row, 'id'),
    name: text(row, 'name'),
    plugin: text(row, 'plugin') as Endpoint['plugin'],
    connection: json(row, 'connection'),
    createdAt: text(row, 'created_at'),
    updatedAt: text(row, 'updated_at'),
  };
}
