import type { GuestDiff } from '../../../shared/model/guest-preparation.ts';
import { bytesText } from '../../components/quantities.ts';
import { text } from '../../text/text.ts';

export type DiffPart = keyof typeof text.deployments.diffParts;
export type DiffSign = 'added' | 'removed' | 'changed';

/** One thing that a preparation changed, in words. */
export interface DiffEntry {
  readonly part: DiffPart;
  readonly sign: DiffSign;
  readonly name: string;
  /** What it is now, or was and is: "0644 root, 1.2 KiB", "1.0 → 1.1". */
  readonly detail: string;
  /** A unified diff. */
  readonly lines: readonly string[];
}

interface Changes<V> {
  readonly added: Readonly<Record<string, V>>;
  readonly removed: Readonly<Record<string, V>>;
  readonly changed: Readonly<Record<string, { readonly before: V; readonly after: V }>>;
}

/** Everything that changed, in the order of the parts, by name in each. */
export function diffEntries(diff: GuestDiff): readonly DiffEntry[] {
  const { files, registry } = diff as GuestDiff & { readonly registry?: Changes<string> };
  return [
    ...byName([
      ...files.added.map((file): DiffEntry => ({
        part: 'files',
        sign: 'added',
        name: file.path,
        detail: fileText(file),
        lines: file.lines ?? [],
      })),
      ...files.removed.map((file): DiffEntry => ({
        part: 'files',
        sign: 'removed',
        name: file.path,
        detail: fileText(file),
        lines: [],
      })),
      ...files.changed.map((file): DiffEntry => ({
        part: 'files',
        sign: 'changed',
        name: file.path,
        detail: fileChange(file.before, file.after),
        lines: file.lines ?? [],
      })),
    ]),
    ...changes('packages', diff.packages, (version) => version),
    ...byName([
      ...diff.services.enabled.map((name): DiffEntry => ({
        part: 'services',
        sign: 'added',
        name,
        detail: text.deployments.enabled,
        lines: [],
      })),
      ...diff.services.disabled.map((name): DiffEntry => ({
        part: 'services',
        sign: 'removed',
        name,
        detail: text.deployments.disabled,
        lines: [],
      })),
    ]),
    ...changes('users', diff.users, ({ uid, shell, password, keys }) =>
      text.deployments.userFacts(uid, shell, password, keys),
    ),
    ...changes('sshPolicy', diff.sshPolicy, (value) => value),
    ...changes('sshHostKeys', diff.sshHostKeys, (digest) => digest.slice(0, 16)),
    ...(registry === undefined ? [] : changes('registry', registry, (value) => value)),
    ...byName(
      Object.entries(diff.network).map(([name, { before, after }]): DiffEntry => ({
        part: 'network',
        sign: 'changed',
        name,
        detail: `${valueText(before)} → ${valueText(after)}`,
        lines: [],
      })),
    ),
  ];
}

/** The same as lines of text, for a report or a colleague. */
export function diffText(entries: readonly DiffEntry[]): string {
  const signs: Readonly<Record<DiffSign, string>> = { added: '+', removed: '-', changed: '~' };
  return entries
    .flatMap(({ part, sign, name, detail, lines }) => [
      `${signs[sign]} ${part}: ${name}${detail === '' ? '' : ` (${detail})`}`,
      ...lines.map((line) => `    ${line}`),
    ])
    .join('\n');
}

function changes<V>(
  part: DiffPart,
  { added, removed, changed }: Changes<V>,
  say: (value: V) => string,
): readonly DiffEntry[] {
  return byName([
    ...Object.entries(added).map(([name, value]): DiffEntry => ({
      part,
      sign: 'added',
      name,
      detail: say(value),
      lines: [],
    })),
    ...Object.entries(removed).map(([name, value]): DiffEntry => ({
      part,
      sign: 'removed',
      name,
      detail: say(value),
      lines: [],
    })),
    ...Object.entries(changed).map(([name, { before, after }]): DiffEntry => ({
      part,
      sign: 'changed',
      name,
      detail: `${say(before)} → ${say(after)}`,
      lines: [],
    })),
  ]);
}

type FileState = GuestDiff['files']['changed'][number]['before'];

function fileText({ kind, mode, owner, size, target }: FileState): string {
  return kind === 'link' ? `→ ${target ?? '?'}` : `${mode} ${owner}, ${bytesText(size)}`;
}

/** Only what differs; content that differs at equal size is still said. */
function fileChange(before: FileState, after: FileState): string {
  if (before.kind !== after.kind || after.kind === 'link') return `${fileText(before)} → ${fileText(after)}`;
  const parts = [
    ...(before.mode === after.mode ? [] : [`${before.mode} → ${after.mode}`]),
    ...(before.owner === after.owner ? [] : [`${before.owner} → ${after.owner}`]),
    ...(before.size === after.size ? [] : [`${bytesText(before.size)} → ${bytesText(after.size)}`]),
  ];
  return parts.length === 0 ? bytesText(after.size) : parts.join(', ');
}

function valueText(value: unknown): string {
  if (value === null || value === undefined) return '–';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function byName(entries: readonly DiffEntry[]): readonly DiffEntry[] {
  return entries.toSorted((one, other) => one.name.localeCompare(other.name));
}
