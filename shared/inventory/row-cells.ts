import type { Vm } from '../model/vm.ts';
import type { InventoryMachine } from './inventory.ts';
import { listParts, parseNumber, parseSize } from './quantity.ts';
import { rowFaultText, type RowFault } from './row-faults.ts';
import type { TableRow } from './table.ts';
import type { TablePlan } from './table-plan.ts';

/** Something in a row that can't be taken as it is. A machine with an error is not imported. */
export interface RowProblem {
  readonly severity: 'error' | 'warning';
  readonly table: string;
  /** As people count rows in the file. */
  readonly row: number;
  /** Heading of the column; undefined when no column is mapped. */
  readonly column?: string;
  /** Absent where it is none of the list, but what a platform said. */
  readonly fault?: RowFault;
  /** In English. */
  readonly message: string;
  /** What can be done about it where the import is made: each way in says it in its own words. */
  readonly advice?: RowAdvice;
}

export type RowAdvice = 'os-unknown';

/** One row, read by fields. What can't be understood becomes a problem and counts as not said. */
export interface CellReader {
  text(field: string): string | undefined;
  list(field: string, separator?: RegExp): string[];
  count(field: string): number | undefined;
  /** Bytes. */
  size(field: string): number | undefined;
  sizes(field: string): number[];
  flag(field: string): boolean | undefined;
  osType(field: string): Vm['os_type'] | undefined;
  firmware(field: string): Vm['firmware'];
  power(field: string): InventoryMachine['power'];
  /** Name of the datastore in a path such as `[store] vm/vm.vmdk`. */
  datastore(field: string): string | undefined;
  problem(severity: RowProblem['severity'], field: string, fault: RowFault, advice?: RowAdvice): void;
  hasError(): boolean;
}

const linuxNames =
  /linux|debian|ubuntu|suse|sles|red ?hat|rhel|centos|rocky|alma|oracle|fedora|amazon|photon|coreos|alpine|gentoo|arch/i;

export function cellReader({ table, columns, units }: TablePlan, row: TableRow, problems: RowProblem[]): CellReader {
  let isBroken = false;
  const columnOf = (field: string): number | undefined => (columns as Record<string, number>)[field];
  const text = (field: string): string | undefined => {
    const column = columnOf(field);
    const cell = column === undefined ? undefined : row.cells[column];
    return cell === undefined || cell === '' ? undefined : cell;
  };
  const problem: CellReader['problem'] = (severity, field, fault, advice) => {
    const column = columnOf(field);
    isBroken ||= severity === 'error';
    problems.push({
      severity,
      table: table.name,
      row: row.number,
      ...(column === undefined ? {} : { column: table.header[column] ?? '' }),
      fault,
      message: rowFaultText(fault),
      ...(advice === undefined ? {} : { advice }),
    });
  };
  const sizeOf = (field: string, part: string): number | undefined => {
    const size = parseSize(part, units[field] ?? 'GiB');
    if (size === undefined) problem('error', field, { code: 'no-size', given: [part] });
    return size;
  };
  const list = (field: string, separator?: RegExp): string[] => listParts(text(field) ?? '', separator);
  return {
    text,
    list,
    problem,
    hasError: () => isBroken,
    count(field) {
      const cell = text(field);
      const value = cell === undefined ? undefined : parseNumber(cell);
      if (cell !== undefined && (value === undefined || !Number.isInteger(value) || value < 1)) {
        problem('error', field, { code: 'no-count', given: [cell] });
        return undefined;
      }
      return value;
    },
    size(field) {
      const cell = text(field);
      return cell === undefined ? undefined : sizeOf(field, cell);
    },
    sizes: (field) =>
      list(field)
        .map((part) => sizeOf(field, part))
        .filter((size) => size !== undefined && size > 0) as number[],
    flag(field) {
      const cell = text(field);
      if (cell === undefined) return undefined;
      if (/^(true|yes|on|enabled|1)$/i.test(cell)) return true;
      if (!/^(false|no|off|disabled|0)$/i.test(cell)) problem('warning', field, { code: 'no-flag', given: [cell] });
      return false;
    },
    osType(field) {
      const cell = text(field);
      if (cell === undefined) return undefined;
      if (/windows|win\d/i.test(cell)) return 'windows';
      return linuxNames.test(cell) ? 'linux' : undefined;
    },
    firmware(field) {
      const cell = text(field);
      if (cell === undefined) return undefined;
      if (/efi/i.test(cell)) return 'uefi';
      if (!/bios|legacy/i.test(cell)) problem('warning', field, { code: 'no-firmware', given: [cell] });
      return /bios|legacy/i.test(cell) ? 'bios' : undefined;
    },
    power(field) {
      const cell = text(field) ?? '';
      // "poweredOff" holds "powered": off is looked for first.
      if (/off|stopped|halted|shut|suspend/i.test(cell)) return 'stopped';
      return /\bon\b|poweredon|running|started|active/i.test(cell) ? 'running' : 'unknown';
    },
    datastore(field) {
      const cell = text(field);
      return cell === undefined ? undefined : (/^\[([^\]]+)\]/.exec(cell)?.[1] ?? cell);
    },
  };
}
