import type { Rule } from '../../validation/rule.ts';
import { catalogRules } from '../rules/catalog-names.ts';
import { noEffectUnless } from '../rules/conditional-keys.ts';
import { expand } from '../rules/environment-view.ts';
import { machineTypeFits } from '../rules/machine-size.ts';
import { everyNicMapped } from '../rules/network-map.ts';
import { storageMappingRules } from '../rules/storage-mapping-entries.ts';
import { workerMapCovers } from '../rules/worker-images.ts';
import { destination } from './destination.ts';
import { quoted } from '../rules/wording.ts';

const plugin = 'compartment-cloud';
const attachmentTypes = ['paravirtualized', 'iscsi', 'emulated'];

/** Keys that take IDs, with the kind of resource that such an ID names. */
const identifiers: readonly (readonly [kind: string, pattern: readonly string[]])[] = [
  ['subnet', ['migr_subnet_id']],
  ['subnet', ['network_map', '*', 'id']],
  ['networksecuritygroup', ['network_map', '*', 'security_groups', '*']],
  ['image', ['migr_image_map', '*']],
];

export const destinationRules: readonly Rule[] = [
  everyNicMapped(plugin, false),
  ...storageMappingRules(plugin, 'storage_mappings'),
  {
    id: `${plugin}/attachment-type`,
    *check({ environment }) {
      const patterns = [['default'], ['backend_mappings', '*', 'destination'], ['disk_mappings', '*', 'destination']];
      for (const { path, value } of patterns.flatMap((pattern) => expand(environment, ['storage_mappings', ...pattern]))) {
        if (typeof value !== 'string' || value.trim() === '' || attachmentTypes.includes(value)) continue;
        yield {
          severity: 'warning',
          at: path,
          message: `${quoted(value)} is none of the known volume attachment types (${attachmentTypes.join(', ')}).`,
        };
      }
    },
  },
  {
    id: `${plugin}/root-disk-mapped`,
    *check({ environment, vm }) {
      const root = vm?.disks.find(({ bootable }) => bootable === true)?.id;
      if (root === undefined) return;
      for (const { path, value } of expand(environment, ['storage_mappings', 'disk_mappings', '*', 'disk_id'])) {
        if (value !== root) continue;
        yield {
          severity: 'warning',
          at: path,
          message: `${root} is the root disk: volume attachment types are not compatible with it, so the entry has no effect.`,
        };
      }
    },
  },
  {
    id: `${plugin}/identifier-form`,
    *check({ environment }) {
      for (const [kind, pattern] of identifiers) {
        for (const { path, value } of expand(environment, pattern)) {
          if (typeof value !== 'string' || value.trim() === '' || value.startsWith(`ocid1.${kind}.`)) continue;
          const other = /^ocid1\.([a-z]+)\./.exec(value)?.[1];
          yield {
            severity: 'warning',
            at: path,
            message:
              other === undefined
                ? `${quoted(value)} does not look like an ID (ocid1.${kind}.…); names are not looked up here.`
                : `${quoted(value)} is the ID of a ${other}, not of a ${kind}.`,
          };
        }
      }
    },
  },
  {
    id: `${plugin}/pv-mode-has-no-effect`,
    *check({ environment, vm }) {
      if (vm?.firmware !== 'uefi' || environment['use_pv_mode'] === undefined) return;
      yield {
        severity: 'warning',
        at: ['use_pv_mode'],
        message: 'use_pv_mode has no effect: it is for instances on BIOS firmware, and the VM starts by UEFI.',
      };
    },
  },
  noEffectUnless(`${plugin}/network-compartment-has-no-effect`, {
    keys: [['vcn_compartment']],
    hasEffect: (environment) => environment['vcn_compartment'] !== environment['compartment'],
    because: 'it is the compartment itself',
  }),
  workerMapCovers(plugin, 'migr_image_map'),
  machineTypeFits(plugin, 'shape_name'),
  ...catalogRules(plugin, destination),
];
