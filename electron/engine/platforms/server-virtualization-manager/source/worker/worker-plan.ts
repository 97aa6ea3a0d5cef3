import { CausewayError } from '../../../../../../shared/model/causeway-error.ts';
import type { JsonObject } from '../../../../../../shared/model/json.ts';
import { missing } from '../../../../cloud-resources/read-environment.ts';
import { resolve, resolvedOrThrow } from '../../../../cloud-resources/resolve-reference.ts';
import type { Manager } from '../../client/open-manager.ts';
import { nameOfObject, type OvmId, type OvmVm } from '../../client/shapes.ts';
import type { WorkerPlan } from '../../workers/template-worker.ts';

const parameters = { username: 'export_template_username', password: 'export_template_password' } as const;

const named = <T extends { readonly id: OvmId; readonly name?: string | null | undefined }>(objects: readonly T[]) =>
  objects.map((object) => ({ id: object.id.value, name: nameOfObject(object), object }));

/**
 * Finds what the environment names, before anything is made.
 *
 * @param vm whose disks are read: the worker runs in its server pool, to which the repositories are presented
 * @throws `cloud.parameter-missing`, `cloud.name-unknown`, `cloud.name-ambiguous`
 */
export async function planWorker(
  manager: Manager,
  environment: JsonObject,
  vm: Pick<OvmVm, 'serverPoolId'>,
  signal: AbortSignal,
): Promise<WorkerPlan> {
  const [template, repository, username, password] = (
    ['export_template_name', 'repository_name', 'export_template_username', 'export_template_password'] as const
  ).map((key) => textOf(environment, key));
  const [repositories, vms] = await Promise.all([manager.repositories.list(signal), manager.vms.list(signal)]);
  const found = resolvedOrThrow(
    'template',
    'export_template_name',
    template ?? '',
    resolve(named(vms.filter(({ vmRunState }) => vmRunState === 'TEMPLATE')), template ?? ''),
  );
  const { id: repositoryId } = resolvedOrThrow(
    'repository',
    'repository_name',
    repository ?? '',
    resolve(named(repositories), repository ?? ''),
  );
  const serverPoolId = vm.serverPoolId?.value ?? found.object.serverPoolId?.value;
  if (serverPoolId === undefined)
    throw new CausewayError(
      'source.unsupported',
      'neither the VM nor the worker template is in a server pool, so that no worker can run',
    );
  return {
    templateId: found.id,
    repositoryId,
    serverPoolId,
    username: username ?? '',
    password: password ?? '',
    parameters,
  };
}

function textOf(environment: JsonObject, key: string): string {
  const value = environment[key];
  return typeof value === 'string' && value !== ''
    ? value
    : missing(
        key,
        `${key} is not set: without an exporter service on the VM's server, a temporary worker reads the disks`,
      );
}
