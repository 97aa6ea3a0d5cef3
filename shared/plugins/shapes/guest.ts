import { z } from 'zod';
import { field } from '../field-meta.ts';

type Fallback<T> = { readonly builtIn?: T };

/**
 * What a source that only sees disks can't tell about the guest. Only an endpoint has a built-in value: in a VM's
 * environment one would win over what the images or the guest say.
 */
export const guestOsType = (help: string, fallback: Fallback<'linux' | 'windows'> = {}) =>
  field(z.enum(['linux', 'windows']).optional(), {
    title: 'Guest OS type',
    help,
    group: 'Guest',
    example: 'linux',
    ...fallback,
  });

export const guestFirmware = (help: string, fallback: Fallback<'bios' | 'uefi'> = {}) =>
  field(z.enum(['bios', 'uefi']).optional(), {
    title: 'Guest firmware',
    help,
    group: 'Guest',
    example: 'uefi',
    ...fallback,
  });
