import { z } from 'zod';
import { labelsSchema, listOf, type Api } from './api.ts';

const imageSchema = z.looseObject({
  id: z.string(),
  name: z.string(),
  status: z.string().optional(),
  scope: z.string().optional(),
  createdAt: z.string().optional(),
  /** GB that a boot volume made from it needs at least. */
  minDiskSize: z.number().optional(),
  /** MB. */
  minRam: z.number().optional(),
  config: z
    .looseObject({
      operatingSystem: z.string().nullish(),
      operatingSystemDistro: z.string().nullish(),
      operatingSystemVersion: z.string().nullish(),
      architecture: z.string().nullish(),
    })
    .nullish(),
  labels: labelsSchema,
});
const machineTypeSchema = z.looseObject({
  name: z.string(),
  vcpus: z.number(),
  /** MB. */
  ram: z.number(),
  /** GB; 0 where the type brings no disk. */
  disk: z.number().optional(),
  description: z.string().optional(),
  extraSpecs: z.record(z.string(), z.unknown()).nullish(),
});
const performanceClassSchema = z.looseObject({
  name: z.string(),
  description: z.string().optional(),
  iops: z.number().optional(),
  throughput: z.number().optional(),
});
const affinityGroupSchema = z.looseObject({ id: z.string(), name: z.string(), policy: z.string().optional() });
const keyPairSchema = z.looseObject({ name: z.string(), fingerprint: z.string().optional() });
const projectSchema = z.looseObject({ id: z.string(), status: z.string().optional() });

export type CloudImage = z.infer<typeof imageSchema>;
export type MachineType = z.infer<typeof machineTypeSchema>;
export type PerformanceClass = z.infer<typeof performanceClassSchema>;
export type AffinityGroup = z.infer<typeof affinityGroupSchema>;
export type CloudKeyPair = z.infer<typeof keyPairSchema>;
export type CloudProject = z.infer<typeof projectSchema>;

/** What a project can choose from. */
export interface CatalogLists {
  project(signal: AbortSignal): Promise<CloudProject>;
  /** `all` also lists earlier builds of public images; it can be more than 2,000. */
  images(all: boolean, signal: AbortSignal): Promise<readonly CloudImage[]>;
  image(id: string, signal: AbortSignal): Promise<CloudImage | undefined>;
  machineTypes(signal: AbortSignal): Promise<readonly MachineType[]>;
  performanceClasses(signal: AbortSignal): Promise<readonly PerformanceClass[]>;
  affinityGroups(signal: AbortSignal): Promise<readonly AffinityGroup[]>;
  availabilityZones(signal: AbortSignal): Promise<readonly string[]>;
  /** Key pairs belong to the service account, not to the project. */
  keyPairs(signal: AbortSignal): Promise<readonly CloudKeyPair[]>;
}

export function catalogListsOf(api: Api): CatalogLists {
  async function list<S extends z.ZodType>(
    what: string,
    item: S,
    path: string,
    signal: AbortSignal,
    query: Record<string, string> = {},
  ): Promise<readonly z.infer<S>[]> {
    return (await api.read(listOf(item), { operation: `list ${what}`, method: 'GET', path, query }, signal)).items;
  }
  return {
    project: (signal) =>
      api.read(
        projectSchema,
        {
          operation: `read project ${api.projectId}`,
          method: 'GET',
          path: `/v2/projects/${encodeURIComponent(api.projectId)}`,
        },
        signal,
      ),
    images: (all, signal) => list('images', imageSchema, `${api.prefix}/images`, signal, { all: String(all) }),
    image: (id, signal) =>
      api.find(
        imageSchema,
        { operation: `read image ${id}`, method: 'GET', path: `${api.prefix}/images/${encodeURIComponent(id)}` },
        signal,
      ),
    machineTypes: (signal) => list('machine types', machineTypeSchema, `${api.prefix}/machine-types`, signal),
    performanceClasses: (signal) =>
      list('volume performance classes', performanceClassSchema, `${api.prefix}/volume-performance-classes`, signal),
    affinityGroups: (signal) => list('affinity groups', affinityGroupSchema, `${api.prefix}/affinity-groups`, signal),
    availabilityZones: (signal) =>
      list(
        'availability zones',
        z.string(),
        `/v2/regions/${encodeURIComponent(api.region)}/availability-zones`,
        signal,
      ),
    keyPairs: (signal) => list('key pairs', keyPairSchema, '/v2/keypairs', signal),
  };
}
