import type { JsonObject } from '../../model/json.ts';
import type { Rule } from '../rule.ts';
import { catalogRules } from '../rules/catalog-names.ts';
import { noEffectUnless } from '../rules/conditional-keys.ts';
import { noRetiredImages } from '../rules/end-of-life.ts';
import { isOn, textAt, type Path } from '../rules/environment-view.ts';
import {
  addressInRange,
  addressNotReserved,
  furtherAddressesDropped,
  ipv6Dropped,
  staticAddressChanges,
} from '../rules/fixed-addresses.ts';
import { floatingIpNeedsNic, floatingIpsHavePool } from '../rules/floating-ips.ts';
import { machineTypeFits } from '../rules/machine-size.ts';
import { namesHaveForm } from '../rules/name-form.ts';
import { everyNicMapped } from '../rules/network-map.ts';
import { storageMappingRules } from '../rules/storage-mapping-entries.ts';
import { volumesHaveWholeGib } from '../rules/volume-size.ts';
import { workerFlavorHoldsImage, workerMapCovers, workerVolumeHoldsImage } from '../rules/worker-images.ts';
import { destination } from './destination.ts';
import { tagRules } from './tag-rules.ts';

const plugin = 'open-source-cloud';
const exportOption = (key: string): Path => ['service_backups_options', key];
const neededForExport = ['export_image', 'export_network', 'export_flavor_name'];
/** These use an export worker where this computer lacks what they need. */
const readsDistributedStorage = (effective: JsonObject): boolean =>
  ['distributed_backups', 'distributed_snapshots'].includes(textAt(effective, ['replica_export_mechanism']) ?? '');
const usesServiceBackups = (effective: JsonObject): boolean =>
  [undefined, 'service_backups'].includes(textAt(effective, ['replica_export_mechanism']));
/** Of the destination, or of one of its kinds alone. */
const workerImages: readonly Path[] = [['migr_image'], ['migr_image_map', 'linux'], ['migr_image_map', 'windows']];

