import { z } from 'zod';

/** How the manager names one object in another. */
export const idShape = z.looseObject({ value: z.string(), name: z.string().nullish(), type: z.string().nullish() });
const idOrNone = idShape.nullish();
const ids = z
  .array(idShape)
  .nullish()
  .transform((all) => all ?? []);

/** Members that are not named here are kept: an update sends the whole object back. */
const common = { id: idShape, name: z.string().nullish(), description: z.string().nullish() };

export const vmShape = z.looseObject({
  ...common,
  vmRunState: z.string(),
  vmDomainType: z.string().nullish(),
  osType: z.string().nullish(),
  /** MiB. */
  memory: z.number().nullish(),
  cpuCount: z.number().nullish(),
  vmDiskMappingIds: ids,
  virtualNicIds: ids,
  repositoryId: idOrNone,
  serverPoolId: idOrNone,
  serverId: idOrNone,
});

export const diskShape = z.looseObject({
  ...common,
  size: z.number(),
  diskType: z.string().nullish(),
  shareable: z.boolean().nullish(),
  repositoryId: idOrNone,
  vmDiskMappingIds: ids,
});

export const mappingShape = z.looseObject({
  ...common,
  vmId: idOrNone,
  virtualDiskId: idOrNone,
  /** Of a physical disk. */
  storageElementId: idOrNone,
  diskTarget: z.number(),
});

export const nicShape = z.looseObject({
  ...common,
  macAddress: z.string().nullish(),
  networkId: idOrNone,
  ipAddresses: z.array(z.unknown()).nullish(),
});
export const namedShape = z.looseObject(common);
export const serverShape = z.looseObject({
  ...common,
  hostname: z.string().nullish(),
  ipAddress: z.string().nullish(),
  serverPoolId: idOrNone,
});
export const managerShape = z.looseObject({
  name: z.string().nullish(),
  managerRunState: z.string().nullish(),
  managerVersion: z.string().nullish(),
});

export const jobShape = z.looseObject({
  ...common,
  done: z.boolean().nullish(),
  summaryDone: z.boolean().nullish(),
  jobRunState: z.string().nullish(),
  jobSummaryState: z.string().nullish(),
  resultId: idOrNone,
  error: z.looseObject({ message: z.string().nullish() }).nullish(),
});

export type OvmVm = z.infer<typeof vmShape>;
export type OvmDisk = z.infer<typeof diskShape>;
export type OvmMapping = z.infer<typeof mappingShape>;
export type OvmNic = z.infer<typeof nicShape>;
export type OvmServer = z.infer<typeof serverShape>;
export type OvmNamed = z.infer<typeof namedShape>;
export type OvmManager = z.infer<typeof managerShape>;
export type OvmJob = z.infer<typeof jobShape>;
export type OvmId = z.infer<typeof idShape>;

/** What people call an object; some have no name but in the ids that name them. */
export function nameOfObject({ name, id }: { readonly name?: string | null | undefined; readonly id: OvmId }): string {
  return name ?? id.name ?? id.value;
}
