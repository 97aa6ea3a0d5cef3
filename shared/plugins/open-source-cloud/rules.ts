import { isJsonObject } from '../../model/json.ts';
import type { Rule } from '../../validation/rule.ts';
import { catalogRules } from '../rules/catalog-names.ts';
import { noEffectUnless } from '../rules/conditional-keys.ts';
import { noRetiredImages } from '../rules/end-of-life.ts';
import { isOn, textAt, type Path } from '../rules/environment-view.ts';
import { addressInRange } from '../rules/fixed-addresses.ts';
import { machineTypeFits } from '../rules/machine-size.ts';
import { everyNicMapped } from '../rules/network-map.ts';
import { storageMappingRules } from '../rules/storage-mapping-entries.ts';
import { workerMapCovers, workerVolumeHoldsImage } from '../rules/worker-images.ts';
import { destination } from './destination.ts';

const plugin = 'open-source-cloud';
const exportOption = (key: string): Path => ['service_backups_options', key];

export const sourceRules: readonly Rule[] = [
  noEffectUnless(`${plugin}/container-has-no-effect`, {
    keys: [['objectstore_backups_options', 'volume_backups_container']],
    hasEffect: (environment) => environment['replica_export_mechanism'] === 'objectstore_backups',
    because: 'it is only used when replica_export_mechanism is objectstore_backups',
  }),
  noEffectUnless(`${plugin}/service-backups-options-have-no-effect`, {
    keys: [['service_backups_options']],
    hasEffect: (environment) => [undefined, 'service_backups'].includes(textAt(environment, ['replica_export_mechanism'])),
    because: 'replica_export_mechanism is not service_backups',
  }),
  noEffectUnless(`${plugin}/export-volume-has-no-effect`, {
    keys: [exportOption('export_worker_volume_type'), exportOption('export_worker_volume_size')],
    hasEffect: (environment) => isOn(environment, exportOption('export_worker_boot_from_volume')),
    because: 'export_worker_boot_from_volume is not set',
  }),
  noEffectUnless(`${plugin}/export-fip-pool-has-no-effect`, {
    keys: [exportOption('export_fip_pool_name')],
    hasEffect: (environment) => isOn(environment, exportOption('export_worker_use_fip')),
    because: 'export_worker_use_fip is not set',
  }),
  noRetiredImages(plugin, [['service_backups_options', 'export_image']]),
];

export const destinationRules: readonly Rule[] = [
  everyNicMapped(plugin, false),
  ...storageMappingRules(plugin, 'storage_mappings'),
  noEffectUnless(`${plugin}/image-map-overridden`, {
    keys: [['migr_image_map']],
    hasEffect: (environment) => textAt(environment, ['migr_image']) === undefined,
    because: 'migr_image overrides it',
    suggestion: 'Leave one of the two out.',
  }),
  noEffectUnless(`${plugin}/worker-volume-has-no-effect`, {
    keys: [['migr_worker_volume_size'], ['migr_worker_volume_type']],
    hasEffect: (environment) => isOn(environment, ['migr_worker_boot_from_volume']),
    because: 'migr_worker_boot_from_volume is not set',
  }),
  noEffectUnless(`${plugin}/worker-fip-pool-has-no-effect`, {
    keys: [['migr_fip_pool_name']],
    hasEffect: (environment) => isOn(environment, ['migr_worker_use_fip']),
    because: 'migr_worker_use_fip is not set',
  }),
  noEffectUnless(`${plugin}/floating-ip-pool-has-no-effect`, {
    keys: [['floating_ip_pool']],
    hasEffect: (environment) => isOn(environment, ['use_floating_ip']),
    because: 'use_floating_ip is not set',
  }),
  {
    id: `${plugin}/one-image-for-windows`,
    *check({ vm, effective }) {
      if (vm?.os_type !== 'windows' || textAt(effective, ['migr_image']) === undefined) return;
      yield {
        severity: 'warning',
        at: ['migr_image'],
        message: 'migr_image is used for both workers of a Windows VM, but the disk copy worker runs Linux and the OSMorphing worker Windows.',
        suggestion: 'Give migr_image_map with linux and windows instead.',
      };
    },
  },
  {
    id: `${plugin}/tag-form`,
    *check({ environment }) {
      const tags = environment['instance_tags'];
      if (!isJsonObject(tags)) return;
      for (const [key, value] of Object.entries(tags)) {
        if (key.length <= 255 && (typeof value !== 'string' || value.length <= 255)) continue;
        yield {
          severity: 'warning',
          at: ['instance_tags', key],
          message: 'Keys and values of tags are cut off or refused beyond 255 characters.',
        };
      }
    },
  },
  workerMapCovers(plugin, 'migr_image_map', 'migr_image'),
  noRetiredImages(plugin, [['migr_image'], ['migr_image_map', '*']]),
  machineTypeFits(plugin, 'flavor_name'),
  workerVolumeHoldsImage(plugin, {
    size: ['migr_worker_volume_size'],
    images: [['migr_image'], ['migr_image_map', 'linux'], ['migr_image_map', 'windows']],
    inUse: ({ effective }) => isOn(effective, ['migr_worker_boot_from_volume']),
  }),
  addressInRange(plugin, {
    flag: 'preserve_fixed_ips',
    severity: 'warning',
    consequence: 'the port can’t keep it',
  }),
  ...catalogRules(plugin, destination),
];
