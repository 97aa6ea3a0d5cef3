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
const { default: lintParts } = (await import(new URL('../../eslint.config.js', import.meta.url).href)) as { readonly default: readonly LintPart[] };

/** The walls between folders as the lint rule has them. */
function walls(): readonly Wall[] {
  for (const { rules } of lintParts) {
    const rule = rules?.['walls/hold'];
    if (Array.isArray(rule)) return (rule[1] as { readonly walls: readonly Wall[] }).walls;
  }
  throw new Error('eslint.config.js has no rule walls/hold');
}

const code = (folders: readonly string[]): string => folders.map((folder) => `\`${folder}\``).join(', ');

/** What each folder must not import, as a table. The platforms share one row. */
export function wallsTable(): string {
  const isPlatform = ({ target }: Wall): boolean => target.startsWith('electron/engine/platforms/');
  const all = walls();
  const rows = all.filter((wall) => !isPlatform(wall)).map(({ target, from, except = [] }) => [code([target]), code(from), except.length === 0 ? '' : code(except)]);
  const platforms = all.filter(isPlatform).map(({ target }) => target);
  if (platforms.length > 0) rows.push([code(platforms), 'each other', '']);
  return markdownTable(['Folder', 'Must not import', 'Except'], rows);
}
