import { isJsonObject, type JsonValue } from '../../model/json.ts';
import type { Rule } from '../rule.ts';
import { catalogRules } from '../rules/catalog-names.ts';
import { noEffectUnless } from '../rules/conditional-keys.ts';
import { noRetiredImages, retiredImage } from '../rules/end-of-life.ts';
import { expand, textAt } from '../rules/environment-view.ts';
import { addressInRange, furtherAddressesDropped, ipv6Dropped } from '../rules/fixed-addresses.ts';
import { machineTypeFits, sizeTakesAllDisks } from '../rules/machine-size.ts';
import { everyNicMapped } from '../rules/network-map.ts';
import { storageMappingRules } from '../rules/storage-mapping-entries.ts';
import { builtInImages, destination } from './destination.ts';
import { volumesHaveWholeGib } from '../rules/volume-size.ts';
import { didYouMean, quoted } from '../rules/wording.ts';
import { diskRules } from './disk-rules.ts';
import { destinationNames, placementNames } from './name-rules.ts';

const plugin = 'resource-group-cloud';

const accountTypes = [
  'Standard_LRS',
  'StandardSSD_LRS',
  'StandardSSD_ZRS',
  'Premium_LRS',
  'Premium_ZRS',
  'PremiumV2_LRS',
  'UltraSSD_LRS',
];

const blobNames: readonly Rule[] = [
  noEffectUnless(`${plugin}/container-without-account`, {
    keys: [['storage_container_name']],
    hasEffect: (environment) => textAt(environment, ['storage_account_name']) !== undefined,
    because: 'storage_account_name is not set, and the container belongs to that account',
  }),
  {
    id: `${plugin}/storage-name-form`,
    *check({ environment }) {
      const account = textAt(environment, ['storage_account_name']);
      if (account !== undefined && !/^[a-z0-9]{3,24}$/.test(account)) {
        yield {
          severity: 'warning',
          at: ['storage_account_name'],
          message: 'Storage account names have 3 to 24 lowercase letters and digits.',
        };
      }
      const container = textAt(environment, ['storage_container_name']);
      if (
        container !== undefined &&
        (!/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(container) || container.length < 3 || container.length > 63)
      ) {
        yield {
          severity: 'warning',
          at: ['storage_container_name'],
          message: 'Container names have 3 to 63 lowercase letters and digits, with single hyphens between them.',
        };
      }
    },
  },
];

const sameImage = (
  one: JsonValue,
  other: { readonly publisher: string; readonly offer: string; readonly sku: string },
) =>
  isJsonObject(one) && one['publisher'] === other.publisher && one['offer'] === other.offer && one['sku'] === other.sku;
const isBuiltIn = (image: JsonValue) => Object.values(builtInImages).some((builtIn) => sameImage(image, builtIn));

export const sourceRules: readonly Rule[] = [
  ...blobNames,
  ...placementNames(plugin, [['export_worker_size']]),
  noRetiredImages(plugin, [['export_worker_image']], isBuiltIn),
];

export const destinationRules: readonly Rule[] = [
  everyNicMapped(plugin, false),
  ...storageMappingRules(plugin, 'storage_map'),
  ...blobNames,
  ...placementNames(plugin, [['vm_size'], ['worker_size']]),
  ...destinationNames(plugin),
  ...diskRules(plugin),
  volumesHaveWholeGib(plugin),
  {
    id: `${plugin}/storage-account-type`,
    *check({ environment }) {
      const patterns = [['default'], ['backend_mappings', '*', 'destination'], ['disk_mappings', '*', 'destination']];
      for (const { path, value } of patterns.flatMap((pattern) => expand(environment, ['storage_map', ...pattern]))) {
        if (typeof value !== 'string' || value.trim() === '' || accountTypes.includes(value)) continue;
        const nearest =
          accountTypes.find((type) => type.toLowerCase() === value.trim().toLowerCase()) ??
          accountTypes.find((type) => type.split('_')[0]?.toLowerCase() === value.split('_')[0]?.toLowerCase());
        yield {
          severity: 'warning',
          at: path,
          message: `${quoted(value)} is not a known storage account type (${accountTypes.join(', ')}).`,
          ...didYouMean(nearest),
        };
      }
    },
  },
  noRetiredImages(plugin, [['linux_migr_image'], ['windows_migr_image']], isBuiltIn),
  {
    id: `${plugin}/built-in-image-retired`,
    *check({ effective, vm }) {
      for (const key of ['linux_migr_image', 'windows_migr_image'] as const) {
        if (effective[key] !== undefined || (key === 'windows_migr_image' && vm?.os_type !== 'windows')) continue;
        const found = retiredImage(builtInImages[key]);
        if (found === undefined) continue;
        yield {
          severity: 'info',
          at: [key],
          message: `${key} is not set: the default image is ${found.what}, which ${found.when}.`,
        };
      }
    },
  },
  machineTypeFits(plugin, 'vm_size'),
  sizeTakesAllDisks(plugin, 'vm_size'),
  addressInRange(plugin, {
    flag: 'preserve_nic_ips',
    severity: 'warning',
    consequence: 'the NIC gets another address',
  }),
  ipv6Dropped(plugin, 'preserve_nic_ips'),
  furtherAddressesDropped(plugin, 'preserve_nic_ips'),
  ...catalogRules(plugin, destination),
];