export const sourceRules: readonly Rule[] = [
  noEffectUnless(`${plugin}/container-has-no-effect`, {
    keys: [['objectstore_backups_options', 'volume_backups_container']],
    hasEffect: (environment) => environment['replica_export_mechanism'] === 'objectstore_backups',
    because: 'it is only used when replica_export_mechanism is objectstore_backups',
  }),
  noEffectUnless(`${plugin}/service-backups-options-have-no-effect`, {
    keys: [['service_backups_options']],
    hasEffect: (environment) => usesServiceBackups(environment) || readsDistributedStorage(environment),
    because: 'replica_export_mechanism is objectstore_backups, which needs no export worker',
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
  {
    id: `${plugin}/export-worker-incomplete`,
    // Other layers of a project may give the rest, so that this only warns.
    *check({ effective }) {
      if (!usesServiceBackups(effective)) return;
      const missing = neededForExport.filter((key) => textAt(effective, exportOption(key)) === undefined);
      if (missing.length === 0) return;
      yield {
        severity: 'warning',
        at: ['service_backups_options'],
        message: `service_backups${textAt(effective, ['replica_export_mechanism']) === undefined ? ' (the default)' : ''} uses an export worker, which needs ${missing.join(' and ')}.`,
      };
    },
  },
  {
    id: `${plugin}/no-distributed-storage`,
    *check({ effective, connection }) {
      if (!readsDistributedStorage(effective)) return;
      if (connection === undefined || connection['ceph_options'] !== undefined) return;
      yield {
        severity: 'warning',
        at: ['replica_export_mechanism'],
        message: `${textAt(effective, ['replica_export_mechanism']) ?? ''} reads from the distributed storage, but the endpoint has no ceph_options: only a configuration in the default location on this computer can be used.`,
        suggestion: 'Set ceph_options on the endpoint, or choose another mechanism.',
      };
    },
  },
  floatingIpsHavePool(`${plugin}/export-fip-pool-missing`, plugin, {
    flag: exportOption('export_worker_use_fip'),
    pool: exportOption('export_fip_pool_name'),
    inCatalog: false,
  }),
  // The interface itself asks for an image of this version.
  noRetiredImages(
    plugin,
    [['service_backups_options', 'export_image']],
    (image) => typeof image === 'string' && /ubuntu\D{0,24}18[._]?04(?!\d)|\bbionic\b/i.test(image),
  ),
  namesHaveForm(plugin, 'container-form', {
    patterns: [['objectstore_backups_options', 'volume_backups_container']],
    severity: 'error',
    what: 'a valid container name: use at most 256 characters and no /',
    isRight: (text) => text.length <= 256 && !text.includes('/'),
    correct: (text) => text.trim().replaceAll(/^\/+|\/+$/g, ''),
  }),
];

export const destinationRules: readonly Rule[] = [
  everyNicMapped(plugin, false),
  ...storageMappingRules(plugin, 'storage_mappings'),
  noEffectUnless(`${plugin}/image-map-overridden`, {
    keys: [['migr_image_map']],
    hasEffect: (environment) => textAt(environment, ['migr_image']) === undefined,
    because: 'migr_image overrides it',
    suggestion: 'Remove one of them.',
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
        message:
          'migr_image applies to both workers of a Windows VM, but the disk copy worker needs Linux and the OSMorphing worker needs Windows.',
        suggestion: 'Use migr_image_map with linux and windows instead.',
      };
    },
  },
  namesHaveForm(plugin, 'name-length', {
    patterns: [
      ['network_map', '*'],
      ['flavor_name'],
      ['keypair_name'],
      ['security_groups', '*'],
      ['migr_image'],
      ['migr_image_map', '*'],
      ['migr_network'],
      ['migr_flavor_name'],
      ['server_group'],
    ],
    severity: 'error',
    what: 'a valid name or ID: use at most 255 characters and no control characters',
    isRight: (text) => text.length <= 255 && !/\p{Cc}/u.test(text),
  }),
  volumesHaveWholeGib(plugin),
  ...tagRules,
  {
    id: `${plugin}/worker-incomplete`,
    // Other layers of a project may give the rest, so that this only warns.
    *check({ effective }) {
      const missing: readonly (readonly [key: string, isMissing: boolean])[] = [
        ['migr_network', textAt(effective, ['migr_network']) === undefined],
        ['migr_flavor_name', textAt(effective, ['migr_flavor_name']) === undefined],
        [
          'migr_image_map',
          effective['migr_image_map'] === undefined && textAt(effective, ['migr_image']) === undefined,
        ],
      ];
      for (const [key, isMissing] of missing) {
        if (isMissing)
          yield {
            severity: 'warning',
            at: [key],
            message: `${key} is not set${key === 'migr_image_map' ? ', and neither is migr_image' : ''}: temporary workers cannot be started without it.`,
          };
      }
    },
  },
  floatingIpsHavePool(`${plugin}/worker-fip-pool-missing`, plugin, {
    flag: ['migr_worker_use_fip'],
    pool: ['migr_fip_pool_name'],
    inCatalog: true,
  }),
  floatingIpsHavePool(`${plugin}/floating-ip-pool-missing`, plugin, {
    flag: ['use_floating_ip'],
    pool: ['floating_ip_pool'],
    inCatalog: true,
  }),
  floatingIpNeedsNic(plugin, 'use_floating_ip'),
  workerMapCovers(plugin, 'migr_image_map', 'migr_image'),
  noRetiredImages(plugin, [['migr_image'], ['migr_image_map', '*']]),
  machineTypeFits(plugin, 'flavor_name'),
  workerVolumeHoldsImage(plugin, {
    size: ['migr_worker_volume_size'],
    images: workerImages,
    inUse: ({ effective }) => isOn(effective, ['migr_worker_boot_from_volume']),
  }),
  workerFlavorHoldsImage(plugin, {
    flavor: 'migr_flavor_name',
    images: workerImages,
    bootFromVolume: 'migr_worker_boot_from_volume',
  }),
  addressInRange(plugin, {
    flag: 'preserve_fixed_ips',
    severity: 'error',
    consequence: 'the port cannot keep it, and the deployment fails',
  }),
  addressNotReserved(plugin, 'preserve_fixed_ips', 0),
  ipv6Dropped(plugin, 'preserve_fixed_ips'),
  furtherAddressesDropped(plugin, 'preserve_fixed_ips'),
  staticAddressChanges(plugin),
  ...catalogRules(plugin, destination),
];
