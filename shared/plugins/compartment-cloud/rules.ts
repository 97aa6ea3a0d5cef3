import type { Rule } from '../rule.ts';
import { catalogRules } from '../rules/catalog-names.ts';
import { noEffectUnless } from '../rules/conditional-keys.ts';
import { expand } from '../rules/environment-view.ts';
import { keysAreSet } from '../rules/incomplete.ts';
import { machineTypeFits } from '../rules/machine-size.ts';
import { namesHaveForm } from '../rules/name-form.ts';
import { everyNicMapped } from '../rules/network-map.ts';
import { storageMappingRules } from '../rules/storage-mapping-entries.ts';
import { volumesHaveWholeGib } from '../rules/volume-size.ts';
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
      for (const { path, value } of patterns.flatMap((pattern) =>
        expand(environment, ['storage_mappings', ...pattern]),
      )) {
        if (typeof value !== 'string' || value.trim() === '' || attachmentTypes.includes(value)) continue;
        yield {
          severity: 'warning',
          at: path,
          message: `${quoted(value)} is not a known volume attachment type (${attachmentTypes.join(', ')}).`,
        };
      }
    },
  },
  {
    id: `${plugin}/root-disk-mapped`,
    *check({ environment, vm }) {
      const root = vm?.disks?.find(({ bootable }) => bootable === true)?.id;
      if (root === undefined) return;
      for (const { path, value } of expand(environment, ['storage_mappings', 'disk_mappings', '*', 'disk_id'])) {
        if (value !== root) continue;
        yield {
          severity: 'warning',
          at: path,
          message: `${root} is the root disk, which has no volume attachment type: the entry has no effect.`,
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
                ? `${quoted(value)} does not look like an ID (ocid1.${kind}.…). Enter the ID, not the name.`
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
        message: 'use_pv_mode has no effect: it applies to BIOS firmware, and the VM boots with UEFI.',
      };
    },
  },
  namesHaveForm(plugin, 'availability-domain-form', {
    patterns: [['availability_domain']],
    severity: 'warning',
    what: 'a full availability domain name, e.g. Uocm:EU-FRANKFURT-1-AD-1 (tenancy prefix, region, number)',
    isRight: (text) =>
      /^[A-Za-z0-9]{1,16}:[A-Z0-9-]+-AD-\d$/.test(text) || text.startsWith('ocid1.availabilitydomain.'),
    correct: (text) => text.trim().replace(/:(.*)$/, (part) => part.toUpperCase()),
    remedy: 'The console and `oci iam availability-domain list` show the full name.',
    kind: 'availability_zones',
  }),
  namesHaveForm(plugin, 'shape-form', {
    patterns: [['shape_name'], ['migr_shape_name']],
    severity: 'warning',
    what: 'a valid shape name, e.g. VM.Standard2.1',
    isRight: (text) => /^(?:VM|BM)\.[A-Za-z0-9]+(?:\.[A-Za-z0-9]+)*$/.test(text),
    correct: (text) => text.trim().replace(/^(?:vm|bm)(?=\.)/i, (tier) => tier.toUpperCase()),
    kind: 'machine_types',
  }),
  namesHaveForm(plugin, 'compartment-form', {
    patterns: [['compartment'], ['vcn_compartment']],
    severity: 'warning',
    what: 'a valid compartment name or ID: names have letters, digits and - _ . only, and IDs begin with ocid1.compartment. or ocid1.tenancy.',
    isRight: (text) =>
      text.startsWith('ocid1.') ? /^ocid1\.(?:compartment|tenancy)\./.test(text) : /^[A-Za-z0-9._-]{1,100}$/.test(text),
    kind: 'compartments',
  }),
  keysAreSet(plugin, 'destination-incomplete', [
    { path: ['compartment'], because: 'resources are created in a compartment' },
    { path: ['availability_domain'], because: 'instances and volumes are created in an availability domain' },
    { path: ['network_map'], because: 'NICs need a destination network' },
    { path: ['shape_name'], because: 'the migrated instance needs a shape' },
    { path: ['migr_shape_name'], because: 'temporary workers need a shape' },
    { path: ['migr_subnet_id'], because: 'temporary workers need a subnet' },
    { path: ['migr_image_map'], because: 'temporary workers need an image' },
  ]),
  volumesHaveWholeGib(plugin),
  noEffectUnless(`${plugin}/network-compartment-has-no-effect`, {
    keys: [['vcn_compartment']],
    hasEffect: (environment) =>
      environment['vcn_compartment'] === undefined || environment['vcn_compartment'] !== environment['compartment'],
    because: 'it is the same as compartment',
  }),
  workerMapCovers(plugin, 'migr_image_map'),
  machineTypeFits(plugin, 'shape_name'),
  ...catalogRules(plugin, destination),
];
