import { z } from 'zod';
import { field } from '../field-meta.ts';
import { guestFirmware, guestOsType } from '../shapes/guest.ts';
import { localPath } from '../shapes/local-path.ts';

export const source = z.strictObject({
  os_type: guestOsType('What the guest is. If unset, the guest agent is asked, then the endpoint’s default is taken.'),
  firmware: guestFirmware('How the guest starts. If unset, it is taken from the QEMU machine as far as that tells.'),
  quiesce: field(z.boolean().optional(), {
    title: 'Freeze file systems',
    help: 'Ask the guest agent to freeze the file systems while the snapshot is made. Needs the guest agent; without it a snapshot is crash-consistent.',
    group: 'Snapshot',
    example: true,
    builtIn: false,
  }),
  guest_agent_socket: field(localPath().optional(), {
    reach: 'socket',
    title: 'Guest agent socket',
    help: 'Path of the Unix socket of the guest agent’s channel. Used to freeze file systems, and to ask what the guest is and which addresses its cards have: QEMU itself knows neither.',
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
      help: 'Bytes for which one bit of the dirty bitmap stands. Smaller sends less and needs more memory in QEMU. Only used when the bitmap is created.',
      group: 'Change tracking',
      unit: 'bytes',
      example: 65_536,
      builtIn: 65_536,
    },
  ),
});

export type QemuHypervisorSource = z.infer<typeof source>;
