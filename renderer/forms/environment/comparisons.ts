import { stringify } from 'yaml';
import { sides } from '../../../shared/model/plugin-id.ts';
import { text } from '../../text/text.ts';
import type { Comparison } from '../document/compare-dialog.tsx';
import type { EnvironmentDraft } from './environment-draft.ts';
import { formatOf, textOf, type WrittenText } from './text-view.tsx';

/** Settings of another VM between the same platforms. */
export interface OtherSettings {
  readonly id: string;
  readonly name: string;
  readonly effective: () => string;
}

interface Parts {
  readonly draft: EnvironmentDraft;
  /** While it is edited as text. */
  readonly written: WrittenText | undefined;
  readonly kept: WrittenText | undefined;
  /** As it was saved. */
  readonly base: { readonly content: string; readonly effective: string };
  readonly others: readonly OtherSettings[];
}

/** Everything that an environment can be compared with. */
export function comparisonsOf({ draft, written, kept, base, others }: Parts): readonly Comparison[] {
  const current = written?.content ?? textOf(draft, kept).content;
  const effective = { label: text.editor.currentText, content: () => effectiveText(draft) };
  return [
    {
      id: 'effective',
      title: text.editor.compareEffective,
      format: 'yaml',
      before: { label: text.editor.savedText, content: () => base.effective },
      after: effective,
    },
    {
      id: 'text',
      title: text.editor.compareText,
      format: formatOf(current),
      before: { label: text.editor.savedText, content: () => base.content },
      after: { label: text.editor.currentText, content: () => current },
    },
    ...others.map((other): Comparison => ({
      id: other.id,
      title: text.editor.compareReplica(other.name),
      format: 'yaml',
      before: { label: other.name, content: other.effective },
      after: { ...effective, label: text.editor.thisVm },
    })),
  ];
}

/** Effective settings with keys in alphabetical order, so that two VMs differ in values only. */
export function effectiveText(draft: EnvironmentDraft): string {
  const whole = Object.fromEntries(
    sides
      .filter((side) => draft.pluginOf(side) !== undefined)
      .map((side) => [
        side,
        {
          plugin: draft.pluginOf(side),
          environment: Object.fromEntries(draft.effective(side).map(({ key, value }) => [key, value])),
        },
      ]),
  );
  return stringify(whole, { sortMapEntries: true, lineWidth: 0 });
}
