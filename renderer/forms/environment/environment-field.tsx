import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Chip from '@mui/material/Chip';
import Tooltip from '@mui/material/Tooltip';
import Typography from '@mui/material/Typography';
import type { ReactNode } from 'react';
import type { EffectiveKey } from '../../../shared/environment/merge-environment.ts';
import { manualAnchors, manualPages } from '../../../shared/manual/addresses.ts';
import { jsonText, type JsonArray } from '../../../shared/model/json.ts';
import type { Side } from '../../../shared/model/plugin-id.ts';
import type { Finding } from '../../../shared/schema/finding.ts';
import { toPointer } from '../../../shared/schema/json-pointer.ts';
import type { FieldDescriptor } from '../field-descriptor.ts';
import type { EntryRow, FieldValue, FormValues } from '../form-values.ts';
import { stateColor } from '../../app/theme.ts';
import { FindingMessage } from '../../components/finding-message.tsx';
import { LearnMore, LearnMoreOfFinding } from '../../components/manual/learn-more.tsx';
import { SeverityLabel } from '../../components/severity-label.tsx';
import { text } from '../../text/text.ts';
import { useDraftField, useDraftView } from './draft-context.tsx';
import type { FieldState, Level } from './environment-draft.ts';
import { ValueInput } from './value-input.tsx';

/** Where a field can be found in the page, for jumps. */
export function fieldId(side: Side, key: string): string {
  return `setting-${side}-${key}`;
}

/** One key: its value, where that is from, what is wrong with it, and the way back to what lies below. */
export function EnvironmentField({ side, field }: { readonly side: Side; readonly field: FieldDescriptor }) {
  const { draft } = useDraftView();
  const state = useDraftField(side, field.key);
  const { mode, value, isRaw, inherited, findings, setValue } = state;
  const below = `/${side}/environment${toPointer([field.key])}`;
  const errors = findings.filter(({ severity }) => severity === 'error');
  // Errors stand at the input that they are about; the rest below it.
  const errorAt = (path: string): Finding | undefined =>
    errors.find((finding) => finding.path === below + path) ??
    (path === '' && field.kind !== 'object' ? errors[0] : undefined);
  const problemAt = (path: string): ReactNode => {
    const found = errorAt(path);
    return found === undefined ? undefined : <FindingMessage finding={found} />;
  };
  const shown = new Set(inputPaths(field, value).map(errorAt));
  const plugin = draft.pluginOf(side);
  const input = (
    <ValueInput
      side={side}
      field={isRaw ? { ...field, kind: 'json' } : field}
      value={value}
      onChange={setValue}
      problemAt={problemAt}
    />
  );
  return (
    <Box id={fieldId(side, field.key)} data-setting={field.key} sx={{ scrollMarginTop: 60 }}>
      <Box sx={{ display: 'flex', gap: 1, alignItems: 'center', mb: 1, minHeight: 28 }}>
        <OriginChip
          state={state}
          level={draft.level}
          {...(field.meta.builtIn === undefined ? {} : { builtIn: field.meta.builtIn })}
        />
        <Box sx={{ flexGrow: 1 }} />
        {plugin !== undefined && (
          <LearnMore
            page={manualPages.environment(plugin, side)}
            anchor={manualAnchors.key(field.key)}
            about={field.label}
          />
        )}
        {mode !== 'inherit' && (
          <Tooltip
            describeChild
            title={
              inherited === undefined
                ? text.configure.inheritNothing
                : text.configure.inheritHelp(originText(inherited, draft.level), shortText(inherited.value))
            }
          >
            <Button
              size="small"
              aria-label={text.configure.inheritOf(field.label)}
              onClick={() => draft.inherit(side, field.key)}
            >
              {text.configure.inherit}
            </Button>
          </Tooltip>
        )}
        {mode !== 'cleared' && inherited !== undefined && (
          <Tooltip describeChild title={text.configure.clearHelp}>
            <Button
              size="small"
              aria-label={text.configure.clearOf(field.label)}
              onClick={() => draft.clear(side, field.key)}
            >
              {text.configure.clear}
            </Button>
          </Tooltip>
        )}
      </Box>
      {input}
      {isRaw && <Note>{text.configure.rawHelp}</Note>}
      {mode === 'set' && state.effective?.combined !== undefined && <Note>{combinedText(state.effective)}</Note>}
      {[...new Set([...shown].flatMap((finding) => (finding === undefined ? [] : [finding.rule])))].map((rule) => (
        <Box key={rule}>
          <LearnMoreOfFinding rule={rule} />
        </Box>
      ))}
      <OtherFindings findings={findings} shown={shown} />
    </Box>
  );
}

