import { z } from 'zod';
import { field } from '../field-meta.ts';
import { guestFirmware, guestOsType } from '../shapes/guest.ts';
import { localPath } from '../shapes/values.ts';

export const source = z.strictObject({
  os_type: guestOsType('OS type of the guest. If not set, taken from the guest agent or the default of the endpoint.'),
  firmware: guestFirmware('Firmware of the guest. If not set, taken from the QEMU machine if possible.'),
  quiesce: field(z.boolean().optional(), {
    title: 'Freeze file systems',
    help: 'Freeze the file systems through the guest agent while the snapshot is created. Without the guest agent, snapshots are crash-consistent.',
    group: 'Snapshot',
    example: true,
    builtIn: false,
  }),
  guest_agent_socket: field(localPath().optional(), {
    reach: 'socket',
    title: 'Guest agent socket',
    help: 'Path of the Unix socket of the guest agent channel. Used to freeze file systems and to read the OS and the IP addresses of the guest.',
    group: 'Snapshot',
    example: '/run/vms/web-01.qga',
  }),
  bitmap_granularity: field(
    z
      .int()
      .min(512)
      .max(2_147_483_648)
      .refine((value) => Number.isInteger(Math.log2(value)), 'must be a power of two')
      .optional(),
    {
      title: 'Granularity of change tracking',
      help: 'Bytes that one bit of the dirty bitmap covers. A smaller value sends less data but needs more memory in QEMU. Only used when the bitmap is created.',
      group: 'Change tracking',
      unit: 'bytes',
      example: 65_536,
      builtIn: 65_536,
    },
  ),
});

export type QemuHypervisorSource = z.infer<typeof source>;
