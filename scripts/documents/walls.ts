import { markdownTable } from './generated-block.ts';

interface Wall {
  readonly target: string;
  readonly from: readonly string[];
  readonly except?: readonly string[];
  readonly message: string;
}

interface LintPart {
  readonly rules?: Readonly<Record<string, unknown>>;
}

// The configuration is JavaScript without types.
const { default: lintParts } = (await import(new URL('../../eslint.config.js', import.meta.url).href)) as {
  readonly default: readonly LintPart[];
};

/** The walls between folders as the lint rule has them. */
function walls(): readonly Wall[] {
  for (const { rules } of lintParts) {
    const rule = rules?.['walls/hold'];
    if (Array.isArray(rule)) return (rule[1] as { readonly walls: readonly Wall[] }).walls;
  }
  throw new Error('eslint.config.js has no rule walls/hold');
}

const code = (folders: readonly string[]): string => folders.map((folder) => `\`${folder}\``).join(', ');

/** Folders of which none imports another: they share one row. */
const peers = ['electron/engine/platforms', 'renderer/features'];

/** What each folder must not import, as a table. */
export function wallsTable(): string {
  const all = walls();
  const peersOf = ({ target }: Wall): string | undefined => peers.find((folder) => target.startsWith(`${folder}/`));
  const rows = all
    .filter((wall) => peersOf(wall) === undefined)
    .map(({ target, from, except = [] }) => [code([target]), code(from), except.length === 0 ? '' : code(except)]);
  for (const folder of peers)
    rows.push([code(all.filter((wall) => peersOf(wall) === folder).map(({ target }) => target)), 'each other', '']);
  return markdownTable(['Folder', 'Must not import', 'Except'], rows);
}
