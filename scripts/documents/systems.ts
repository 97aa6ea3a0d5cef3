import { markdownTable } from './generated-block.ts';

/**
 * What works on which system. Tests run on Linux alone, so that a cell for macOS never says more than `untested`, and one for Windows never
 * more than `underWine`. Kept by hand; scripts/systems.test.ts holds it against the programs that the engine starts.
 */
export const systems = ['Linux', 'macOS', 'Windows'] as const;

/** What a cell says of specs that ran with Windows' own Node. */
export const underWine = "Windows' Node under Wine";

/**
 * `tested`: in the support matrix. `underWine`: seen with Windows' own Node under Debian's Wine, by the specs that the row names.
 * `untested`: the same code, with nothing of that system in its way that is known.
 */
type Support = 'tested' | typeof underWine | 'untested' | 'no';

interface Row {
  readonly part: string;
  readonly support: readonly [linux: Support, mac: Support, windows: Support];
  /** Programs that have to be installed besides. */
  readonly programs?: readonly string[];
  readonly note?: string;
  /** Spec files below e2e, without `.spec.ts`, that saw it under Windows' Node. */
  readonly onWine?: readonly string[];
}

export const systemRows: readonly Row[] = [
  {
    part: 'Command line',
    support: ['tested', 'untested', underWine],
    onWine: ['specs-guests/windows-command-line', 'specs-guests/windows-replication'],
  },
  {
    part: 'Workbench in the browser',
    support: ['tested', 'untested', underWine],
    onWine: ['specs-guests/windows-workbench'],
  },
  {
    part: 'Workbench as a desktop app',
    support: ['untested', 'untested', 'untested'],
    note: 'tested with a stand-in for Electron',
  },
  {
    part: 'European cloud as a destination, over HTTPS and SSH',
    support: ['tested', 'untested', underWine],
    onWine: ['specs-guests/windows-replication'],
  },
  { part: 'Other clouds, vSphere by its data ports, Hyper-V hosts', support: ['tested', 'untested', 'untested'] },
  {
    part: 'Disk images',
    support: ['tested', 'untested', underWine],
    onWine: ['specs-guests/windows-replication', 'specs-guests/windows-unit-tests'],
  },
  {
    part: 'Inspection of guests in disk images (`causeway guest inspect`)',
    support: ['tested', 'no', 'no'],
    programs: ['python3'],
    note: 'as root',
  },
  {
    part: 'QEMU on another machine, over SSH',
    support: ['tested', 'untested', underWine],
    onWine: ['specs-guests/windows-demo'],
  },
  { part: 'libvirt on another machine, over SSH', support: ['tested', 'untested', 'untested'] },
  { part: 'QEMU on this computer', support: ['tested', 'untested', 'no'] },
  { part: 'libvirt on this computer, or by its own TLS', support: ['tested', 'untested', 'untested'] },
  {
    part: 'Ceph, read directly',
    support: ['tested', 'untested', 'no'],
    programs: ['rbd', 'rados', 'qemu-nbd'],
    note: 'without them an export worker is used, which needs none',
  },
  { part: "vSphere by the vendor's library", support: ['tested', 'no', 'no'], programs: ['nbdkit'], note: 'x86-64' },
  { part: 'Lab, demonstration, sample project', support: ['tested', 'no', 'no'], note: 'Debian' },
];

/** The README's table. */
export function systemsTable(): string {
  const rows = systemRows.map(({ part, support, programs = [], note }) => {
    const needs = programs.length === 0 ? [] : [`needs ${programs.map((name) => `\`${name}\``).join(', ')}`];
    return [part, ...support, [...needs, ...(note === undefined ? [] : [note])].join('; ')];
  });
  return markdownTable(['', ...systems, ''], rows);
}
