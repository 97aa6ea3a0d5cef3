import ExpandMoreIcon from '@mui/icons-material/ExpandMore';
import Accordion from '@mui/material/Accordion';
import AccordionDetails from '@mui/material/AccordionDetails';
import AccordionSummary from '@mui/material/AccordionSummary';
import TextField from '@mui/material/TextField';
import Typography from '@mui/material/Typography';
import { useMemo } from 'react';
import { readProviderConfiguration } from '../../../shared/environment/provider-configuration.ts';
import { plugins } from '../../../shared/plugins/registry.ts';
import { fonts } from '../../app/theme.ts';
import { FindingMessage } from '../../components/finding-message.tsx';
import { LearnMoreOfFinding } from '../../components/manual/learn-more.tsx';
import { SeverityLabel } from '../../components/severity-label.tsx';
import { text } from '../../text/text.ts';

/** The text of a provider configuration with what is wrong in it. */
export function ProviderConfiguration({
  value,
  onChange,
}: {
  readonly value: string;
  readonly onChange: (value: string) => void;
}) {
  const findings = useMemo(
    () => (value.trim() === '' ? [] : readProviderConfiguration(value, Object.values(plugins)).findings),
    [value],
  );
  return (
    <Accordion variant="outlined" disableGutters {...(value === '' ? {} : { defaultExpanded: true })}>
      <AccordionSummary expandIcon={<ExpandMoreIcon />}>{text.configure.providerConfiguration}</AccordionSummary>
      <AccordionDetails>
        <TextField
          multiline
          minRows={4}
          maxRows={16}
          fullWidth
          label={text.configure.providerConfiguration}
          helperText={text.configure.providerConfigurationHelp}
          value={value}
          error={findings.some(({ severity }) => severity === 'error')}
          onChange={(event) => onChange(event.target.value)}
          slotProps={{ htmlInput: { spellCheck: false } }}
          sx={{ '& textarea': { fontFamily: fonts.code, fontSize: 13 } }}
        />
        {findings.map((finding) => (
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
        ))}
      </AccordionDetails>
    </Accordion>
  );
}
