import { z } from 'zod';
import { field } from '../field-meta.ts';
import { mappingOf, text } from '../shapes/values.ts';
import { serviceBackupsOptions } from './service-backups-options.ts';

export const exportMechanisms = [
  'objectstore_backups',
  'distributed_backups',
  'distributed_snapshots',
  'service_backups',
] as const;

/** What the mechanisms are called elsewhere. */
const otherNames: Readonly<Record<string, (typeof exportMechanisms)[number]>> = {
  swift_backups: 'objectstore_backups',
  ceph_backups: 'distributed_backups',
  ceph_snapshots: 'distributed_snapshots',
  coriolis_backups: 'service_backups',
};

export const source = z.strictObject({
  custom_os_type_map: field(mappingOf(z.enum(['linux', 'windows'])).optional(), {
    title: 'OS type map',
    help: 'Maps the os_type or os_distro of source images to a supported OS type: linux or windows.',
    group: 'Guest',
    example: { redhat: 'linux' },
  }),
  replica_export_mechanism: field(
    z
      .enum(exportMechanisms, {
        // undefined: the usual text for a value that is none of the choices
        error: ({ input }) =>
          typeof input === 'string' && Object.hasOwn(otherNames, input)
            ? `must be ${otherNames[input]}, not ${input}`
            : undefined,
      })
      .optional(),
    {
      title: 'Export mechanism',
      help: 'How disk contents are read: from backups in the object store, from backups or snapshots in the distributed storage, or from volume copies through a temporary worker. Default: service_backups, which is also used instead of the distributed storage where this computer lacks the programs for it.',
      group: 'Export',
      example: 'service_backups',
    },
  ),
  objectstore_backups_options: field(
    z
      .strictObject({
        volume_backups_container: field(text().optional(), {
          title: 'Container of volume backups',
          help: 'Name of the object store container for volume backups. Only used with the mechanism objectstore_backups.',
          group: 'Export',
          example: 'volume-backups',
        }),
      })
      .optional(),
    {
      title: 'Options of object-store backups',
      help: 'Options of the mechanism objectstore_backups.',
      group: 'Export',
      example: { volume_backups_container: 'volume-backups' },
    },
  ),
  service_backups_options: field(serviceBackupsOptions.optional(), {
    title: 'Options of service backups',
    help: 'Options of the mechanism service_backups: the temporary export worker and its network. With distributed_backups and distributed_snapshots they apply where this computer cannot read the storage.',
    group: 'Export',
    example: { export_image: 'ubuntu-24.04-server', export_network: 'admin-net', export_flavor_name: 'm1.small' },
  }),
});
