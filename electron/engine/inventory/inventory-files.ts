import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CausewayError } from '../../../shared/model/causeway-error.ts';
import { inventorySchema, type Inventory } from '../../../shared/inventory/inventory.ts';

/** The imported lists of a project: one plain file a list, which people share and compare with the rest of the project. */
export interface InventoryFiles {
  /** By name. @throws CausewayError `inventory.file-damaged` */
  list(): Inventory[];
  find(name: string): Inventory | undefined;
  /** Durable, all or nothing. */
  save(inventory: Inventory): void;
  remove(name: string): void;
}

export function inventoryFiles(projectFolder: string): InventoryFiles {
  const folder = join(projectFolder, 'inventory');
  const pathOf = (name: string): string => join(folder, fileNameOf(name));
  const list = (): Inventory[] => namesIn(folder).map((file) => read(join(folder, file))).sort((a, b) => a.name.localeCompare(b.name));
  return {
    list,
    find: (name) => list().find((inventory) => inventory.name === name),
    save(inventory) {
      mkdirSync(folder, { recursive: true });
      const temporary = join(folder, `.${randomBytes(6).toString('hex')}.tmp`);
      try {
        // One machine a line: two people's changes of different machines merge.
        writeFileSync(temporary, textOf(inventory), { flush: true });
        renameSync(temporary, pathOf(inventory.name));
      } catch (error) {
        rmSync(temporary, { force: true });
        throw error;
      }
    },
    remove: (name) => rmSync(pathOf(name), { force: true }),
  };
}

/** Every name has a file of its own, whatever characters it has, on every file system. */
function fileNameOf(name: string): string {
  const plain = encodeURIComponent(name.toLowerCase() === name ? name : `${name}~${Buffer.from(name).toString('hex').slice(0, 16)}`);
  const safe = /^(con|prn|aux|nul|com\d|lpt\d)$/.test(plain) ? `~${plain}` : plain;
  return `${safe.replaceAll('*', '%2A').replaceAll('.', '%2E').slice(0, 200)}.json`;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter((file) => file.endsWith('.json') && !file.startsWith('.'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

function read(path: string): Inventory {
  try {
    return inventorySchema.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch (cause) {
    throw new CausewayError('inventory.file-damaged', `${path}: ${cause instanceof Error ? cause.message : String(cause)}`.slice(0, 2000), { cause });
  }
}

function textOf({ machines, ...rest }: Inventory): string {
  const head = JSON.stringify(rest, undefined, 2).slice(0, -2);
  const sorted = [...machines].sort((a, b) => (a.vm.id < b.vm.id ? -1 : 1));
  return `${head},\n  "machines": [\n${sorted.map((machine) => `    ${JSON.stringify(machine)}`).join(',\n')}\n  ]\n}\n`;
}
