import { z } from 'zod';
import type { ServiceApi } from './service-api.ts';
import { serversOf, type Servers } from './servers.ts';

const flavorSchema = z.looseObject({
  id: z.string(),
  name: z.string(),
  vcpus: z.number(),
  /** MiB. */
  ram: z.number(),
  /** GiB; 0: as large as the image. */
  disk: z.number(),
  'OS-FLV-DISABLED:disabled': z.boolean().optional(),
  extra_specs: z.record(z.string(), z.string()).optional(),
});

export type Flavor = z.infer<typeof flavorSchema>;

const keyPairSchema = z.looseObject({
  name: z.string(),
  fingerprint: z.string().optional(),
  public_key: z.string().optional(),
  type: z.string().optional(),
});

export type KeyPair = z.infer<typeof keyPairSchema>;

const serverGroupSchema = z.looseObject({
  id: z.string(),
  name: z.string(),
  policy: z.string().nullish(),
  policies: z.array(z.string()).nullish(),
});

export type ServerGroup = z.infer<typeof serverGroupSchema>;

const zoneSchema = z.looseObject({ zoneName: z.string(), zoneState: z.looseObject({ available: z.boolean() }) });

/** -1: no limit. Memory in MiB. */
const limitsSchema = z.looseObject({
  maxTotalInstances: z.number().default(-1),
  totalInstancesUsed: z.number().default(0),
  maxTotalCores: z.number().default(-1),
  totalCoresUsed: z.number().default(0),
  maxTotalRAMSize: z.number().default(-1),
  totalRAMUsed: z.number().default(0),
  maxTotalKeypairs: z.number().default(-1),
});

export type ComputeLimits = z.infer<typeof limitsSchema>;

const versionSchema = z.looseObject({
  version: z.looseObject({ id: z.string(), version: z.string().default(''), min_version: z.string().default('') }),
});

export interface Compute {
  readonly servers: Servers;
  flavors(signal: AbortSignal): Promise<readonly Flavor[]>;
  keyPairs(signal: AbortSignal): Promise<readonly KeyPair[]>;
  serverGroups(signal: AbortSignal): Promise<readonly ServerGroup[]>;
  /** The names of the zones that take servers. */
  availabilityZones(signal: AbortSignal): Promise<readonly string[]>;
  limits(signal: AbortSignal): Promise<ComputeLimits>;
  /** The highest version of the interface that the service speaks, e.g. `2.93`. */
  newestVersion(signal: AbortSignal): Promise<string>;
}

export function computeOf(api: ServiceApi): Compute {
  return {
    servers: serversOf(api),
    flavors: (signal) =>
      api.list(flavorSchema, { operation: 'list flavors', path: '/flavors/detail', key: 'flavors' }, signal),
    async keyPairs(signal) {
      const item = z.looseObject({ keypair: keyPairSchema });
      return (await api.list(item, { operation: 'list key pairs', path: '/os-keypairs', key: 'keypairs' }, signal)).map(
        ({ keypair }) => keypair,
      );
    },
    serverGroups: (signal) =>
      api.list(
        serverGroupSchema,
        { operation: 'list server groups', path: '/os-server-groups', key: 'server_groups' },
        signal,
      ),
    async availabilityZones(signal) {
      const zones = await api.list(
        zoneSchema,
        { operation: 'list availability zones', path: '/os-availability-zone', key: 'availabilityZoneInfo' },
        signal,
      );
      return zones.filter(({ zoneState }) => zoneState.available).map(({ zoneName }) => zoneName);
    },
    async limits(signal) {
      const answer = await api.readIn(
        'limits',
        z.looseObject({ absolute: limitsSchema }),
        { operation: 'read the limits of compute', method: 'GET', path: '/limits' },
        signal,
      );
      return answer.absolute;
    },
    async newestVersion(signal) {
      return (
        await api.read(versionSchema, { operation: 'read the version of compute', method: 'GET', path: '/' }, signal)
      ).version.version;
    },
  };
}
