import { isJsonObject } from '../../model/json.ts';
import type { Rule } from '../rule.ts';
import { catalogOf, catalogRules } from '../rules/catalog-names.ts';
import { noEffectUnless } from '../rules/conditional-keys.ts';
import { noRetiredImages } from '../rules/end-of-life.ts';
import { isOn, placeInDocument, textAt, valueAt } from '../rules/environment-view.ts';
import {
  addressInRange,
  addressNotReserved,
  furtherAddressesDropped,
  ipv6Dropped,
  staticAddressChanges,
} from '../rules/fixed-addresses.ts';
import { machineTypeFits, shortages } from '../rules/machine-size.ts';
import { namesHaveForm } from '../rules/name-form.ts';
import { everyNicMapped } from '../rules/network-map.ts';
import { storageMappingRules } from '../rules/storage-mapping-entries.ts';
import { neededImages, workerVolumeHoldsImage } from '../rules/worker-images.ts';
import { destination } from './destination.ts';
import { labelRules } from './label-rules.ts';
import { volumesHaveWholeGib } from '../rules/volume-size.ts';
import { quoted } from '../rules/wording.ts';

const plugin = 'european-cloud';
const metadata = 'custom_boot_volume_image_metadata';

const guestRules: readonly Rule[] = [
  {
    id: `${plugin}/worker-image-missing`,
    *check({ vm, effective }) {
      const map = effective['migr_image_map'];
      if (vm === undefined || (map !== undefined && !isJsonObject(map))) return;
      for (const os of neededImages(vm.os_type)) {
        if (map?.[os] !== undefined) continue;
        yield {
          // A Windows guest can be prepared from outside as well.
          severity: os === 'linux' ? 'error' : 'warning',
          at: map === undefined ? ['migr_image_map'] : ['migr_image_map', os],
          message:
            os === 'linux'
              ? 'The Linux worker image is missing: the disk copy worker always uses it.'
              : 'The Windows worker image is missing: the Linux worker prepares the guest offline.',
          suggestion: `Add migr_image_map.${os} with the name or ID of an image.`,
        };
      }
    },
  },
  {
    id: `${plugin}/windows-needs-machine-type`,
    *check({ vm, effective }) {
      if (vm?.os_type !== 'windows' || effective['machine_type'] !== undefined) return;
      yield {
        severity: 'error',
        at: ['machine_type'],
        message: 'A Windows guest needs an explicit machine type: Windows-compatible types cannot be detected.',
        suggestion: 'Set machine_type to a Windows-compatible type.',
      };
    },
  },
  {
    id: `${plugin}/no-machine-type-fits`,
    *check(context) {
      const { vm, effective } = context;
      const types = catalogOf(context, plugin)?.machine_types;
      if (
        vm === undefined ||
        types === undefined ||
        effective['machine_type'] !== undefined ||
        vm.os_type === 'windows'
      )
        return;
      if (types.some((type) => shortages(type, vm).length === 0)) return;
      yield {
        severity: 'error',
        at: ['machine_type'],
        message: `No machine type of the destination has ${vm.vcpus ?? 'enough'} vCPUs and ${vm.memory_mb ?? 'enough'} MB of memory.`,
        suggestion: 'Set machine_type to a smaller type if it is sufficient for the VM.',
      };
    },
  },
];

const metadataRules: readonly Rule[] = [
  {
    id: `${plugin}/disk-bus-overridden`,
    *check({ environment, effective }) {
      const bus = environment['disk_bus'];
      const onBootVolume = valueAt(effective, [metadata, 'disk_bus']);
      if (bus === undefined || onBootVolume === undefined || bus === onBootVolume) return;
      yield {
        severity: 'warning',
        at: ['disk_bus'],
        message: `${metadata}.disk_bus overrides disk_bus on the boot volume: it gets ${quoted(onBootVolume)}, other volumes ${quoted(bus)}.`,
      };
    },
  },
  {
    id: `${plugin}/metadata-contradicts-vm`,
    *check({ vm, environment }) {
      if (vm === undefined) return;
      const os = valueAt(environment, [metadata, 'operating_system']);
      if ((os === 'linux' || os === 'windows') && os !== vm.os_type) {
        yield {
          severity: 'warning',
          at: [metadata, 'operating_system'],
          message: `The OS type of the guest is ${vm.os_type}, but operating_system of the boot volume is ${os}.`,
        };
      }
      const uefi = valueAt(environment, [metadata, 'uefi']);
      if (typeof uefi === 'boolean' && vm.firmware !== undefined && uefi !== (vm.firmware === 'uefi')) {
        yield {
          severity: 'warning',
          at: [metadata, 'uefi'],
          message: `The guest boots with ${vm.firmware.toUpperCase()}, but its boot volume is set to ${uefi ? 'UEFI' : 'BIOS'}: it will probably not boot.`,
        };
      }
    },
  },
  {
    id: `${plugin}/secure-boot-needs-uefi`,
    *check({ effective, environment, vm }) {
      if (valueAt(environment, [metadata, 'secure_boot']) !== true) return;
      const uefi =
        valueAt(effective, [metadata, 'uefi']) ?? (vm?.firmware === undefined ? undefined : vm.firmware === 'uefi');
      if (uefi !== false) return;
      yield { severity: 'warning', at: [metadata, 'secure_boot'], message: 'Secure boot has no effect without UEFI.' };
    },
  },
];

