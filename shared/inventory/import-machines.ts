import type { Disk, Nic, Vm } from '../model/vm.ts';
import { machineLabels, type InventoryMachine } from './inventory.ts';
import { cellReader, type CellReader, type RowProblem } from './row-cells.ts';
import { rowFaultText, type RowFault } from './row-faults.ts';
import type { TablePlan } from './table-plan.ts';

export interface ImportChoices {
  /** What a machine runs whose guest the file does not tell; left out, such a row is an error. */
  readonly osWhenUnknown?: Vm['os_type'];
  readonly withTemplates: boolean;
}

const noSizes: RowFault = { code: 'no-sizes', given: [] };

export interface ImportResult {
  readonly machines: readonly InventoryMachine[];
  readonly problems: readonly RowProblem[];
}

/**
 * Makes machines of the tables. A row with a problem is reported with its place; a machine with an error is skipped, so
 * that nothing half-read gets into a list.
 */
export function importMachines(plans: readonly TablePlan[], choices: ImportChoices): ImportResult {
  const steps = importSteps(plans, choices);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** The same in steps of a row each, which give the number of rows that are done: for a page that must stay usable meanwhile. */
export function* importSteps(plans: readonly TablePlan[], choices: ImportChoices): Generator<number, ImportResult> {
  let rows = 0;
  const problems: RowProblem[] = [];
  const drafts = new Map<string, Draft>();
  const byName = new Map<string, string[]>();
  for (const plan of plans)
    if (plan.role === 'machines')
      for (const _row of readMachines(plan, choices, drafts, byName, problems)) yield (rows += 1);
  const find = (cells: CellReader): Draft | undefined => {
    const id = cells.text('id');
    const name = cells.text('name');
    const key =
      id !== undefined && drafts.has(id)
        ? id
        : byName.get(name ?? '')?.length === 1
          ? byName.get(name ?? '')![0]
          : undefined;
    return key === undefined ? undefined : drafts.get(key);
  };
  for (const plan of plans)
    if (plan.role === 'disks') for (const _row of readDisks(plan, find, problems)) yield (rows += 1);
  const haveDisks = plans.some(({ role }) => role === 'disks');
  for (const plan of haveDisks ? [] : plans) {
    // Said once for a list, and not again for each of its rows.
    if (plan.role === 'machines' && hasNoSizes(plan) && plan.table.rows.length > 0) {
      problems.push({
        severity: 'warning',
        table: plan.table.name,
        row: 0,
        fault: noSizes,
        message: rowFaultText(noSizes),
      });
    }
  }
  for (const draft of drafts.values()) {
    if (draft.disks.length === 0) draft.checkSummary(haveDisks);
    yield rows;
  }
  for (const plan of plans)
    if (plan.role === 'nics') for (const _row of readNics(plan, find, problems)) yield (rows += 1);
  const machines: InventoryMachine[] = [];
  for (const draft of drafts.values()) {
    if (!draft.isBroken) machines.push(machineOf(draft));
    yield rows;
  }
  return { machines, problems };
}

interface Draft {
  readonly vm: Omit<Vm, 'disks' | 'nics'>;
  readonly power: InventoryMachine['power'];
  readonly labels: InventoryMachine['labels'];
  readonly ownDisks: readonly Disk[];
  readonly ownNics: readonly Nic[];
  readonly disks: Disk[];
  readonly nics: Nic[];
  isBroken: boolean;
  /** Warns about the summary of disks in the machine's own row; for a machine that no list of disks names. */
  readonly checkSummary: (haveDisks: boolean) => void;
}

/** What lists of disks and of interfaces say goes before the summary in the machine's own row. */
function machineOf({ vm, power, labels, ownDisks, ownNics, disks, nics }: Draft): InventoryMachine {
  return {
    vm: { ...vm, disks: disks.length > 0 ? disks : [...ownDisks], nics: nics.length > 0 ? nics : [...ownNics] },
    power,
    ...(labels === undefined ? {} : { labels }),
  };
}

function* readMachines(
  plan: TablePlan,
  choices: ImportChoices,
  drafts: Map<string, Draft>,
  byName: Map<string, string[]>,
  problems: RowProblem[],
): Generator<undefined, void> {
  for (const row of plan.table.rows) {
    yield;
    const cells = cellReader(plan, row, problems);
    const name = cells.text('name');
    if (!choices.withTemplates && /^(true|yes|1)$/i.test(cells.text('template') ?? '')) continue;
    if (name === undefined) {
      cells.problem('error', 'name', { code: 'no-name', given: [] });
      continue;
    }
    const id = cells.text('id') ?? name;
    if (drafts.has(id)) {
      cells.problem('error', 'id', { code: 'double-id', given: [id] });
      continue;
    }
    drafts.set(id, draftOf(id, name, cells, choices, hasNoSizes(plan)));
    byName.set(name, [...(byName.get(name) ?? []), id]);
  }
}

function hasNoSizes({ columns }: TablePlan): boolean {
  return (columns as Readonly<Record<string, number | undefined>>)['disks'] === undefined;
}

function draftOf(id: string, name: string, cells: CellReader, choices: ImportChoices, isWithoutSizes: boolean): Draft {
  const os = cells.osType('os') ?? cells.osType('os_configured') ?? choices.osWhenUnknown;
  if (os === undefined) cells.problem('error', 'os', { code: 'os-unknown', given: [name] }, 'os-unknown');
  const firmware = cells.firmware('firmware');
  const secureBoot = cells.flag('secure_boot');
  const vcpus = cells.count('vcpus');
  const memory = cells.size('memory');
  const vm = {
    id,
    name,
    os_type: os ?? 'linux',
    ...(firmware === undefined ? {} : { firmware }),
    ...(secureBoot === undefined ? {} : { secure_boot: secureBoot }),
    ...(vcpus === undefined ? {} : { vcpus }),
    ...(memory === undefined ? {} : { memory_mb: Math.max(1, Math.round(memory / 1024 ** 2)) }),
  };
  const storage = cells.text('storage');
  const sizes = cells.sizes('disks');
  checkPlausibility(name, vcpus, memory, cells);
  const ownDisks = sizes.map((size, index) => ({
    id: `disk-${index}`,
    size_bytes: size,
    ...(storage === undefined ? {} : { storage_backend: storage }),
  }));
  const macs = cells.list('macs');
  const addresses = cells.list('addresses');
  const ownNics = cells.list('networks').map((network, index): Nic => ({
    id: `nic-${index}`,
    network,
    ...(macs[index] === undefined ? {} : { mac_address: macs[index] }),
    // Which address is whose is only known when there is one interface.
    ...(index === 0 && addresses.length > 0 ? { ip_addresses: addresses } : {}),
  }));
  const labels = Object.fromEntries(
    machineLabels.flatMap((label) => {
      const value = cells.text(label);
      return value === undefined ? [] : [[label, value.slice(0, 500)]];
    }),
  );
  return {
    vm,
    labels: Object.keys(labels).length === 0 ? undefined : labels,
    power: cells.power('power'),
    ownDisks,
    ownNics,
    disks: [],
    nics: [],
    isBroken: cells.hasError(),
    checkSummary(haveDisks) {
      if (sizes.length > 0 || cells.hasError()) checkDiskSummary(name, sizes, cells);
      else if (!isWithoutSizes || haveDisks)
        cells.problem('warning', 'disks', {
          code: haveDisks ? 'no-disk-size-anywhere' : 'no-disk-size',
          given: [name],
        });
    },
  };
}

const GiB = 1024 ** 3;

/** Numbers that were most likely read in a wrong unit, or that count something else. */
function checkPlausibility(
  name: string,
  vcpus: number | undefined,
  memory: number | undefined,
  cells: CellReader,
): void {
  if (memory !== undefined && (memory < 64 * 1024 ** 2 || memory > 64 * 1024 * GiB))
    cells.problem('warning', 'memory', { code: 'memory-doubtful', given: [name, memory / GiB] });
  if (vcpus !== undefined && vcpus > 2048)
    cells.problem('warning', 'vcpus', { code: 'vcpus-doubtful', given: [name, vcpus] });
}

function checkDiskSummary(name: string, sizes: readonly number[], cells: CellReader): void {
  const total = sizes.reduce((sum, size) => sum + size, 0);
  const counted = cells.text('disk_count');
  const fewest = (cells.osType('os') === 'windows' ? 8 : 1) * GiB;
  if (total > 0 && total < fewest)
    cells.problem('warning', 'disks', { code: 'disks-small', given: [name, total / GiB] });
  if (total > 512 * 1024 * GiB) cells.problem('warning', 'disks', { code: 'disks-large', given: [name, total / GiB] });
  if (counted !== undefined && Number(counted) > 1 && sizes.length === 1) {
    cells.problem('warning', 'disk_count', { code: 'disks-together', given: [name, counted] });
  }
}

function* readDisks(
  plan: TablePlan,
  find: (cells: CellReader) => Draft | undefined,
  problems: RowProblem[],
): Generator<undefined, void> {
  for (const row of plan.table.rows) {
    yield;
    const cells = cellReader(plan, row, problems);
    const draft = find(cells);
    if (draft === undefined) continue;
    const size = cells.size('size');
    if (size === undefined) cells.problem('error', 'size', { code: 'size-missing', given: [draft.vm.name] });
    const id = uniqueId(cells.text('disk') ?? `disk-${draft.disks.length}`, draft.disks);
    const storage = cells.datastore('storage');
    const bus = cells.text('bus');
    draft.disks.push({
      id,
      size_bytes: size ?? 0,
      ...(storage === undefined ? {} : { storage_backend: storage }),
      ...(bus === undefined ? {} : { bus }),
    });
    draft.isBroken ||= cells.hasError();
  }
}

function* readNics(
  plan: TablePlan,
  find: (cells: CellReader) => Draft | undefined,
  problems: RowProblem[],
): Generator<undefined, void> {
  for (const row of plan.table.rows) {
    yield;
    const cells = cellReader(plan, row, problems);
    const draft = find(cells);
    if (draft === undefined) continue;
    const network = cells.text('network');
    // An interface that hangs on no network needs no place on the destination.
    if (network === undefined) {
      cells.problem('warning', 'network', { code: 'nic-without-network', given: [draft.vm.name] });
      continue;
    }
    const mac = cells.text('mac');
    const addresses = cells.list('addresses', /[;|,\s]/);
    draft.nics.push({
      id: uniqueId(cells.text('nic') ?? `nic-${draft.nics.length}`, draft.nics),
      network,
      ...(mac === undefined ? {} : { mac_address: mac }),
      ...(addresses.length === 0 ? {} : { ip_addresses: addresses }),
    });
  }
}

function uniqueId(wanted: string, taken: readonly { readonly id: string }[]): string {
  let id = wanted;
  for (let number = 2; taken.some((one) => one.id === id); number += 1) id = `${wanted} (${number})`;
  return id;
}
