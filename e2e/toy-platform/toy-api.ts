import { z } from 'zod';
import type {
  CloudCalls,
  CloudServer,
  CloudSnapshot,
  CloudVolume,
  ResourceDeleter,
} from '../../electron/engine/cloud-resources/cloud-api.ts';
import { hasLabels, type Labels } from '../../electron/engine/cloud-resources/labels.ts';
import { entryLabel } from '../../electron/engine/cloud-resources/ledgered-resource.ts';
import { simpleDeleters } from '../../electron/engine/cloud-resources/resource-deletion.ts';
import { retryContext, type RetryContextOptions } from '../../electron/engine/cloud-resources/retry-context.ts';
import { createHttpClient } from '../../electron/engine/http/http-client.ts';
import { createJsonApi } from '../../electron/engine/http/json-api.ts';
import { createTransport } from '../../electron/engine/http/transport.ts';
import type { LedgerEntry, ResourceKind } from '../../electron/engine/ports/ledger.ts';
import { CausewayError } from '../../shared/model/causeway-error.ts';

export const toyConnection = z.object({ url: z.string(), key: z.string() });
export type ToyConnection = z.infer<typeof toyConnection>;

const named = z.looseObject({ id: z.string(), name: z.string() });
const resource = named.extend({ labels: z.record(z.string(), z.string()), status: z.enum(['READY', 'FAILED']) });
const volume = resource.extend({ sizeGib: z.number(), serverId: z.string().optional() });
const nic = resource.extend({ network: z.string(), mac: z.string(), ip: z.string() });
const vm = named.extend({ disks: z.array(z.object({ id: z.string(), sizeBytes: z.number() })) });
const exported = resource.extend({
  vmId: z.string(),
  disks: z.array(z.object({ id: z.string(), sizeBytes: z.number() })),
});
export type ToyNic = z.infer<typeof nic>;
export type ToyExport = z.infer<typeof exported>;

/** One function per call of the API that is used, with the form of its answer. */
export type ToyApi = ReturnType<typeof openToyApi>;

export function openToyApi(connection: ToyConnection, options: RetryContextOptions) {
  const around = retryContext(options);
  const { clock, random, timing } = around;
  const transport = createTransport();
  const client = createHttpClient({
    baseUrl: connection.url,
    clock,
    random,
    backOff: timing.backOff,
    timeoutMs: timing.requestMs,
    transport,
    authorize: async () => connection.key,
  });
  const api = createJsonApi(client);
  const collection = <S extends z.ZodType>(kind: string, schema: S) => ({
    list: (query: Readonly<Record<string, string>>, signal: AbortSignal) =>
      api.read(z.array(schema), { operation: `list ${kind}`, method: 'GET', path: `/${kind}`, query }, signal),
    get: (id: string, signal: AbortSignal) =>
      api.find(schema, { operation: `read ${kind} ${id}`, method: 'GET', path: `/${kind}/${id}` }, signal),
    create: (json: object, signal: AbortSignal) =>
      api.read(schema, { operation: `create ${kind}`, method: 'POST', path: `/${kind}`, json }, signal),
    change: (id: string, json: object, signal: AbortSignal) =>
      api.read(schema, { operation: `change ${kind} ${id}`, method: 'PATCH', path: `/${kind}/${id}`, json }, signal),
    delete: (id: string, signal: AbortSignal) =>
      api.remove({ operation: `delete ${kind} ${id}`, path: `/${kind}/${id}` }, signal),
  });
  return {
    ...around,
    networks: collection('networks', named),
    images: collection('images', named),
    types: collection('types', named),
    vms: collection('vms', vm),
    volumes: collection('volumes', volume),
    snapshots: collection('snapshots', resource),
    nics: collection('nics', nic),
    servers: collection('servers', resource),
    exports: collection('exports', exported),
    attach: (id: string, volumeId: string, signal: AbortSignal) =>
      api.send(
        { operation: `attach volume ${volumeId}`, method: 'PUT', path: `/servers/${id}/volumes/${volumeId}`, json: {} },
        signal,
      ),
    detach: (id: string, volumeId: string, signal: AbortSignal) =>
      api.remove({ operation: `detach volume ${volumeId}`, path: `/servers/${id}/volumes/${volumeId}` }, signal),
    close: () => transport.close(),
  };
}