const networkRules: readonly Rule[] = [
  ipv6Dropped(plugin, 'preserve_fixed_ips'),
  furtherAddressesDropped(plugin, 'preserve_fixed_ips'),
  addressInRange(plugin, {
    flag: 'preserve_fixed_ips',
    severity: 'error',
    consequence: 'it cannot be kept',
  }),
  addressNotReserved(plugin, 'preserve_fixed_ips', 2),
  staticAddressChanges(plugin),
];

const nameRules: readonly Rule[] = [
  namesHaveForm(plugin, 'name-form', {
    patterns: [
      ['network_map', '*'],
      ['migr_network'],
      ['security_groups', '*'],
      ['affinity_group'],
      ['migr_image_map', '*'],
    ],
    severity: 'warning',
    what: 'a valid name or ID: use letters, digits, inner spaces and / . _ - only, at most 127 characters',
    isRight: (text) =>
      text.length <= 127 && /^[A-Za-z0-9 /._-]+$/.test(text) && /^[A-Za-z0-9]/.test(text) && /[A-Za-z0-9]$/.test(text),
  }),
  namesHaveForm(plugin, 'keypair-form', {
    patterns: [['keypair_name']],
    severity: 'warning',
    what: 'a valid key pair name: use letters, digits and @ . _ - only, at most 127 characters',
    isRight: (text) => /^[A-Za-z0-9@._-]{1,127}$/.test(text),
  }),
  {
    id: `${plugin}/iso-with-digest`,
    *check({ environment, effective }) {
      const url = textAt(effective, ['windows_virtio_iso_url']);
      const hash = url?.indexOf('#') ?? -1;
      if (url === undefined || hash < 0) return;
      yield {
        severity: 'error',
        at: placeInDocument(environment, { path: ['windows_virtio_iso_url'], value: url }),
        message:
          'windows_virtio_iso_url must not end with a digest or another fragment (#…): only parts of the ISO are read, so its digest cannot be checked.',
        suggestion: `Write ${quoted(url.slice(0, hash))}.`,
        ...(environment['windows_virtio_iso_url'] === url
          ? { fix: { kind: 'set-value', value: url.slice(0, hash) } as const }
          : {}),
      };
    },
  },
];

export const destinationRules: readonly Rule[] = [
  everyNicMapped(plugin, true),
  ...nameRules,
  volumesHaveWholeGib(plugin),
  ...guestRules,
  {
    id: `${plugin}/storage-mapping-empty`,
    *check({ environment }) {
      const mapping = environment['storage_mappings'];
      if (!isJsonObject(mapping)) return;
      if (['default', 'backend_mappings', 'disk_mappings'].some((key) => mapping[key] !== undefined)) return;
      yield {
        severity: 'warning',
        at: ['storage_mappings'],
        message: 'storage_mappings is empty: the platform uses its default class.',
        suggestion: 'Remove storage_mappings, or add default, backend_mappings or disk_mappings.',
      };
    },
  },
  ...storageMappingRules(plugin, 'storage_mappings'),
  noEffectUnless(`${plugin}/keypair-has-no-effect`, {
    keys: [['keypair_name']],
    hasEffect: (environment) => !isOn(environment, ['retain_user_credentials']),
    because: 'retain_user_credentials is set, so the guest initialization agent installs no key',
    suggestion: 'Remove keypair_name, or set retain_user_credentials to false.',
  }),
  ...metadataRules,
  ...networkRules,
  ...labelRules,
  noRetiredImages(plugin, [['migr_image_map', '*']]),
  {
    id: `${plugin}/project-id-form`,
    *check({ environment }) {
      const project = textAt(environment, ['project']);
      if (project === undefined || /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(project)) return;
      yield {
        severity: 'warning',
        at: ['project'],
        message: `${quoted(project)} does not look like a project ID (a UUID). Enter the ID, not the name.`,
      };
    },
  },
  machineTypeFits(plugin, 'machine_type'),
  workerVolumeHoldsImage(plugin, {
    size: ['migr_worker_volume_size'],
    images: [
      ['migr_image_map', 'linux'],
      ['migr_image_map', 'windows'],
    ],
  }),
  ...catalogRules(plugin, destination),
];
