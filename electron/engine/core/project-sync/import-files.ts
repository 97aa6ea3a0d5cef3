import { isDeepStrictEqual } from 'node:util';
import type { Endpoint } from '../../../../shared/model/endpoint.ts';
import type { JsonObject } from '../../../../shared/model/json.ts';
import type { Replica } from '../../../../shared/model/replica.ts';
import { plugins } from '../../../../shared/plugins/registry.ts';
import {
  describedReplica,
  endpointFile,
  replicaFile,
  type DescribedReplica,
  type DescriptionFiles,
  type EndpointFile,
  type ReplicaFile,
} from '../../project-files/description-files.ts';
import type { NamedFiles } from '../../project-files/named-files.ts';
import type { Store } from '../../store/store.ts';
import { separateSecrets } from '../secret-references.ts';

/** A file that was not taken; what was known before holds. */
export interface FileProblem {
  /** Within the project, e.g. `endpoints/prod.json`. */
  readonly file: string;
  readonly message: string;
}

export interface SyncResult {
  /** Whether anything that the project knows is different now. */
  readonly changed: boolean;
  readonly problems: readonly FileProblem[];
}

interface Parts {
  readonly store: Store;
  readonly files: DescriptionFiles;
  /** By id; filled with what is found. */
  readonly kept: Map<string, string>;
}

/**
 * Brings the database to what the files say. Things that have no file any more go, unless something was made of them
 * in a cloud; then their file comes back. What is in use by a run is imported later.
 */
export function importFiles({ store, files, kept }: Parts): SyncResult {
  const problems: FileProblem[] = [];
  let changed = false;

  const described = store.described.ids();
  const describe = (id: string): void => {
    if (described.has(id)) return;
    store.described.add(id);
    described.add(id);
  };

  /** The things of a folder, one for each id. */
  function found<T extends { readonly id: string; readonly name: string }>(
    kind: string,
    of: NamedFiles<T>,
  ): { file: string; thing: T }[] {
    const things = new Map<string, { file: string; thing: T }>();
    for (const { file, read } of of.each()) {
      if ('problem' in read) {
        problems.push({
          file: `${kind}/${file}`,
          message: String(read.problem.details['reason'] ?? read.problem.message),
        });
        continue;
      }
      const { thing } = read;
      const twin = things.get(thing.id);
      if (twin === undefined) things.set(thing.id, { file, thing });
      else {
        // A copy, or an interrupted renaming: the file with the name that it contains applies.
        const [meant, other] =
          file === of.fileOf(thing.name) && twin.file !== of.fileOf(twin.thing.name)
            ? [{ file, thing }, twin.file]
            : [twin, file];
        things.set(thing.id, meant);
        problems.push({
          file: `${kind}/${other}`,
          message: `it has the same ID as ${meant.file}: delete one of them, or change the ID of the copy`,
        });
      }
    }
    for (const { file, thing } of things.values()) kept.set(thing.id, file);
    return [...things.values()];
  }

  function take<T extends { readonly id: string; readonly name: string }>(
    kind: string,
    { file, thing }: { file: string; thing: T },
    work: (thing: T) => string | boolean,
  ): void {
    const outcome = work(thing);
    if (typeof outcome === 'string') problems.push({ file: `${kind}/${file}`, message: outcome });
    else {
      describe(thing.id);
      if (outcome) changed = true;
    }
  }

  const endpointFiles = found('endpoints', files.endpoints);
  const replicaFiles = found('replicas', files.replicas);
  const endpoints = new Known(store.endpoints.list());
  const replicas = new Known<DescribedReplica>(store.replicas.list());
  for (const one of endpointFiles) take('endpoints', one, (thing) => takeEndpoint(store, endpoints, thing));
  for (const one of replicaFiles) take('replicas', one, (thing) => takeReplica(store, endpoints, replicas, thing));

  /** Rows without a file. If a file cannot be read, it is unknown which row it belongs to, and no row is removed. */
  function settle<T extends { readonly id: string }>(
    kind: 'endpoints' | 'replicas',
    rows: readonly T[],
    holds: (row: T) => string | undefined,
    write: (row: T) => string,
    drop: (row: T) => void,
  ): void {
    const isWhole = problems.every(({ file }) => !file.startsWith(`${kind}/`));
    for (const row of rows) {
      if (kept.has(row.id)) continue;
      const reason = described.has(row.id) ? holds(row) : '';
      if (reason === undefined) {
        if (!isWhole) continue;
        drop(row);
        store.described.remove(row.id);
        described.delete(row.id);
        changed = true;
        continue;
      }
      const file = write(row);
      kept.set(row.id, file);
      describe(row.id);
      if (reason !== '')
        problems.push({
          file: `${kind}/${file}`,
          message: `it was deleted, but ${reason}: the file was restored. Delete it in Causeway`,
        });
    }
  }
  settle(
    'replicas',
    store.replicas.list(),
    (row) => holdsReplica(store, row),
    (row) => written(files.replicas, replicaFile(row)),
    (row) => store.replicas.remove(row.id),
  );
  settle(
    'endpoints',
    store.endpoints.list(),
    (row) => holdsEndpoint(store, row),
    (row) => written(files.endpoints, endpointFile(row)),
    (row) => store.endpoints.remove(row.id),
  );
  return { changed, problems };
}

