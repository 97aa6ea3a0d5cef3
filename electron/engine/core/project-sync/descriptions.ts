import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Endpoint } from '../../../../shared/model/endpoint.ts';
import type { JsonObject } from '../../../../shared/model/json.ts';
import {
  descriptionFiles,
  endpointFile,
  replicaFile,
  type DescribedReplica,
  type DescriptionFiles,
} from '../../project-files/description-files.ts';
import type { NamedFiles } from '../../project-files/named-files.ts';
import { inTransaction } from '../../store/database.ts';
import type { Store } from '../../store/store.ts';
import { importFiles, type SyncResult } from './import-files.ts';

/**
 * What people say of a project's endpoints and replicas. It is kept in plain files that they share, and in the database
 * for everything that runs. The file is written first: after a crash in between, the next opening takes it in.
 */
export interface Descriptions {
  addEndpoint(endpoint: Endpoint): void;
  updateEndpoint(endpoint: Endpoint): void;
  removeEndpoint(id: string): void;
  /** Writes what the endpoint's file says of its connection; `{}` leaves it out, undefined changes nothing. */
  shareConnection(endpoint: Endpoint, connection: JsonObject | undefined): void;
  addReplica(replica: DescribedReplica): void;
  updateReplica(replica: DescribedReplica): void;
  removeReplica(id: string): void;
  /** Takes in what was changed in the files, by other people or by hand. */
  sync(): SyncResult;
  /** The same for calls that have time: what a page asks for together with them goes first, and they share one look. */
  syncSoon(): Promise<void>;
}

/** A page asks for all that it shows at once, within a few milliseconds. */
const othersFirstMs = 20;

export function descriptions(store: Store, projectFolder: string): Descriptions {
  const files = descriptionFiles(projectFolder);
  /** The file of each object, by ID. */
  const kept = new Map<string, string>();

  function save<K extends keyof DescriptionFiles>(
    kind: K,
    thing: Parameters<DescriptionFiles[K]['save']>[0],
    record: () => void,
  ): void {
    const of = files[kind] as unknown as NamedFiles<typeof thing>;
    const file = of.fileOf(thing.name);
    const former = kept.get(thing.id);
    of.save(thing);
    record();
    store.described.add(thing.id);
    kept.set(thing.id, file);
    // Under its former name, or a name given by hand.
    if (former !== undefined && former !== file) of.removeFile(former);
  }

  function remove(kind: keyof DescriptionFiles, id: string, record: () => void): void {
    const file = kept.get(id);
    if (file !== undefined) files[kind].removeFile(file);
    record();
    store.described.remove(id);
    kept.delete(id);
  }

  let looks = 0;
  const sync = (): SyncResult => {
    kept.clear();
    const result = inTransaction(store.db, () => importFiles({ store, files, kept }));
    looks += 1;
    return result;
  };
  /** How many looks there had been when it was last asked for one. */
  let asked = 0;
  let soon: Promise<void> | undefined;
  const lookSoon = async (): Promise<void> => {
    await delay(othersFirstMs);
    // Whoever asks from here on may know of a later change.
    soon = undefined;
    // Unless another call has looked since.
    if (looks === asked) sync();
  };

  return {
    addEndpoint: (endpoint) => save('endpoints', endpointFile(endpoint), () => store.endpoints.add(endpoint)),
    updateEndpoint: (endpoint) => save('endpoints', endpointFile(endpoint), () => store.endpoints.update(endpoint)),
    removeEndpoint: (id) => remove('endpoints', id, () => store.endpoints.remove(id)),
    shareConnection(endpoint, connection) {
      if (connection === undefined || isDeepStrictEqual(connection, endpoint.connection)) return;
      const updated = { ...endpoint, connection, updatedAt: new Date().toISOString() };
      save('endpoints', endpointFile(updated), () => store.endpoints.update(updated));
    },
    addReplica: (replica) => save('replicas', replicaFile(replica), () => store.replicas.add(replica)),
    updateReplica: (replica) => save('replicas', replicaFile(replica), () => store.replicas.update(replica)),
    removeReplica: (id) => remove('replicas', id, () => store.replicas.remove(id)),
    sync,
    syncSoon() {
      asked = looks;
      return (soon ??= lookSoon());
    },
  };
}
