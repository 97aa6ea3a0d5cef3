import { z } from 'zod';
import { field } from '../field-meta.ts';

/** What a source that only sees disks can't tell about the guest. */
export const guestOsType = (help: string) =>
  field(z.enum(['linux', 'windows']).optional(), {
    title: 'Guest OS type',
    help,
    group: 'Guest',
    example: 'linux',
    builtIn: 'linux',
  });

export const guestFirmware = (help: string) =>
  field(z.enum(['bios', 'uefi']).optional(), {
    title: 'Guest firmware',
    help,
    group: 'Guest',
    example: 'uefi',
    builtIn: 'bios',
  });
