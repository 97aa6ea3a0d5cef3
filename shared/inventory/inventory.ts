import { z } from 'zod';
import { vmSchema } from '../model/vm.ts';

const date = z.iso.datetime();

/** What the last import said of a machine in comparison with the one before. */
export const machineStates = ['new', 'changed', 'same', 'gone'] as const;

/** What people or the source say of a machine beside its hardware, by which machines are put together. */
export const machineLabels = ['application', 'owner', 'cluster', 'host', 'folder', 'tags', 'annotation'] as const;
export type MachineLabel = (typeof machineLabels)[number];
const label = z.string().max(500).optional();

export const inventoryMachineSchema = z.strictObject({
  vm: vmSchema,
  power: z.enum(['running', 'stopped', 'unknown']),
  labels: z
    .strictObject({
      application: label,
      owner: label,
      cluster: label,
      host: label,
      folder: label,
      tags: label,
      annotation: label,
    })
    .optional(),
});
export type InventoryMachine = z.infer<typeof inventoryMachineSchema>;

export const keptMachineSchema = inventoryMachineSchema.extend({
  state: z.enum(machineStates),
  /** The import that first said so. */
  since: date,
  /** What differs from the import before, in words; there when it changed. */
  changes: z.array(z.string()).optional(),
});
export type KeptMachine = z.infer<typeof keptMachineSchema>;

/** A list of machines that was imported: from a file, or from an endpoint. Its name tells lists apart. */
export const inventorySchema = z.strictObject({
  name: z.string().trim().min(1).max(100),
  origin: z.strictObject({
    kind: z.enum(['file', 'endpoint']),
    /** The file's name, or the endpoint's. */
    name: z.string().max(1000),
  }),
  importedAt: date,
  machines: z.array(keptMachineSchema).max(100_000),
});
export type Inventory = z.infer<typeof inventorySchema>;
export type InventoryOrigin = Inventory['origin'];

/** Of all disks. */
export function machineBytes({ vm }: InventoryMachine): number {
  return vm.disks.reduce((sum, { size_bytes: size }) => sum + size, 0);
}
