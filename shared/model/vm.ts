import { z } from 'zod';

/**
 * The portable description of a VM, as a source platform gives it and as the `vm` part of an environment document
 * carries it. Sizes in bytes unless the name says otherwise. Snake case, because people write it by hand.
 */
export const diskSchema = z.strictObject({
  id: z.string().min(1),
  size_bytes: z.int().nonnegative(),
  storage_backend: z.string().optional(),
  /** Bus on the source, e.g. ide, sata, scsi, virtio. */
  bus: z.string().optional(),
  bootable: z.boolean().optional(),
});

export const nicSchema = z.strictObject({
  id: z.string().min(1),
  network: z.string(),
  mac_address: z.string().optional(),
  ip_addresses: z.array(z.string()).optional(),
});

export const vmSchema = z.strictObject({
  id: z.string().min(1),
  name: z.string().min(1),
  os_type: z.enum(['linux', 'windows']),
  firmware: z.enum(['bios', 'uefi']).optional(),
  secure_boot: z.boolean().optional(),
  vcpus: z.int().positive().optional(),
  memory_mb: z.int().positive().optional(),
  disks: z.array(diskSchema),
  nics: z.array(nicSchema),
});

export type Disk = z.infer<typeof diskSchema>;
export type Nic = z.infer<typeof nicSchema>;
export type Vm = z.infer<typeof vmSchema>;
