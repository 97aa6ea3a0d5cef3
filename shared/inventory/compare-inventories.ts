import type { Disk, Nic, Vm } from '../model/vm.ts';
import { machineLabels, type InventoryMachine, type KeptMachine } from './inventory.ts';

/**
 * What a new import says in comparison with the list as it was kept: each machine as new, changed (with what), same, or
 * gone. Those that are gone stay in the list, so that somebody sees it; a machine that comes back is new.
 *
 * @param importedAt time of the new import, ISO 8601
 */
export function compareInventories(
  before: readonly KeptMachine[],
  now: readonly InventoryMachine[],
  importedAt: string,
): KeptMachine[] {
  const steps = compareSteps(before, now, importedAt);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** The same in steps of a machine each, for a page that must stay usable meanwhile. */
export function* compareSteps(
  before: readonly KeptMachine[],
  now: readonly InventoryMachine[],
  importedAt: string,
): Generator<undefined, KeptMachine[]> {
  const known = new Map<string, KeptMachine>();
  for (const machine of before) {
    known.set(machine.vm.id, machine);
    yield;
  }
  const compared: KeptMachine[] = [];
  for (const machine of now) {
    const former = known.get(machine.vm.id);
    known.delete(machine.vm.id);
    compared.push(comparedWith(former, machine, importedAt));
    yield;
  }
  for (const { vm, power, labels, state, since } of known.values()) {
    compared.push({
      vm,
      power,
      ...(labels === undefined ? {} : { labels }),
      state: 'gone',
      since: state === 'gone' ? since : importedAt,
    });
    yield;
  }
  return compared;
}

function comparedWith(former: KeptMachine | undefined, machine: InventoryMachine, importedAt: string): KeptMachine {
  if (former === undefined || former.state === 'gone') return { ...machine, state: 'new', since: importedAt };
  const changes = [...differences(former.vm, machine.vm), ...labelChanges(former, machine)];
  if (changes.length > 0) return { ...machine, state: 'changed', since: importedAt, changes };
  return { ...machine, state: 'same', since: former.state === 'same' ? former.since : importedAt };
}

/** What people and the source say of a machine. A source that says nothing of something takes nothing away. */
function labelChanges({ labels: before = {} }: KeptMachine, { labels: now = {} }: InventoryMachine): string[] {
  return machineLabels.flatMap((label) =>
    now[label] === undefined || now[label] === before[label]
      ? []
      : [`${label}: ${said(before[label])} → ${now[label]}`],
  );
}

/** What differs between two descriptions of a machine, in words. */
export function differences(before: Vm, now: Vm): string[] {
  const plain = (['name', 'os_type', 'firmware', 'secure_boot', 'vcpus', 'memory_mb'] as const)
    .filter((key) => before[key] !== now[key])
    .map((key) => `${labels[key]}: ${said(before[key])} → ${said(now[key])}`);
  return [
    ...plain,
    ...partsChanged('disk', before.disks, now.disks, diskText),
    ...partsChanged('network interface', before.nics, now.nics, nicText),
  ];
}

const labels = {
  name: 'name',
  os_type: 'guest',
  firmware: 'firmware',
  secure_boot: 'secure boot',
  vcpus: 'CPUs',
  memory_mb: 'memory (MiB)',
};

function said(value: string | number | boolean | undefined): string {
  return value === undefined ? 'not known' : String(value);
}

function partsChanged<T extends { readonly id: string }>(
  kind: string,
  before: readonly T[],
  now: readonly T[],
  textOf: (part: T) => string,
): string[] {
  const former = new Map(before.map((part) => [part.id, part]));
  const changes: string[] = [];
  for (const part of now) {
    const was = former.get(part.id);
    former.delete(part.id);
    if (was === undefined) changes.push(`${kind} ${part.id} added: ${textOf(part)}`);
    else if (textOf(was) !== textOf(part)) changes.push(`${kind} ${part.id}: ${textOf(was)} → ${textOf(part)}`);
  }
  for (const part of former.values()) changes.push(`${kind} ${part.id} removed: ${textOf(part)}`);
  return changes;
}

function diskText({ size_bytes: size, storage_backend: backend }: Disk): string {
  const mebibytes = size / 1024 ** 2;
  return `${mebibytes >= 1024 ? `${+(mebibytes / 1024).toFixed(2)} GiB` : `${+mebibytes.toFixed(2)} MiB`}${backend === undefined ? '' : ` on ${backend}`}`;
}

function nicText({ network, mac_address: mac, ip_addresses: addresses }: Nic): string {
  return [network, mac, addresses?.join(' ')].filter((part) => part !== undefined && part !== '').join(', ');
}
