import ErrorIcon from '@mui/icons-material/ErrorOutlined';
import InfoIcon from '@mui/icons-material/InfoOutlined';
import WarningIcon from '@mui/icons-material/WarningAmberOutlined';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import List from '@mui/material/List';
import ListItemButton from '@mui/material/ListItemButton';
import ListItemIcon from '@mui/material/ListItemIcon';
import ListItemText from '@mui/material/ListItemText';
import TextField from '@mui/material/TextField';
import Typography from '@mui/material/Typography';
import { useRef } from 'react';
import type { Finding } from '../../../shared/schema/finding.ts';
import { fonts } from '../../app/theme.ts';
import { LearnMoreOfFinding } from '../../components/manual/learn-more.tsx';
import { text } from '../../text/text.ts';

const icons = {
  error: <ErrorIcon color="error" titleAccess={text.validation.error} />,
  warning: <WarningIcon color="warning" titleAccess={text.validation.warning} />,
  info: <InfoIcon color="info" titleAccess={text.validation.info} />,
} as const;
const lineHeight = 20;

interface Props {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly findings: readonly Finding[];
  readonly help?: string;
}

/** A document as text with what was found in it beside it. */
export function DocumentEditor({ value, onChange, findings, help = text.replicas.documentHelp }: Props) {
  const area = useRef<HTMLTextAreaElement>(null);
  const errors = findings.filter(({ severity }) => severity === 'error').length;
  const warnings = findings.filter(({ severity }) => severity === 'warning').length;
  const jumpTo = (finding: Finding) => {
    if (area.current !== null) selectLine(area.current, finding.location?.line ?? 1);
  };
  /** The first one below the line in which the cursor is; after the last one the first again. */
  const jumpToNext = () => {
    const line = area.current === null ? 0 : value.slice(0, area.current.selectionStart).split('\n').length;
    const next = findings.find(({ location }) => (location?.line ?? 1) > line) ?? findings[0];
    if (next !== undefined) jumpTo(next);
  };
  return (
    <Box sx={{ display: 'grid', gridTemplateColumns: { xs: '1fr', lg: '3fr 2fr' }, gap: 2, alignItems: 'start' }}>
      <TextField
        multiline
        rows={24}
        fullWidth
        label={text.replicas.document}
        helperText={help}
        value={value}
        inputRef={area}
        onChange={(event) => onChange(event.target.value)}
        slotProps={{ htmlInput: { spellCheck: false, wrap: 'off' } }}
        sx={{ '& textarea': { fontFamily: fonts.code, fontSize: 13, lineHeight: `${lineHeight}px` } }}
      />
      <Box component="section" aria-label={text.replicas.findings}>
        <Box sx={{ display: 'flex', gap: 1, alignItems: 'center', mb: 1 }}>
          <Typography role="status" sx={{ fontWeight: 600, flexGrow: 1 }}>
            {findings.length === 0 ? text.replicas.noFindings : text.replicas.findingsCount(errors, warnings)}
          </Typography>
          {findings.length > 0 && (
            <Button size="small" onClick={jumpToNext}>
              {text.replicas.nextFinding}
            </Button>
          )}
        </Box>
        <List dense disablePadding sx={{ maxHeight: 480, overflow: 'auto' }}>
          {findings.map((finding, index) => (
            <li key={index}>
              <ListItemButton onClick={() => jumpTo(finding)} sx={{ alignItems: 'flex-start', borderRadius: 1 }}>
                <ListItemIcon sx={{ minWidth: 36, mt: 0.5 }}>{icons[finding.severity]}</ListItemIcon>
                <ListItemText
                  primary={finding.message}
                  secondary={[finding.location === undefined ? '' : text.replicas.goToLine(finding.location.line), finding.path, finding.suggestion ?? '']
                    .filter((part) => part !== '')
                    .join(' · ')}
                  slotProps={{ secondary: { sx: { overflowWrap: 'anywhere' } } }}
                />
              </ListItemButton>
              <Box sx={{ pl: 6.5 }}>
                <LearnMoreOfFinding rule={finding.rule} />
              </Box>
            </li>
          ))}
        </List>
      </Box>
    </Box>
  );
}

function selectLine(area: HTMLTextAreaElement, line: number): void {
  const lines = area.value.split('\n');
  const start = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0);
  area.focus();
  area.setSelectionRange(start, start + (lines[line - 1]?.length ?? 0));
  area.scrollTop = Math.max(0, (line - 5) * lineHeight);
}
