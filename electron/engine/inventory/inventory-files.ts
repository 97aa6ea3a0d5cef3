import { join } from 'node:path';
import { inventorySchema, type Inventory } from '../../../shared/inventory/inventory.ts';
import { namedFiles, type NamedFiles } from '../project-files/named-files.ts';

/** The imported lists of a project. */
export type InventoryFiles = NamedFiles<Inventory>;

export function inventoryFiles(projectFolder: string): InventoryFiles {
  return namedFiles({
    folder: join(projectFolder, 'inventory'),
    schema: inventorySchema,
    damaged: 'inventory.file-damaged',
    textOf,
  });
}

/** One machine a line: two people's changes of different machines merge. */
function textOf({ machines, ...rest }: Inventory): string {
  const head = JSON.stringify(rest, undefined, 2).slice(0, -2);
  const sorted = [...machines].sort((a, b) => (a.vm.id < b.vm.id ? -1 : 1));
  return `${head},\n  "machines": [\n${sorted.map((machine) => `    ${JSON.stringify(machine)}`).join(',\n')}\n  ]\n}\n`;
}
