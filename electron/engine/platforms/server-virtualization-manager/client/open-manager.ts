import { z } from 'zod';
import { retryContext, type RetryContext, type RetryContextOptions } from '../../../cloud-resources/retry-context.ts';
import { createHttpClient } from '../../../http/http-client.ts';
import { createTransport } from '../../../http/transport.ts';
import { parseConnection, type OvmConnection } from './connection.ts';
import { exporterAt, type Exporter } from './exporter.ts';
import { managerApi, type ManagerApi } from './manager-api.ts';
import { sessionTransport } from './session-transport.ts';
import {
  diskShape,
  managerShape,
  mappingShape,
  namedShape,
  nicShape,
  serverShape,
  vmShape,
  type OvmDisk,
  type OvmManager,
  type OvmMapping,
  type OvmNamed,
  type OvmNic,
  type OvmServer,
  type OvmVm,
} from './shapes.ts';

/** Objects of one kind. */
export interface Objects<T> {
  list(signal: AbortSignal): Promise<readonly T[]>;
  get(id: string, signal: AbortSignal): Promise<T | undefined>;
}

/** One Oracle VM Manager. All calls throw `CausewayError` with `cloud.*` codes. */
export interface Manager extends RetryContext {
  readonly connection: OvmConnection;
  readonly api: ManagerApi;
  /** The time by the manager's clock, as its last answer told it. Milliseconds since 1970. */
  now(): number;
  /** The manager itself. */
  self(signal: AbortSignal): Promise<OvmManager | undefined>;
  readonly vms: Objects<OvmVm>;
  readonly disks: Objects<OvmDisk>;
  readonly mappings: Objects<OvmMapping>;
  readonly nics: Objects<OvmNic>;
  readonly repositories: Objects<OvmNamed>;
  readonly networks: Objects<OvmNamed>;
  readonly serverPools: Objects<OvmNamed>;
  readonly servers: Objects<OvmServer>;
  /** What a VM's operating system can be called. */
  osTypes(signal: AbortSignal): Promise<readonly string[]>;
  /** The exporter service on a server, signed in at its first use. One for each address. */
  exporter(address: string): Exporter;
  close(): void;
}

export interface OpenManagerOptions extends RetryContextOptions {
  /** Where the exporter of a server is, for tests. */
  readonly exporterUrl?: (address: string) => string;
}

/**
 * Opens nothing yet.
 *
 * @param connection as the endpoint's form gives it, secrets filled in
 * @throws `general.invalid-input` when the connection lacks a key
 */
export function openManager(connection: unknown, options: OpenManagerOptions = {}): Manager {
  const parsed = parseConnection(connection);
  const around = retryContext(options);
  const { clock, random, timing } = around;
  let aheadMs = 0;
  const transport = sessionTransport(createTransport(parsed.trust), parsed, (date) => {
    const ahead = Date.parse(date) - clock.wallTime();
    if (Number.isFinite(ahead)) aheadMs = ahead;
  });
  const api = managerApi(
    createHttpClient({
      baseUrl: parsed.baseUrl,
      transport,
      clock,
      random,
      backOff: timing.backOff,
      timeoutMs: timing.requestMs,
    }),
    around,
  );
  const exporters = new Map<string, Exporter>();
  const kind = <S extends z.ZodType>(name: string, words: string, shape: S): Objects<z.infer<S>> => ({
    list: (signal) => api.read(z.array(shape), `list ${words}s`, `/${name}`, signal),
    get: (id, signal) => api.find(shape, `read ${words} ${id}`, `/${name}/${encodeURIComponent(id)}`, signal),
  });
  return {
    ...around,
    connection: parsed,
    api,
    now: () => clock.wallTime() + aheadMs,
    // A list of one, or the one.
    async self(signal) {
      const seen = await api.read(
        z.union([z.array(managerShape), managerShape]),
        'read the manager',
        '/Manager',
        signal,
      );
      return Array.isArray(seen) ? seen[0] : seen;
    },
    vms: kind('Vm', 'VM', vmShape),
    disks: kind('VirtualDisk', 'virtual disk', diskShape),
    mappings: kind('VmDiskMapping', 'disk mapping', mappingShape),
    nics: kind('VirtualNic', 'virtual NIC', nicShape),
    repositories: kind('Repository', 'repository', namedShape),
    networks: kind('Network', 'network', namedShape),
    serverPools: kind('ServerPool', 'server pool', namedShape),
    servers: kind('Server', 'server', serverShape),
    osTypes: async (signal) =>
      (
        await api.read(
          z.looseObject({ strings: z.array(z.string()).nullish() }),
          'list operating systems',
          '/Vm/SupportedOsTypes',
          signal,
        )
      ).strings ?? [],
    exporter(address) {
      const known =
        exporters.get(address) ??
        exporterAt(options.exporterUrl?.(address) ?? `https://${address}:5544/api/v1`, parsed, around);
      exporters.set(address, known);
      return known;
    },
    close() {
      transport.close();
      for (const each of exporters.values()) each.close();
    },
  };
}
