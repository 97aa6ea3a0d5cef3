import { isJsonObject } from '../../model/json.ts';
import type { Rule } from '../../validation/rule.ts';
import { nearestSpelling } from '../../validation/spelling.ts';
import { catalogRules } from '../rules/catalog-names.ts';
import { noRetiredImages } from '../rules/end-of-life.ts';
import { textAt } from '../rules/environment-view.ts';
import { noUefi } from '../rules/firmware.ts';
import { everyNicMapped } from '../rules/network-map.ts';
import { plainTextSecrets } from '../rules/plain-text-secrets.ts';
import { storageMappingRules } from '../rules/storage-mapping-entries.ts';
import { workerMapCovers } from '../rules/worker-images.ts';
import { cloneTypes } from './clone-type.ts';
import { destination } from './destination.ts';
import { source } from './source.ts';
import { quoted } from '../rules/wording.ts';

const plugin = 'server-virtualization-manager';

const knownCloneType: Rule = {
  id: `${plugin}/clone-type`,
  *check({ environment }) {
    const value = textAt(environment, ['virtual_disk_clone_type']);
    if (value === undefined || cloneTypes.includes(value)) return;
    const nearest = nearestSpelling(value.replaceAll(/[- ]/g, '_'), cloneTypes);
    yield {
      severity: 'warning',
      at: ['virtual_disk_clone_type'],
      message: `${quoted(value)} is none of the known cloning methods (${cloneTypes.join(', ')}).`,
      ...(nearest === undefined ? {} : { suggestion: `Did you mean ${nearest}?` }),
    };
  },
};

export const sourceRules: readonly Rule[] = [
  knownCloneType,
  noRetiredImages(plugin, [['export_template_name']]),
  plainTextSecrets(plugin, source),
];

export const destinationRules: readonly Rule[] = [
  everyNicMapped(plugin, false),
  ...storageMappingRules(plugin, 'storage_mappings'),
  knownCloneType,
  {
    id: `${plugin}/template-credentials`,
    *check({ environment, effective }) {
      const templates = effective['migr_template_name_map'];
      if (!isJsonObject(templates)) return;
      for (const key of ['migr_template_username_map', 'migr_template_password_map']) {
        const credentials = environment[key];
        if (!isJsonObject(credentials)) continue;
        for (const os of ['linux', 'windows']) {
          if (templates[os] === undefined && credentials[os] !== undefined) {
            yield { severity: 'warning', at: [key, os], message: `${key}.${os} has no effect: there is no template for ${os}.` };
          }
          if (templates[os] !== undefined && credentials[os] === undefined) {
            yield { severity: 'warning', at: [key, os], message: `${key} has no entry for the template of ${os}.` };
          }
        }
      }
    },
  },
  workerMapCovers(plugin, 'migr_template_name_map'),
  noRetiredImages(plugin, [['migr_template_name_map', '*']]),
  noUefi(plugin),
  plainTextSecrets(plugin, destination),
  ...catalogRules(plugin, destination),
];
