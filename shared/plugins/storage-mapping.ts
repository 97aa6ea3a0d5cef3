import { z } from 'zod';
import { field, type OptionSource } from './field-meta.ts';
import { text } from './shapes/values.ts';

interface StorageMappingWords {
  /** What a disk is mapped to, in the plugin's terms, e.g. "volume type". */
  readonly target: string;
  readonly optionsFrom?: OptionSource;
  /** Two example targets. */
  readonly examples: readonly [string, string];
}

/** How source disks and storage back ends map to the destination's storage. All plugins share this shape. */
export function storageMapping({ target, optionsFrom, examples }: StorageMappingWords) {
  const group = 'Storage';
  const options = optionsFrom === undefined ? {} : { optionsFrom };
  const destination = field(text(), {
    title: `Destination ${target}`,
    help: `The ${target} for the disks.`,
    group,
    example: examples[1],
    ...options,
  });
  return z.strictObject({
    default: field(text().optional(), {
      title: 'Default',
      help: `The ${target} for disks that no other entry matches.`,
      group,
      example: examples[0],
      ...options,
    }),
    backend_mappings: field(
      z
        .array(
          z.strictObject({
            source: field(text(), {
              title: 'Source back end',
              help: 'Identifier of a storage back end of the source, e.g. a datastore.',
              group,
              example: 'datastore1',
              optionsFrom: 'vm.storage_backends',
            }),
            destination,
          }),
        )
        .optional(),
      {
        title: 'By source back end',
        help: `The ${target} for all disks on a storage back end of the source.`,
        group,
        example: [{ source: 'datastore1', destination: examples[1] }],
      },
    ),
    disk_mappings: field(
      z
        .array(
          z.strictObject({
            disk_id: field(text(), {
              title: 'Source disk',
              help: 'Identifier of one disk of the VM.',
              group,
              example: 'disk-0',
              optionsFrom: 'vm.disks',
            }),
            destination,
          }),
        )
        .optional(),
      {
        title: 'By disk',
        help: `The ${target} for individual disks. Overrides the entry of the storage back end and the default.`,
        group,
        example: [{ disk_id: 'disk-0', destination: examples[1] }],
      },
    ),
  });
}

/** An example of the whole mapping. */
export function storageMappingExample([first, second]: readonly [string, string]) {
  return { default: first, backend_mappings: [{ source: 'datastore1', destination: second }] };
}
