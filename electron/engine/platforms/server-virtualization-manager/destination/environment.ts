import { z } from 'zod';
import type { JsonObject } from '../../../../../shared/model/json.ts';
import { missing, parseEnvironment, storageMappingShape } from '../../../cloud-resources/read-environment.ts';
import { resolve, resolvedOrThrow } from '../../../cloud-resources/resolve-reference.ts';
import type { WorkerRole } from '../../../ports/destination-platform.ts';
import { workerOs } from '../../../workers/worker-ports.ts';
import type { Manager } from '../client/open-manager.ts';
import { nameOfObject, type OvmId, type OvmVm } from '../client/shapes.ts';
import type { WorkerPlan } from '../workers/template-worker.ts';

const perOs = z.looseObject({ linux: z.string().optional(), windows: z.string().optional() });

/** What the adapter reads of an effective environment. Loose: the strict shape with its findings stands with the plugin. */
const environmentSchema = z.looseObject({
  network_map: z.record(z.string(), z.string()).default({}),
  storage_mappings: storageMappingShape,
  server_pool_name: z.string().optional(),
  repository_name: z.string().optional(),
  migr_template_name_map: perOs.default({}),
  migr_template_username_map: perOs.default({}),
  migr_template_password_map: perOs.default({}),
  leave_migrated_vm_off: z.boolean().default(false),
  os_label: z.string().optional(),
  virtual_disk_clone_type: z.string().optional(),
});

export type DestinationEnvironment = z.infer<typeof environmentSchema>;

/** @throws `general.invalid-input` naming the leaves that have another type than they must */
export function readEnvironment(environment: JsonObject): DestinationEnvironment {
  return parseEnvironment(environmentSchema, environment);
}

export function required(environment: DestinationEnvironment, key: 'server_pool_name' | 'repository_name'): string {
  return environment[key] ?? missing(key);
}

/** An object as names are resolved. */
export const asNamed = (object: {
  readonly id: OvmId;
  readonly name?: string | null | undefined;
}): { readonly id: string; readonly name: string } => ({ id: object.id.value, name: nameOfObject(object) });

export const isTemplate = ({ vmRunState }: Pick<OvmVm, 'vmRunState'>): boolean => vmRunState === 'TEMPLATE';

/** Where an environment has its VMs and disks. */
export interface Place {
  readonly serverPoolId: string;
  /** Of what no mapping says otherwise. */
  readonly repositoryId: string;
  /** A repository by the name or id that a mapping has. @throws `cloud.name-unknown`, `cloud.name-ambiguous` */
  repository(wanted: string): string;
}

/** @throws `cloud.parameter-missing`, `cloud.name-unknown`, `cloud.name-ambiguous` */
export async function placeOf(
  manager: Manager,
  environment: DestinationEnvironment,
  signal: AbortSignal,
): Promise<Place> {
  const [pool, main] = [required(environment, 'server_pool_name'), required(environment, 'repository_name')];
  const [pools, repositories] = await Promise.all([
    manager.serverPools.list(signal),
    manager.repositories.list(signal),
  ]);
  const named = repositories.map(asNamed);
  return {
    serverPoolId: resolvedOrThrow('server pool', 'server_pool_name', pool, resolve(pools.map(asNamed), pool)).id,
    repositoryId: resolvedOrThrow('repository', 'repository_name', main, resolve(named, main)).id,
    repository: (wanted) => resolvedOrThrow('repository', 'storage_mappings', wanted, resolve(named, wanted)).id,
  };
}

/** What a worker is cloned from. @throws as `placeOf` does */
export async function planWorker(
  manager: Manager,
  environment: DestinationEnvironment,
  role: WorkerRole,
  signal: AbortSignal,
): Promise<WorkerPlan> {
  const os = workerOs(role);
  const of = (key: 'migr_template_name_map' | 'migr_template_username_map' | 'migr_template_password_map'): string =>
    environment[key][os] ??
    missing(`${key}.${os}`, `${key} has no entry for ${os}: workers are cloned from this template`);
  const [template, username, password] = [
    of('migr_template_name_map'),
    of('migr_template_username_map'),
    of('migr_template_password_map'),
  ];
  const { serverPoolId, repositoryId } = await placeOf(manager, environment, signal);
  const templates = (await manager.vms.list(signal)).filter(isTemplate).map(asNamed);
  const { id } = resolvedOrThrow('template', `migr_template_name_map.${os}`, template, resolve(templates, template));
  return {
    templateId: id,
    repositoryId,
    serverPoolId,
    username,
    password,
    parameters: { username: `migr_template_username_map.${os}`, password: `migr_template_password_map.${os}` },
  };
}
