import type { Rule } from '../rule.ts';
import { catalogRules } from '../rules/catalog-names.ts';
import { noEffectUnless } from '../rules/conditional-keys.ts';
import { noRetiredImages } from '../rules/end-of-life.ts';
import { textAt } from '../rules/environment-view.ts';
import { noUefi } from '../rules/firmware.ts';
import { keysAreSet } from '../rules/incomplete.ts';
import { machineTypeFits } from '../rules/machine-size.ts';
import { namesHaveForm } from '../rules/name-form.ts';
import { everyNicMapped } from '../rules/network-map.ts';
import { storageMappingRules } from '../rules/storage-mapping-entries.ts';
import { volumesHaveWholeGib } from '../rules/volume-size.ts';
import { workerMapCovers } from '../rules/worker-images.ts';
import { destination } from './destination.ts';

const plugin = 'classic-infrastructure-cloud';

/** Names of the platform: plain, or with the account and user that they belong to (/Compute-acme/me@example.com/name). */
const objectName = (patterns: readonly (readonly string[])[]): Rule =>
  namesHaveForm(plugin, 'name-form', {
    patterns,
    severity: 'warning',
    what: 'a valid name: use letters, digits and - _ . @ only, with / between the parts of a full name',
    isRight: (text) => text.length <= 512 && /^\/?[A-Za-z0-9_.@-]+(?:\/[A-Za-z0-9_.@-]+)*$/.test(text),
    correct: (text) => text.trim().replace(/\/+$/, ''),
  });

export const sourceRules: readonly Rule[] = [
  objectName([['export_image_name'], ['export_shape_name']]),
  keysAreSet(plugin, 'export-worker-incomplete', [
    { path: ['export_image_name'], because: 'temporary export VMs need an image' },
    { path: ['export_shape_name'], because: 'temporary export VMs need a shape' },
  ]),
  noUefi(plugin),
  noRetiredImages(plugin, [['export_image_name']]),
];

export const destinationRules: readonly Rule[] = [
  everyNicMapped(plugin, false),
  ...storageMappingRules(plugin, 'storage_mappings'),
  noEffectUnless(`${plugin}/default-pool-overridden`, {
    keys: [['default_volume_pool']],
    hasEffect: (environment) => {
      const byMapping = textAt(environment, ['storage_mappings', 'default']);
      return byMapping === undefined || byMapping === environment['default_volume_pool'];
    },
    because: 'storage_mappings.default already sets the pool for unmapped disks',
  }),
  objectName([
    ['network_map', '*'],
    ['migr_image_map', '*'],
    ['migr_shape_name'],
    ['shape_name'],
    ['default_volume_pool'],
    ['keypair_name'],
  ]),
  keysAreSet(plugin, 'worker-incomplete', [
    { path: ['migr_image_map'], because: 'temporary workers need an image' },
    { path: ['migr_shape_name'], because: 'temporary workers need a shape' },
  ]),
  volumesHaveWholeGib(plugin),
  workerMapCovers(plugin, 'migr_image_map'),
  noRetiredImages(plugin, [['migr_image_map', '*']]),
  noUefi(plugin),
  machineTypeFits(plugin, 'shape_name'),
  ...catalogRules(plugin, destination),
];
