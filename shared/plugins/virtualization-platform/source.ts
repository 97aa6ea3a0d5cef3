import { z } from 'zod';
import { field } from '../field-meta.ts';

export const source = z.strictObject({
  disklib_compatibility_version: field(
    z
      .string({
        error: (issue) =>
          typeof issue.input === 'number' ? 'must be a text: put the version in quotes, e.g. "7.0"' : undefined,
      })
      .regex(/^\d{1,3}\.\d{1,3}$/, 'must have the form <major>.<minor>, e.g. "7.0"')
      .optional(),
    {
      title: 'Disk library version',
      help: 'Version of the platform for which the disk library is initialised, as <major>.<minor>. Needed when the library would otherwise pick a newer protocol than the platform speaks.',
      group: 'Disk access',
      example: '7.0',
    },
  ),
  automatically_enable_cbt: field(z.boolean().optional(), {
    title: 'Enable changed block tracking',
    help: 'Try to switch changed block tracking on for the VM before its first replication. Without tracking every execution reads whole disks.',
    group: 'Change tracking',
    example: true,
  }),
});
