import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Tooltip from '@mui/material/Tooltip';
import Typography from '@mui/material/Typography';
import { useCallback, useEffect } from 'react';
import { isSide, type Side } from '../../../shared/model/plugin-id.ts';
import { FindingMessage } from '../../components/finding-message.tsx';
import { LearnMoreOfFinding } from '../../components/manual/learn-more.tsx';
import { SeverityLabel } from '../../components/severity-label.tsx';
import { text } from '../../text/text.ts';
import { useDraftVersion, useDraftView } from './draft-context.tsx';
import { fieldId } from './environment-field.tsx';
import { placeOf, type EnvironmentDraft } from './environment-draft.ts';
import { groupsOf } from './setting-groups.tsx';

/** How much was found, and the way from one finding to the next. */
export function FindingsBar() {
  const { draft } = useDraftView();
  useDraftVersion(draft);
  const jump = useCallback((step: 1 | -1) => jumpToFinding(draft, step), [draft]);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'F8') return;
      event.preventDefault();
      jump(event.shiftKey ? -1 : 1);
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [jump]);
  const counted = (severity: string): number =>
    draft.findings().filter((finding) => finding.severity === severity).length;
  const [errors, warnings] = [counted('error'), counted('warning')];
  return (
    <Box sx={{ display: 'flex', gap: 1, alignItems: 'center' }}>
      <Typography role="status" sx={{ fontWeight: 600, color: errors > 0 ? 'error.main' : undefined }}>
        {text.configure.findings(errors, warnings)}
      </Typography>
      {errors + warnings > 0 && (
        <Tooltip describeChild title={text.configure.nextFindingHelp}>
          <Button size="small" onClick={() => jump(1)}>
            {text.configure.nextFinding}
          </Button>
        </Tooltip>
      )}
    </Box>
  );
}

/** What was found in keys that no field is for: they are edited as text. */
export function OtherFindings() {
  const { draft } = useDraftView();
  useDraftVersion(draft);
  const others = draft.findings().filter(({ path }) => !hasField(draft, path));
  if (others.length === 0) return null;
  return (
    <Box component="section" aria-label={text.configure.otherFindings}>
      {others.map((finding) => (
        <Typography
          key={`${finding.path} ${finding.rule} ${finding.message}`}
          variant="body2"
          component="div"
          sx={{ mb: 0.5 }}
        >
          <SeverityLabel severity={finding.severity}>
            <FindingMessage finding={finding} /> <LearnMoreOfFinding rule={finding.rule} />
          </SeverityLabel>
        </Typography>
      ))}
    </Box>
  );
}

function hasField(draft: EnvironmentDraft, path: string): boolean {
  const [side = '', key = ''] = split(placeOf(path));
  return isSide(side) && draft.fieldsOf(side).some((field) => field.key === key);
}

function split(place: string): readonly [string, string] {
  const at = place.indexOf('/');
  return [place.slice(0, at), place.slice(at + 1)];
}

/** Focuses the next field, in the order of the page, that has an error or a warning; after the last comes the first. */
function jumpToFinding(draft: EnvironmentDraft, step: 1 | -1): void {
  const wrong = groupsOf(draft)
    .flatMap(({ side, fields }) => fields.map(({ key }) => ({ side, key })))
    .filter(({ side, key }) => draft.field(side, key).findings.some(({ severity }) => severity !== 'info'))
    .map(({ side, key }) => elementOf(side, key))
    .filter((element) => element !== null);
  const here = document.activeElement;
  const isBehind = (element: Element): boolean =>
    here !== null &&
    !element.contains(here) &&
    (here.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
  const isBefore = (element: Element): boolean =>
    here !== null &&
    !element.contains(here) &&
    (here.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_PRECEDING) !== 0;
  const next = step === 1 ? (wrong.find(isBehind) ?? wrong[0]) : (wrong.findLast(isBefore) ?? wrong.at(-1));
  if (next === undefined) return;
  next.scrollIntoView({ block: 'center' });
  const input =
    next.querySelector<HTMLElement>('[aria-invalid="true"]') ??
    next.querySelector<HTMLElement>('input:not([readonly]), textarea, [role="combobox"], button');
  input?.focus({ preventScroll: true });
}

function elementOf(side: Side, key: string): HTMLElement | null {
  return document.getElementById(fieldId(side, key));
}
