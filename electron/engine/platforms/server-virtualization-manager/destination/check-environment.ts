import type { JsonObject } from '../../../../../shared/model/json.ts';
import type { Vm } from '../../../../../shared/model/vm.ts';
import type { Finding } from '../../../../../shared/schema/finding.ts';
import {
  checkImagesGiven,
  checkNetworksMapped,
  namedTypes,
  pointer,
  readForCheck,
  reportInto,
  reportUnresolved,
} from '../../../cloud-resources/environment-checks.ts';
import { resolve } from '../../../cloud-resources/resolve-reference.ts';
import type { Manager } from '../client/open-manager.ts';
import { asNamed, isTemplate, readEnvironment } from './environment.ts';

/** More emulated disks than this a VM cannot boot with. */
const mostEmulatedDisks = 4;

/** Everything about an environment that only the manager can tell. All findings in one go; nothing is created or changed. */
export async function checkEnvironment(
  manager: Manager,
  environment: JsonObject,
  vm: Vm,
  signal: AbortSignal,
): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  const report = reportInto('server-virtualization-manager', findings);
  const effective = readForCheck(() => readEnvironment(environment), report);
  if (effective === undefined) return findings;
  const [networks, repositories, pools, vms, types] = await Promise.all([
    manager.networks.list(signal),
    manager.repositories.list(signal),
    manager.serverPools.list(signal),
    manager.vms.list(signal),
    manager.osTypes(signal),
  ]);
  for (const [source, wanted] of Object.entries(effective.network_map))
    reportUnresolved(report, pointer('network_map', source), 'network', wanted, resolve(networks.map(asNamed), wanted));
  checkNetworksMapped(effective.network_map, '/network_map', vm, report);
  const names = [
    ['/server_pool_name', 'server pool', effective.server_pool_name, pools],
    ['/repository_name', 'repository', effective.repository_name, repositories],
    ...namedTypes(effective.storage_mappings, 'storage_mappings').map(
      ([path, wanted]) => [path, 'repository', wanted, repositories] as const,
    ),
  ] as const;
  for (const [path, kind, wanted, known] of names) {
    if (wanted === undefined) report('error', '', 'parameter-missing', `${path.slice(1)} is not set`);
    else reportUnresolved(report, path, kind, wanted, resolve(known.map(asNamed), wanted));
  }
  const templates = Object.fromEntries(
    Object.entries(effective.migr_template_name_map).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string',
    ),
  );
  checkImagesGiven(templates, '/migr_template_name_map', vm, report);
  for (const [os, wanted] of Object.entries(templates))
    reportUnresolved(
      report,
      pointer('migr_template_name_map', os),
      'template',
      wanted,
      resolve(vms.filter(isTemplate).map(asNamed), wanted),
    );
  for (const key of ['migr_template_username_map', 'migr_template_password_map'] as const) {
    for (const os of ['linux', ...(templates['windows'] === undefined ? [] : ['windows'])] as const) {
      if (effective[key][os as 'linux' | 'windows'] === undefined)
        report(
          'error',
          `/${key}`,
          'parameter-missing',
          `${key} has no entry for ${os}: Causeway signs in to workers with it`,
        );
    }
  }
  if (effective.os_label !== undefined && types.length > 0 && !types.includes(effective.os_label)) {
    report(
      'warning',
      '/os_label',
      'os-label',
      `the manager does not know the operating system "${effective.os_label}"; it knows: ${types.slice(0, 10).join(', ')}`,
    );
  }
  if (vm.firmware === 'uefi')
    report(
      'error',
      '',
      'no-uefi',
      `VM ${vm.name} boots with UEFI, and the platform only has BIOS: convert the guest first`,
    );
  if (vm.disks.length > mostEmulatedDisks) {
    report(
      'warning',
      '',
      'disk-count',
      `the VM has ${vm.disks.length} disks; a guest without Xen drivers sees the first ${mostEmulatedDisks}`,
    );
  }
  return findings;
}
