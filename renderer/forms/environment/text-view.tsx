import Stack from '@mui/material/Stack';
import { useMemo, useState } from 'react';
import { stringify } from 'yaml';
import { applyFix } from '../../../shared/environment/apply-fix.ts';
import { editMembers } from '../../../shared/environment/edit-members.ts';
import { readDocument, type DocumentFormat } from '../../../shared/environment/read-document.ts';
import { isJsonObject, type JsonObject } from '../../../shared/model/json.ts';
import { sides } from '../../../shared/model/plugin-id.ts';
import { plugins } from '../../../shared/plugins/registry.ts';
import type { Finding } from '../../../shared/schema/finding.ts';
import type { PageFinding } from '../../components/finding-lines.ts';
import { fromPointer } from '../../../shared/schema/json-pointer.ts';
import { pluginTitle, text } from '../../text/text.ts';
import { DocumentEditor } from './document-editor.tsx';
import { KeyReference } from './schema-reference.tsx';
import { useDraftVersion, useDraftView } from './draft-context.tsx';
import type { EnvironmentDraft } from './environment-draft.ts';

export interface WrittenText {
  readonly content: string;
  /** Nothing of it is lost when it becomes the form again. */
  readonly isReadable: boolean;
  /** The draft's version that it says. */
  readonly version: number;
}

/** What the layer says itself, as a document: as it was written last, as far as that still fits, else anew. */
export function textOf(draft: EnvironmentDraft, last?: WrittenText): WrittenText {
  const kept = last === undefined ? undefined : updatedText(draft, last.content);
  if (kept !== undefined) return { content: kept, isReadable: true, version: draft.version() };
  const document: Record<string, unknown> = {};
  for (const side of sides) {
    const plugin = draft.pluginOf(side);
    if (plugin !== undefined) document[side] = { plugin, environment: draft.shownLayer(side).environment };
  }
  return { content: stringify(document), isReadable: true, version: draft.version() };
}

/** The text with what the form changed, comments and all; undefined where that can't be put into it. */
function updatedText(draft: EnvironmentDraft, content: string): string | undefined {
  return sides.reduce<string | undefined>((text, side) => {
    const plugin = draft.pluginOf(side);
    if (text === undefined || plugin === undefined) return text;
    const { environment } = draft.shownLayer(side);
    const format = formatOf(text);
    const { value } = readDocument(text, format);
    const isThere = isJsonObject(value) && Object.hasOwn(value, side);
    if (isThere) return editMembers(text, format, [side, 'environment'], environment);
    return Object.keys(environment).length === 0 ? text : editMembers(text, format, [side], { plugin, environment });
  }, content);
}

interface Props {
  readonly written: WrittenText;
  readonly onChange: (written: WrittenText) => void;
}

/** The layer as text. What can be read goes into the draft at once, so that both views have the same findings. */
export function TextView({ written, onChange }: Props) {
  const { draft, optionsOf } = useDraftView();
  useDraftVersion(draft);
  const format = formatOf(written.content);
  const [problems, setProblems] = useState<readonly PageFinding[]>([]);
  const read = useMemo(() => readDocument(written.content, format), [written.content, format]);
  const change = (content: string) => {
    const found = takeText(draft, content);
    setProblems(found);
    onChange({ content, isReadable: found.length === 0, version: draft.version() });
  };
  const found = draft.findings();
  const findings = useMemo(
    () =>
      problems.length > 0
        ? problems
        : found.map((finding) => {
            // The text has settings only: what is found in the VM stands nowhere in it.
            const location = finding.path.startsWith('/vm') ? undefined : read.locate(fromPointer(finding.path));
            return location === undefined ? finding : { ...finding, location };
          }),
    [problems, found, read],
  );
  const fix = ({ path, fix: wanted }: Finding) => {
    const fixed = wanted === undefined ? undefined : applyFix(written.content, format, path, wanted);
    if (fixed !== undefined) change(fixed);
  };
  return (
    <Stack spacing={2}>
      <DocumentEditor
        value={written.content}
        format={format}
        onChange={change}
        onFix={fix}
        findings={findings}
        help={text.configure.textHelp}
        resources={optionsOf}
      />
      {sides.map((side) => {
        const plugin = draft.pluginOf(side);
        return plugin === undefined ? null : (
          <KeyReference
            key={side}
            title={side === 'source' ? text.replicas.sourceReference : text.replicas.reference}
            plugin={plugin}
            side={side}
          />
        );
      })}
    </Stack>
  );
}

export function formatOf(content: string): DocumentFormat {
  return /^\s*[{[/]/.test(content) ? 'json' : 'yaml';
}

/** Puts a text's values into the draft; answers with what keeps it from being read as one for these platforms. */
export function takeText(draft: EnvironmentDraft, content: string): readonly PageFinding[] {
  const { value, findings, locate } = readDocument(content, formatOf(content));
  const errors = findings.filter(({ severity }) => severity === 'error');
  if (errors.length > 0) return errors;
  const problem = (path: string, rule: string, message: string): PageFinding => {
    const location = locate(fromPointer(path));
    return {
      severity: 'error',
      path,
      rule,
      message,
      isTranslated: true,
      ...(location === undefined ? {} : { location }),
    };
  };
  if (!isJsonObject(value)) return [problem('', 'document/wrong-type', text.configure.textUnreadable)];
  const taken: (() => void)[] = [];
  const known = sides.filter((side) => draft.pluginOf(side) !== undefined);
  const foreign = Object.keys(value).find(
    (key) => key !== 'vm' && key !== '$schema' && !known.some((side) => side === key),
  );
  if (foreign !== undefined)
    return [
      problem(
        `/${foreign.replaceAll('~', '~0').replaceAll('/', '~1')}`,
        'document/unknown-key',
        text.configure.unknownKey(foreign),
      ),
    ];
  for (const side of known) {
    const part = value[side] ?? {};
    if (!isJsonObject(part)) return [problem(`/${side}`, 'document/wrong-type', text.configure.textUnreadable)];
    const plugin = draft.pluginOf(side)!;
    if (part['plugin'] !== undefined && part['plugin'] !== plugin)
      return [
        problem(
          `/${side}/plugin`,
          'document/other-endpoint',
          text.replicas.otherPlugin(side, pluginTitle(plugins[plugin])),
        ),
      ];
    const environment = part['environment'] ?? {};
    if (!isJsonObject(environment))
      return [problem(`/${side}/environment`, 'document/wrong-type', text.configure.textUnreadable)];
    taken.push(() => draft.replace(side, environment as JsonObject));
  }
  for (const take of taken) take();
  return [];
}
