import Stack from '@mui/material/Stack';
import { useMemo, useState } from 'react';
import { stringify } from 'yaml';
import { readDocument } from '../../../shared/environment/read-document.ts';
import { isJsonObject, type JsonObject } from '../../../shared/model/json.ts';
import { sides } from '../../../shared/model/plugin-id.ts';
import { plugins } from '../../../shared/plugins/registry.ts';
import type { Finding } from '../../../shared/schema/finding.ts';
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

/** What the layer says itself, as a document. */
export function textOf(draft: EnvironmentDraft): WrittenText {
  const document: Record<string, unknown> = {};
  for (const side of sides) {
    const plugin = draft.pluginOf(side);
    if (plugin !== undefined) document[side] = { plugin, environment: draft.shownLayer(side).environment };
  }
  return { content: stringify(document), isReadable: true, version: draft.version() };
}

interface Props {
  readonly written: WrittenText;
  readonly onChange: (written: WrittenText) => void;
}

/** The layer as text. What can be read goes into the draft at once, so that both views have the same findings. */
export function TextView({ written, onChange }: Props) {
  const { draft } = useDraftView();
  useDraftVersion(draft);
  const [problems, setProblems] = useState<readonly Finding[]>([]);
  const read = useMemo(() => readDocument(written.content, formatOf(written.content)), [written.content]);
  const change = (content: string) => {
    const found = takeText(draft, content);
    setProblems(found);
    onChange({ content, isReadable: found.length === 0, version: draft.version() });
  };
  const findings = problems.length > 0 ? problems : draft.findings().map((finding) => {
    const location = read.locate(fromPointer(finding.path));
    return location === undefined ? finding : { ...finding, location };
  });
  return (
    <Stack spacing={2}>
      <DocumentEditor value={written.content} onChange={change} findings={findings} help={text.configure.textHelp} />
      {sides.map((side) => {
        const plugin = draft.pluginOf(side);
        return plugin === undefined ? null : <KeyReference key={side} title={side === 'source' ? text.replicas.sourceReference : text.replicas.reference} plugin={plugin} side={side} />;
      })}
    </Stack>
  );
}

function formatOf(content: string): 'json' | 'yaml' {
  return /^\s*[{[/]/.test(content) ? 'json' : 'yaml';
}

/** Puts a text's values into the draft; answers with what keeps it from being read as one for these platforms. */
export function takeText(draft: EnvironmentDraft, content: string): readonly Finding[] {
  const { value, findings, locate } = readDocument(content, formatOf(content));
  const errors = findings.filter(({ severity }) => severity === 'error');
  if (errors.length > 0) return errors;
  const problem = (path: string, rule: string, message: string): Finding => {
    const location = locate(fromPointer(path));
    return { severity: 'error', path, rule, message, ...(location === undefined ? {} : { location }) };
  };
  if (!isJsonObject(value)) return [problem('', 'document/wrong-type', text.configure.textUnreadable)];
  const taken: (() => void)[] = [];
  const known = sides.filter((side) => draft.pluginOf(side) !== undefined);
  const foreign = Object.keys(value).find((key) => key !== 'vm' && !known.some((side) => side === key));
  if (foreign !== undefined) return [problem(`/${foreign.replaceAll('~', '~0').replaceAll('/', '~1')}`, 'document/unknown-key', text.configure.unknownKey(foreign))];
  for (const side of known) {
    const part = value[side] ?? {};
    if (!isJsonObject(part)) return [problem(`/${side}`, 'document/wrong-type', text.configure.textUnreadable)];
    const plugin = draft.pluginOf(side)!;
    if (part['plugin'] !== undefined && part['plugin'] !== plugin) return [problem(`/${side}/plugin`, 'document/other-endpoint', text.replicas.otherPlugin(side, pluginTitle(plugins[plugin])))];
    const environment = part['environment'] ?? {};
    if (!isJsonObject(environment)) return [problem(`/${side}/environment`, 'document/wrong-type', text.configure.textUnreadable)];
    taken.push(() => draft.replace(side, environment as JsonObject));
  }
  for (const take of taken) take();
  return [];
}
