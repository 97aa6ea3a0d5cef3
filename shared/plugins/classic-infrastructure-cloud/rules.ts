import type { Rule } from '../../validation/rule.ts';
import { catalogRules } from '../rules/catalog-names.ts';
import { noEffectUnless } from '../rules/conditional-keys.ts';
import { noRetiredImages } from '../rules/end-of-life.ts';
import { textAt } from '../rules/environment-view.ts';
import { noUefi } from '../rules/firmware.ts';
import { machineTypeFits } from '../rules/machine-size.ts';
import { everyNicMapped } from '../rules/network-map.ts';
import { storageMappingRules } from '../rules/storage-mapping-entries.ts';
import { workerMapCovers } from '../rules/worker-images.ts';
import { destination } from './destination.ts';

const plugin = 'classic-infrastructure-cloud';

export const sourceRules: readonly Rule[] = [noRetiredImages(plugin, [['export_image_name']])];

export const destinationRules: readonly Rule[] = [
  everyNicMapped(plugin, false),
  ...storageMappingRules(plugin, 'storage_mappings'),
  noEffectUnless(`${plugin}/default-pool-overridden`, {
    keys: [['default_volume_pool']],
    hasEffect: (environment) => {
      const byMapping = textAt(environment, ['storage_mappings', 'default']);
      return byMapping === undefined || byMapping === environment['default_volume_pool'];
    },
    because: 'storage_mappings.default already decides where unmapped disks go',
  }),
  workerMapCovers(plugin, 'migr_image_map'),
  noRetiredImages(plugin, [['migr_image_map', '*']]),
  noUefi(plugin),
  machineTypeFits(plugin, 'shape_name'),
  ...catalogRules(plugin, destination),
];
