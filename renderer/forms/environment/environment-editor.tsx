import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import ToggleButton from '@mui/material/ToggleButton';
import ToggleButtonGroup from '@mui/material/ToggleButtonGroup';
import type { Theme } from '@mui/material/styles';
import useMediaQuery from '@mui/material/useMediaQuery';
import { useMemo, useState } from 'react';
import { topBarHeight } from '../../app/theme.ts';
import { FileButton } from '../../components/file-button.tsx';
import { timeText } from '../../components/quantities.ts';
import { text } from '../../text/text.ts';
import { CompareDialog } from '../document/compare-dialog.tsx';
import { comparisonsOf, effectiveText, type OtherSettings } from './comparisons.ts';
import { DraftViewContext } from './draft-context.tsx';
import { EffectiveView } from './effective-view.tsx';
import type { EnvironmentDraft } from './environment-draft.ts';
import { FindingsBar, OtherFindings } from './findings-bar.tsx';
import { GroupRail, SettingGroups } from './setting-groups.tsx';
import { takeText, textOf, TextView, type WrittenText } from './text-view.tsx';
import type { Choices, Freshness } from './use-options.ts';

interface Props {
  readonly draft: EnvironmentDraft;
  readonly choices: Pick<Choices, 'optionsOf' | 'freshness'>;
  /** What was saved last, by identity: comparisons begin there. */
  readonly saved?: unknown;
  /** Other VMs that can be compared with. */
  readonly others?: readonly OtherSettings[];
}

const nobody: readonly OtherSettings[] = [];

/** Everything that edits an environment: form or text, findings, and what counts in the end. */
export function EnvironmentEditor({ draft, choices: { optionsOf, freshness }, saved, others = nobody }: Props) {
  const view = useMemo(() => ({ draft, optionsOf }), [draft, optionsOf]);
  const [written, setWritten] = useState<WrittenText>();
  const [kept, setKept] = useState<WrittenText>();
  const [base, setBase] = useState(() => ({ saved, content: textOf(draft).content, effective: effectiveText(draft) }));
  if (base.saved !== saved) setBase({ saved, content: textOf(draft, kept).content, effective: effectiveText(draft) });
  const [isComparing, setIsComparing] = useState(false);
  // Where there is little room, the form needs it more, until somebody asks for both.
  const isRoomy = useMediaQuery<Theme>((theme) => theme.breakpoints.up('lg'));
  const [wantsEffective, setWantsEffective] = useState<boolean>();
  const showsEffective = wantsEffective ?? isRoomy;
  const isText = written !== undefined;
  const choose = (chosen: 'form' | 'text') => {
    if (chosen === 'text' && !isText) setWritten(kept?.version === draft.version() ? kept : textOf(draft, kept));
    if (chosen === 'form' && written?.isReadable === true) {
      // The same text comes back, comments and all, as long as the form changes nothing.
      setKept(written);
      setWritten(undefined);
    }
  };
  return (
    <DraftViewContext value={view}>
      <Box
        sx={{
          position: 'sticky',
          top: topBarHeight,
          zIndex: 2,
          bgcolor: 'background.paper',
          display: 'flex',
          gap: 2,
          alignItems: 'center',
          flexWrap: 'wrap',
          py: 1,
        }}
      >
        <ToggleButtonGroup
          size="small"
          exclusive
          value={isText ? 'text' : 'form'}
          aria-label={text.configure.view}
          onChange={(_event, chosen: 'form' | 'text' | null) => chosen !== null && choose(chosen)}
        >
          <ToggleButton value="form">{text.configure.form}</ToggleButton>
          <ToggleButton value="text">{text.configure.asText}</ToggleButton>
        </ToggleButtonGroup>
        <FindingsBar />
        <Box sx={{ flexGrow: 1 }} />
        <FileButton
          label={text.replicas.fromFile}
          endings=".yaml,.yml,.json,.jsonc"
          size="small"
          onText={(content) => {
            const isReadable = takeText(draft, content).length === 0;
            setWritten({ content, isReadable, version: draft.version() });
          }}
        />
        <Button size="small" onClick={() => setIsComparing(true)}>
          {text.editor.compareOpen}
        </Button>
        <Button
          size="small"
          variant={showsEffective ? 'outlined' : 'text'}
          aria-pressed={showsEffective}
          onClick={() => setWantsEffective(!showsEffective)}
        >
          {text.configure.effective}
        </Button>
      </Box>
      <FreshnessNotice freshness={freshness} />
      <OtherFindings />
      {isText && !written.isReadable && <Alert severity="warning">{text.configure.textUnreadable}</Alert>}
      <Box
        sx={{
          display: 'grid',
          gap: 3,
          alignItems: 'start',
          gridTemplateColumns: {
            xs: 'minmax(0, 1fr)',
            md: [isText ? '' : '170px', 'minmax(0, 1fr)', showsEffective ? '290px' : '']
              .filter((part) => part !== '')
              .join(' '),
          },
        }}
      >
        {isText ? (
          <TextView written={written} onChange={setWritten} />
        ) : (
          <>
            <GroupRail />
            <SettingGroups draft={draft} />
          </>
        )}
        {showsEffective && <EffectiveView />}
      </Box>
      {isComparing && (
        <CompareDialog
          comparisons={comparisonsOf({ draft, written, kept, base, others })}
          onClose={() => setIsComparing(false)}
        />
      )}
    </DraftViewContext>
  );
}

/** Where choices are from when they are not of now. */
function FreshnessNotice({ freshness }: { readonly freshness: Freshness }) {
  if (freshness.kind === 'old') {
    const at = timeText(freshness.capturedAt);
    return (
      <Alert severity={freshness.isAsking ? 'info' : 'warning'}>
        {freshness.isAsking ? text.configure.asking(at) : text.configure.offline(at)}
      </Alert>
    );
  }
  if (freshness.kind === 'none') return <Alert severity="info">{text.configure.noOptions}</Alert>;
  return null;
}