function written<T extends { readonly name: string }>(files: NamedFiles<T>, thing: T): string {
  files.save(thing);
  return files.fileOf(thing.name);
}

/** True when something changed; a text when it can't be. */
function takeEndpoint(store: Store, endpoints: Known<Endpoint>, file: EndpointFile): string | boolean {
  const known = endpoints.get(file.id);
  if (known !== undefined && isDeepStrictEqual(endpointFile(known), file)) return false;
  if (endpoints.isTaken(file.name, file.id)) return `another endpoint has the name ${file.name}: rename one of them`;
  if (known !== undefined && known.plugin !== file.plugin)
    return `its plugin is ${known.plugin} and cannot be changed to ${file.plugin}`;
  const plain = plainSecrets(plugins[file.plugin].connection, file.connection ?? {});
  if (plain.length > 0) return plainTextMessage(plain);
  const endpoint: Endpoint = { ...file, connection: file.connection ?? {}, updatedAt: new Date().toISOString() };
  if (known === undefined) store.endpoints.add(endpoint);
  else store.endpoints.update(endpoint);
  endpoints.put(endpoint);
  return true;
}

function takeReplica(
  store: Store,
  endpoints: Known<Endpoint>,
  replicas: Known<DescribedReplica>,
  file: ReplicaFile,
): string | boolean {
  const known = replicas.get(file.id);
  if (known !== undefined && isSaid(known, file)) return false;
  if (replicas.isTaken(file.name, file.id)) return `another replica has the name ${file.name}: rename one of them`;
  const source = endpoints.get(file.source);
  const destination = endpoints.get(file.destination);
  if (source === undefined || destination === undefined)
    return `its endpoint ${source === undefined ? file.source : file.destination} is not in the project`;
  if (
    known !== undefined &&
    (known.sourceEndpointId !== source.id ||
      known.destinationEndpointId !== destination.id ||
      known.vmId !== file.vm.id)
  ) {
    return 'its endpoints and its VM cannot be changed: create a new replica';
  }
  const plain = [
    ...plainSecrets(plugins[source.plugin].source?.schema, file.sourceEnvironment),
    ...plainSecrets(plugins[destination.plugin].destination?.schema, file.destinationEnvironment),
  ];
  if (plain.length > 0) return plainTextMessage(plain);
  const replica = describedReplica(file);
  if (known !== undefined && isActive(store, file.id)) return false;
  if (known === undefined) store.replicas.add(replica);
  else store.replicas.update(replica);
  replicas.put(replica);
  return true;
}

/** Rows and files that were found to say the same; either is another object once it changed. */
const agreed = new WeakMap<DescribedReplica, ReplicaFile>();

function isSaid(known: DescribedReplica, file: ReplicaFile): boolean {
  if (agreed.get(known) === file) return true;
  if (!isDeepStrictEqual(replicaFile(known), file)) return false;
  agreed.set(known, file);
  return true;
}

/** Places of plain-text secrets where references are required. */
function plainSecrets(schema: Parameters<typeof separateSecrets>[0], value: JsonObject): string[] {
  return separateSecrets(schema, value, 'file').secrets.map(({ place }) => place);
}

function plainTextMessage(places: readonly string[]): string {
  return `it contains ${places.join(', ')} in plain text: remove it from the file, and enter it in Causeway`;
}

function isActive(store: Store, id: string): boolean {
  return [...store.executions.listOpen(), ...store.deployments.listOpen()].some(({ replicaId }) => replicaId === id);
}

/** Why it can't go because its file went; undefined when it can. */
function holdsReplica(store: Store, replica: Replica): string | undefined {
  if (store.ledger.list().some(({ replicaId, lifetime }) => replicaId === replica.id && lifetime !== 'deployment'))
    return 'it has volumes or other resources';
  return replica.lastExecutionId === undefined ? undefined : 'it has been executed from this computer';
}

function holdsEndpoint(store: Store, endpoint: Endpoint): string | undefined {
  const replica = store.replicas
    .list()
    .find(
      ({ sourceEndpointId, destinationEndpointId }) =>
        sourceEndpointId === endpoint.id || destinationEndpointId === endpoint.id,
    );
  if (replica !== undefined) return `replica ${replica.name} uses it`;
  return store.ledger.list().some(({ endpointId }) => endpointId === endpoint.id)
    ? 'the ledger lists resources there'
    : undefined;
}

/** Rows by id, with their names, kept up to date while files are taken in. */
export class Known<T extends { readonly id: string; readonly name: string }> {
  readonly #rows: Map<string, T>;
  readonly #idOfName: Map<string, string>;

  constructor(rows: readonly T[]) {
    this.#rows = new Map(rows.map((row) => [row.id, row]));
    this.#idOfName = new Map(rows.map(({ id, name }) => [name, id]));
  }

  get(id: string): T | undefined {
    return this.#rows.get(id);
  }

  /** Whether something else has the name. */
  isTaken(name: string, id: string): boolean {
    const holder = this.#idOfName.get(name);
    return holder !== undefined && holder !== id;
  }

  put(row: T): void {
    const former = this.#rows.get(row.id);
    if (former !== undefined) this.#idOfName.delete(former.name);
    this.#rows.set(row.id, row);
    this.#idOfName.set(row.name, row.id);
  }
}
