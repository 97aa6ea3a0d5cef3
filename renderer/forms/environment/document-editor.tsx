import ErrorIcon from '@mui/icons-material/ErrorOutlined';
import InfoIcon from '@mui/icons-material/InfoOutlined';
import WarningIcon from '@mui/icons-material/WarningAmberOutlined';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import List from '@mui/material/List';
import ListItemButton from '@mui/material/ListItemButton';
import ListItemIcon from '@mui/material/ListItemIcon';
import ListItemText from '@mui/material/ListItemText';
import Typography from '@mui/material/Typography';
import { useId, useRef } from 'react';
import type { DocumentFormat } from '../../../shared/environment/read-document.ts';
import type { Finding } from '../../../shared/schema/finding.ts';
import type { PageFinding } from '../../components/finding-lines.ts';
import { FindingMessage } from '../../components/finding-message.tsx';
import { LearnMoreOfFinding } from '../../components/manual/learn-more.tsx';
import { isEnglish, text } from '../../text/text.ts';
import { CodeEditor, type CodeHandle } from '../document/code-editor.tsx';
import type { ResourceChoices } from '../document/document-assist.ts';

const icons = {
  error: <ErrorIcon color="error" titleAccess={text.validation.error} />,
  warning: <WarningIcon color="warning" titleAccess={text.validation.warning} />,
  info: <InfoIcon color="info" titleAccess={text.validation.info} />,
} as const;

interface Props {
  readonly value: string;
  readonly format: DocumentFormat;
  readonly onChange: (value: string) => void;
  readonly onFix: (finding: Finding) => void;
  readonly findings: readonly PageFinding[];
  readonly resources?: ResourceChoices;
  readonly help?: string;
}

/** A document as text with what was found in it beside it. */
export function DocumentEditor({
  value,
  format,
  onChange,
  onFix,
  findings,
  resources,
  help = text.replicas.documentHelp,
}: Props) {
  const editor = useRef<CodeHandle>(null);
  const helpId = useId();
  const errors = findings.filter(({ severity }) => severity === 'error').length;
  const warnings = findings.filter(({ severity }) => severity === 'warning').length;
  const jumpTo = (finding: Finding) => editor.current?.show(finding);
  /** The first one below the line in which the cursor is; after the last one the first again. */
  const jumpToNext = () => {
    const line = editor.current?.line() ?? 0;
    const next = findings.find(({ location }) => (location?.line ?? 1) > line) ?? findings[0];
    if (next !== undefined) jumpTo(next);
  };
  return (
    <Box
      sx={{
        display: 'grid',
        gridTemplateColumns: { xs: 'minmax(0, 1fr)', lg: 'minmax(0, 3fr) minmax(280px, 1fr)' },
        gap: 2,
        alignItems: 'start',
      }}
    >
      <Box sx={{ minWidth: 0 }}>
        <CodeEditor
          handle={editor}
          label={text.replicas.document}
          describedBy={helpId}
          value={value}
          format={format}
          findings={findings}
          onChange={onChange}
          onFix={onFix}
          {...(resources === undefined ? {} : { resources })}
        />
        <Typography id={helpId} variant="caption" component="p" sx={{ color: 'text.secondary', mt: 0.5 }}>
          {help} {text.editor.keys}
        </Typography>
      </Box>
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
                  primary={<FindingMessage finding={finding} suggestion="elsewhere" />}
                  secondary={[
                    finding.location === undefined ? '' : text.replicas.goToLine(finding.location.line),
                    finding.path,
                    isEnglish ? (finding.suggestion ?? '') : '',
                  ]
                    .filter((part) => part !== '')
                    .join(' · ')}
                  slotProps={{ secondary: { sx: { overflowWrap: 'anywhere' } } }}
                />
              </ListItemButton>
              <Box sx={{ pl: 6.5 }}>
                {finding.fix !== undefined && (
                  <Button size="small" aria-label={text.validation.mendOf(finding.path)} onClick={() => onFix(finding)}>
                    {text.validation.mendNow}
                  </Button>
                )}
                <LearnMoreOfFinding rule={finding.rule} />
              </Box>
            </li>
          ))}
        </List>
      </Box>
    </Box>
  );
}
