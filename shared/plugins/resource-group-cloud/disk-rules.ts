import type { JsonObject } from '../../model/json.ts';
import type { Rule, VmFacts } from '../rule.ts';
import { expand, placeInDocument, textAt, type Path } from '../rules/environment-view.ts';

/** Storage that the platform offers for data disks only. */
const dataDisksOnly = ['UltraSSD_LRS', 'PremiumV2_LRS'];

/** Series without generation 2, which VMs with UEFI firmware need, as the vendor documents them. */
const generation1Only =
  /^(?:Basic_A\d+|Standard_A\d+m?(?:_v2)?|Standard_D\d+(?:_v[23])?|Standard_E\d+i?_v3|Standard_F\d+|Standard_G\d+|Standard_H\d+m?r?|Standard_NC\d+r?|Standard_NV\d+)$/i;

export function diskRules(plugin: string): readonly Rule[] {
  return [
    {
      id: `${plugin}/page-blobs`,
      *check({ environment }) {
        if (textAt(environment, ['storage_account_name']) === undefined) return;
        yield {
          severity: 'info',
          at: ['storage_account_name'],
          message:
            'Disks are replicated to page blobs. Azure runs no VMs from page blobs any more: when the VM is deployed, managed disks are made of them.',
        };
      },
    },
    {
      id: `${plugin}/os-disk-type`,
      *check({ vm, environment, effective }) {
        const chosen = osDiskStorage(vm, effective);
        if (chosen === undefined || !dataDisksOnly.includes(chosen.type)) return;
        yield {
          severity: 'error',
          at: placeInDocument(environment, { path: chosen.path, value: chosen.type }),
          message: `${chosen.type} cannot hold an OS disk${vm === undefined ? '' : `, and ${chosen.disk} is the OS disk of the VM`}.`,
          suggestion: 'Map the OS disk to Premium_LRS or StandardSSD_LRS with an entry in disk_mappings.',
        };
      },
    },
    {
      id: `${plugin}/size-without-uefi`,
      *check({ vm, environment, effective }) {
        const size = textAt(effective, ['vm_size']);
        if (vm?.firmware !== 'uefi' || size === undefined || !generation1Only.test(size)) return;
        yield {
          severity: 'error',
          at: placeInDocument(environment, { path: ['vm_size'], value: size }),
          message: `${size} does not support generation 2, which a VM with UEFI firmware needs.`,
          suggestion: 'Use a size with generation 2, e.g. Standard_D2s_v5.',
        };
      },
    },
  ];
}

/** The storage account type of the disk that the VM boots from; without a VM, the default's. */
function osDiskStorage(
  vm: VmFacts | undefined,
  effective: JsonObject,
): { readonly type: string; readonly path: Path; readonly disk: string } | undefined {
  const disk = vm?.disks?.find(({ bootable }) => bootable === true) ?? vm?.disks?.[0];
  const entries: readonly (readonly [list: string, member: string, wanted: string | undefined])[] = [
    ['disk_mappings', 'disk_id', disk?.id],
    ['backend_mappings', 'source', disk?.storage_backend],
  ];
  for (const [list, member, wanted] of entries) {
    const found =
      wanted === undefined
        ? undefined
        : expand(effective, ['storage_map', list, '*', member]).find(({ value }) => value === wanted);
    const path = found === undefined ? undefined : [...found.path.slice(0, -1), 'destination'];
    const type = path === undefined ? undefined : textAt(effective, path);
    if (path !== undefined && type !== undefined) return { type, path, disk: disk?.id ?? 'the first disk' };
  }
  const type = textAt(effective, ['storage_map', 'default']);
  return type === undefined
    ? undefined
    : { type, path: ['storage_map', 'default'], disk: disk?.id ?? 'the first disk' };
}
