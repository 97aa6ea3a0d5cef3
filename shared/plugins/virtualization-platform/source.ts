import { z } from 'zod';
import { field } from '../field-meta.ts';

export const source = z.strictObject({
  disklib_compatibility_version: field(
    z
      .string({
        error: (issue) =>
          typeof issue.input === 'number' ? 'must be a string: put the version in quotes, e.g. "7.0"' : undefined,
      })
      .regex(/^\d{1,3}\.\d{1,3}$/, 'must have the form <major>.<minor>, e.g. "7.0"')
      .optional(),
    {
      title: 'Disk library version',
      help: 'Platform version that the disk library is initialized for, as <major>.<minor>. Needed if the library would otherwise use a newer protocol than the platform supports.',
      group: 'Disk access',
      example: '7.0',
    },
  ),
  automatically_enable_cbt: field(z.boolean().optional(), {
    title: 'Enable changed block tracking',
    help: 'Try to enable changed block tracking on the VM before its first execution. Without tracking, every execution reads the whole disks.',
    group: 'Change tracking',
    example: true,
  }),
});
