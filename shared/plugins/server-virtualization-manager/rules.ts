import { isJsonObject } from '../../model/json.ts';
import type { Rule } from '../rule.ts';
import { nearestSpelling } from '../../schema/spelling.ts';
import { catalogRules } from '../rules/catalog-names.ts';
import { noRetiredImages } from '../rules/end-of-life.ts';
import { textAt } from '../rules/environment-view.ts';
import { noUefi } from '../rules/firmware.ts';
import { keysAreSet } from '../rules/incomplete.ts';
import { everyNicMapped } from '../rules/network-map.ts';
import { plainTextSecrets } from '../rules/plain-text-secrets.ts';
import { storageMappingRules } from '../rules/storage-mapping-entries.ts';
import { workerMapCovers } from '../rules/worker-images.ts';
import { cloneTypes } from './clone-type.ts';
import { destination } from './destination.ts';
import { source } from './source.ts';
import { didYouMean, quoted } from '../rules/wording.ts';

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
      message: `${quoted(value)} is not a known cloning method (${cloneTypes.join(', ')}).`,
      ...didYouMean(nearest),
    };
  },
};

export const sourceRules: readonly Rule[] = [
  knownCloneType,
  keysAreSet(plugin, 'export-worker-incomplete', [
    { path: ['repository_name'], because: 'temporary export VMs need a repository' },
    { path: ['export_template_name'], because: 'temporary export VMs are cloned from a template' },
    { path: ['export_template_username'], because: 'SSH to the export VM needs a user name' },
    { path: ['export_template_password'], because: 'SSH to the export VM needs a password' },
  ]),
  noUefi(plugin),
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
        const credentials = environment[key] === undefined ? {} : environment[key];
        if (!isJsonObject(credentials)) continue;
        for (const os of ['linux', 'windows']) {
          if (templates[os] === undefined && credentials[os] !== undefined) {
            yield {
              severity: 'warning',
              at: [key, os],
              message: `${key}.${os} has no effect: there is no template for ${os}.`,
            };
          }
          if (templates[os] !== undefined && credentials[os] === undefined) {
            yield {
              severity: 'warning',
              at: environment[key] === undefined ? [key] : [key, os],
              message: `${key} has no entry for the ${os} template.`,
              suggestion: `Add ${key}.${os}, which is needed to sign in to the worker.`,
            };
          }
        }
      }
    },
  },
  keysAreSet(plugin, 'destination-incomplete', [
    { path: ['server_pool_name'], because: 'migrated VMs and temporary workers need a server pool' },
    { path: ['repository_name'], because: 'migrated VMs are stored in a repository' },
    { path: ['migr_template_name_map'], because: 'temporary workers are cloned from templates' },
  ]),
  workerMapCovers(plugin, 'migr_template_name_map'),
  noRetiredImages(plugin, [['migr_template_name_map', '*']]),
  noUefi(plugin),
  plainTextSecrets(plugin, destination),
  ...catalogRules(plugin, destination),
];