const asVolume = ({ id, name, labels, status, sizeGib, serverId }: z.infer<typeof volume>): CloudVolume => ({
  id,
  name,
  labels,
  status,
  sizeGib,
  serverId,
  type: undefined,
  zone: undefined,
  state: status === 'FAILED' ? 'failed' : serverId === undefined ? 'available' : 'attached',
});
const asSnapshot = ({ id, labels, status }: z.infer<typeof resource>): CloudSnapshot => ({
  id,
  labels,
  status,
  state: status === 'FAILED' ? 'failed' : 'available',
});
export const asServer = ({ id, name, labels, status }: z.infer<typeof resource>): CloudServer => ({
  id,
  name,
  labels,
  status,
  problem: undefined,
  state: status === 'FAILED' ? 'failed' : 'running',
});

const orUndefined = async <T, R>(found: Promise<T | undefined>, as: (one: T) => R): Promise<R | undefined> => {
  const one = await found;
  return one === undefined ? undefined : as(one);
};

/** The platform as the shared steps of a destination see it. */
export function toyCalls(api: ToyApi): CloudCalls {
  const { timing, clock, random, volumes, snapshots, servers } = api;
  return {
    timing,
    clock,
    random,
    entryDetails: {},
    copiesFrom: 'snapshot',
    largestVolumeGib: undefined,
    volumes: {
      list: async (labels, signal) => (await volumes.list(labels, signal)).map(asVolume),
      get: (id, signal) => orUndefined(volumes.get(id, signal), asVolume),
      async create({ name, sizeGib, contentOf, labels }, signal) {
        const from =
          contentOf === undefined
            ? {}
            : { from: 'snapshotId' in contentOf ? contentOf.snapshotId : contentOf.volumeId };
        return asVolume(await volumes.create({ name, sizeGib, labels, ...from }, signal));
      },
      label: async (id, labels, signal) => asVolume(await volumes.change(id, { labels }, signal)),
      grow: async (id, sizeGib, signal) => void (await volumes.change(id, { sizeGib }, signal)),
      delete: (id, signal) => volumes.delete(id, signal),
    },
    snapshots: {
      list: async (labels, signal) => (await snapshots.list(labels, signal)).map(asSnapshot),
      get: (id, signal) => orUndefined(snapshots.get(id, signal), asSnapshot),
      create: async (snapshot, signal) => asSnapshot(await snapshots.create(snapshot, signal)),
      delete: (id, signal) => snapshots.delete(id, signal),
    },
    servers: {
      get: (id, signal) => orUndefined(servers.get(id, signal), asServer),
      attach: async (id, volumeId, signal) => void (await api.attach(id, volumeId, signal)),
      detach: (id, volumeId, signal) => api.detach(id, volumeId, signal),
    },
  };
}

type Kept = 'volumes' | 'snapshots' | 'nics' | 'servers';
const collections: Readonly<Partial<Record<ResourceKind, Kept>>> = {
  volume: 'volumes',
  'volume-snapshot': 'snapshots',
  nic: 'nics',
  server: 'servers',
};

/** What carries a label of this platform, found again after a lost answer. */
export async function labelled<T extends { readonly labels: Labels }>(
  list: (query: Labels, signal: AbortSignal) => Promise<readonly T[]>,
  entry: LedgerEntry,
  signal: AbortSignal,
): Promise<T | undefined> {
  const label = entryLabel(entry);
  return (await list(label, signal)).find((one) => hasLabels(one, label));
}

export function deleterFor(api: ToyApi, entry: LedgerEntry): ResourceDeleter {
  const kept = collections[entry.kind];
  if (kept === undefined) throw new CausewayError('general.invalid-input', `the toy platform makes no ${entry.kind}`);
  const { get, list, delete: remove } = api[kept];
  return simpleDeleters(api, entry)(
    get,
    async (signal) => (await labelled<{ readonly id: string; readonly labels: Labels }>(list, entry, signal))?.id,
    remove,
  );
}
