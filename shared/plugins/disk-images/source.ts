import { z } from 'zod';
import { field } from '../field-meta.ts';
import { guestFirmware, guestOsType } from '../shapes/guest.ts';
import { text } from '../shapes/values.ts';

/** What the images leave open, for one VM. Values given here win over what an OVF says. */
export const source = z.strictObject({
  os_type: guestOsType('OS type of the guest, if the images do not specify it correctly.'),
  firmware: guestFirmware('Firmware of the guest, if the images do not specify it correctly.'),
  vcpus: field(z.int().min(1).max(1024).optional(), {
    title: 'Virtual CPUs',
    help: 'Number of virtual CPUs that the VM needs. Used to select a machine type if none is set.',
    group: 'Guest',
    example: 2,
  }),
  memory_mb: field(z.int().min(1).optional(), {
    title: 'Memory',
    help: 'Memory that the VM needs. Used to select a machine type if none is set.',
    group: 'Guest',
    unit: 'MB',
    example: 4096,
  }),
  network: field(text().optional(), {
    title: 'Network of the NIC',
    help: 'Plain images describe no NICs. The VM gets one NIC on a source network with this name, which the network map can refer to.',
    group: 'Guest',
    example: 'VM Network',
    builtIn: 'default',
  }),
  digest_block_size: field(
    z
      .int()
      .min(4)
      .max(16_384)
      .refine((value) => (value & (value - 1)) === 0, 'must be a power of two')
      .optional(),
    {
      title: 'Size of a compared block',
      help: 'Images have no change tracking: later executions find changes by comparing digests of blocks of this size. Smaller blocks send less data but use more memory.',
      group: 'Change tracking',
      unit: 'KiB',
      example: 64,
      builtIn: 64,
    },
  ),
});

export type DiskImagesSource = z.infer<typeof source>;