/** Paths below a field's value that have an input of their own. */
function inputPaths(field: FieldDescriptor, value: FieldValue): string[] {
  const { members = [] } = field;
  const ofMembers = (values: FieldValue): string[] =>
    members.flatMap((member) =>
      inputPaths(member, recordOf(values)[member.key] ?? '').map((path) => `${toPointer([member.key])}${path}`),
    );
  if (field.kind === 'entries')
    return [
      '',
      ...(Array.isArray(value) ? (value as readonly EntryRow[]) : []).flatMap((row) =>
        ofMembers(row.members).map((path) => `${toPointer([row.key])}${path}`),
      ),
    ];
  return ['', ...ofMembers(value)];
}

const recordOf = (value: FieldValue): FormValues =>
  typeof value === 'object' && !Array.isArray(value) ? (value as FormValues) : {};

/** Those that no input shows. */
function OtherFindings({
  findings,
  shown,
}: {
  readonly findings: readonly Finding[];
  readonly shown: ReadonlySet<Finding | undefined>;
}) {
  return findings
    .filter((finding) => !shown.has(finding))
    .map((finding) => (
      <Typography
        key={`${finding.path} ${finding.rule} ${finding.message}`}
        variant="body2"
        component="div"
        sx={{ mt: 0.5 }}
      >
        <SeverityLabel severity={finding.severity}>
          <FindingMessage finding={finding} /> <LearnMoreOfFinding rule={finding.rule} />
        </SeverityLabel>
      </Typography>
    ));
}

function Note({ children }: { readonly children: string }) {
  return (
    <Typography variant="caption" component="p" sx={{ color: 'text.secondary', mt: 0.5 }}>
      {children}
    </Typography>
  );
}

interface OriginProps {
  readonly state: FieldState;
  readonly level: Level;
  readonly builtIn?: unknown;
}

/** Where the value is from, in words. */
function OriginChip({ state: { mode, inherited, effective, suggestedOf, isEmptied }, level, builtIn }: OriginProps) {
  if (suggestedOf !== undefined) {
    return (
      <Tooltip describeChild title={text.configure.suggestedHelp}>
        <Chip
          size="small"
          variant="outlined"
          tabIndex={0}
          label={text.configure.suggested(suggestedOf)}
          sx={{ color: stateColor('live', 'text'), borderColor: stateColor('live', 'solid') }}
        />
      </Tooltip>
    );
  }
  if (isEmptied && inherited !== undefined)
    return <Chip size="small" variant="outlined" label={text.configure.emptied(originText(inherited, level))} />;
  if (mode === 'set' && !isEmptied) return <Chip size="small" color="primary" label={text.configure.own[level]} />;
  if (mode === 'cleared')
    return (
      <Chip
        size="small"
        variant="outlined"
        label={text.configure.cleared}
        sx={{ color: stateColor('live', 'text'), borderColor: stateColor('live', 'solid') }}
      />
    );
  const from = effective ?? inherited;
  if (from !== undefined) return <Chip size="small" variant="outlined" label={originText(from, level)} />;
  return (
    <Chip
      size="small"
      variant="outlined"
      label={builtIn === undefined ? text.configure.notSet : text.configure.origin['built-in']}
      sx={{ color: 'text.secondary' }}
    />
  );
}

export function originText({ origin }: Pick<EffectiveKey, 'origin'>, level: Level): string {
  return origin === 'VM' ? text.configure.own[level] : text.configure.origin[origin];
}

export function shortText(value: unknown): string {
  const all = typeof value === 'string' ? value : JSON.stringify(value);
  return all.length > 80 ? `${all.slice(0, 77)}…` : all;
}

function combinedText({ combined, parts = [], value }: EffectiveKey): string {
  const below = parts.filter(({ origin }) => origin === 'provider configuration').map(({ key }) => key);
  if (combined === 'merged') return text.configure.merged(below.join(', '));
  return text.configure.joined(
    below.map((index) => (Array.isArray(value) ? jsonText((value as JsonArray)[Number(index)]) : '')).join(', '),
  );
}
