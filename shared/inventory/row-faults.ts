const gibText = (gib: number): string => `${Number(gib.toPrecision(3))} GiB`;

/** What can be wrong with a row of a list, in English; translations say the same of the same facts. */
export const rowFaults = {
  'no-sizes': () =>
    'The list has no column of disk sizes: its VMs are imported with 0 B, so that limits, estimates and quotas leave their disks out',
  'no-name': () => 'The name is missing',
  'double-id': (id: string) => `Another row already has the ID ${id}: give each VM a unique ID`,
  'os-unknown': (name: string) => `The OS of ${name} is unknown`,
  'memory-doubtful': (name: string, gib: number) =>
    `${name} has ${gibText(gib)} of memory: check the unit of the column`,
  'vcpus-doubtful': (name: string, count: number) => `${name} has ${count} CPUs: check that the right column is mapped`,
  'disks-small': (name: string, gib: number) =>
    `The disks of ${name} have only ${gibText(gib)}: check the unit of the column, and that it contains sizes rather than a number of disks`,
  'disks-large': (name: string, gib: number) =>
    `The disks of ${name} have ${gibText(gib)}: check the unit of the column`,
  'disks-together': (name: string, count: string) =>
    `${name} has ${count} disks, but only their total size is known: it is imported with one disk. Also import the list of disks (vDisk)`,
  'no-disk-size': (name: string) => `${name} has no disk size: it is imported with 0 B`,
  'no-disk-size-anywhere': (name: string) =>
    `${name} has no disk size, also in the list of disks: it is imported with 0 B`,
  'size-missing': (name: string) => `The size of a disk of ${name} is missing`,
  'nic-without-network': (name: string) => `A NIC of ${name} has no network and was skipped`,
  'no-size': (cell: string) => `"${cell}" is not a size`,
  'no-count': (cell: string) => `"${cell}" is not a whole number above zero`,
  'no-flag': (cell: string) => `"${cell}" is neither yes nor no`,
  'no-firmware': (cell: string) => `"${cell}" is neither BIOS nor UEFI and is ignored`,
} as const;

export type RowFaultCode = keyof typeof rowFaults;
type GivenFor<C extends RowFaultCode> = Parameters<(typeof rowFaults)[C]>;
/** What is wrong, by a code and the facts that its text names. */
export type RowFault = {
  readonly [C in RowFaultCode]: { readonly code: C; readonly given: GivenFor<C> };
}[RowFaultCode];
/** Texts of one language. */
export type RowFaultTexts = { readonly [C in RowFaultCode]: (...given: GivenFor<C>) => string };

export function rowFaultText({ code, given }: RowFault, texts: RowFaultTexts = rowFaults): string {
  return (texts[code] as (...given: readonly unknown[]) => string)(...given);
}
