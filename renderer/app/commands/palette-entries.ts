import { commandIds, type CommandId } from '../../../shared/contract/commands.ts';
import { text } from '../../text/text.ts';
import { hrefOf } from '../route.ts';
import type { WorkbenchOutput } from '../workbench-link.ts';
import { fit } from './fuzzy.ts';
import { acceleratorText, commandOf, isLeftToPage } from './shortcut-keys.ts';

/** One thing that the palette can do: a command, or a place to go to. */
export interface PaletteEntry {
  readonly id: string;
  readonly kind: keyof typeof text.commands.kinds;
  readonly label: string;
  readonly shortcut?: string;
  readonly command?: CommandId;
  readonly href?: string;
}

interface Known {
  readonly endpoints: WorkbenchOutput<'endpoint.list'>;
  readonly replicas: WorkbenchOutput<'replica.list'>;
  readonly lists: WorkbenchOutput<'inventory.list'>;
  readonly waves: WorkbenchOutput<'wave.list'>;
  readonly runs: WorkbenchOutput<'execution.list'>;
}

export function paletteEntries(
  { endpoints, replicas, lists, waves, runs }: Known,
  { isMac, isDesktop }: { readonly isMac: boolean; readonly isDesktop: boolean },
): PaletteEntry[] {
  const nameOf = new Map(replicas.map(({ id, name }) => [id, name]));
  return [
    ...commandIds
      .filter((id) => id !== 'palette.open')
      .map((id): PaletteEntry => {
        const { accelerator, keys } = commandOf(id);
        const shortcut =
          keys ??
          (accelerator === undefined || !(isDesktop || isLeftToPage(id))
            ? undefined
            : acceleratorText(accelerator, isMac));
        return {
          id,
          kind: 'command',
          label: text.commands.labels[id].replace('…', ''),
          command: id,
          ...(shortcut === undefined ? {} : { shortcut }),
        };
      }),
    ...replicas.flatMap(({ id, name }): PaletteEntry[] => [
      { id: `replica ${id}`, kind: 'replica', label: text.commands.open(name), href: hrefOf('replicas', id) },
      {
        id: `configure ${id}`,
        kind: 'replica',
        label: text.commands.configure(name),
        href: hrefOf('replicas', id, 'configure'),
      },
    ]),
    ...endpoints.map(({ id, name }): PaletteEntry => ({
      id: `endpoint ${id}`,
      kind: 'endpoint',
      label: text.commands.check(name),
      href: hrefOf('endpoints', id),
    })),
    ...lists.map(({ name }): PaletteEntry => ({
      id: `list ${name}`,
      kind: 'list',
      label: text.commands.list(name),
      href: hrefOf('inventory', 'lists', name),
    })),
    ...waves.map(({ name }): PaletteEntry => ({
      id: `wave ${name}`,
      kind: 'wave',
      label: text.commands.wave(name),
      href: hrefOf('waves', name),
    })),
    ...runs.map(({ id, number, replicaId }): PaletteEntry => ({
      id: `run ${id}`,
      kind: 'run',
      label: text.commands.run(number, nameOf.get(replicaId) ?? ''),
      href: hrefOf('runs', id),
    })),
  ];
}

const most = 50;

/** Those that fit, best first; all commands when nothing is typed yet. */
export function fittingEntries(entries: readonly PaletteEntry[], typed: string): PaletteEntry[] {
  if (typed.trim() === '') return entries.filter(({ kind }) => kind === 'command');
  return entries
    .map((entry) => ({ entry, score: fit(entry.label, typed) }))
    .filter((scored): scored is { entry: PaletteEntry; score: number } => scored.score !== undefined)
    .sort((a, b) => b.score - a.score)
    .slice(0, most)
    .map(({ entry }) => entry);
}
