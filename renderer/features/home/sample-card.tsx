import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Paper from '@mui/material/Paper';
import Typography from '@mui/material/Typography';
import { hrefOf } from '../../app/route.ts';
import { CopyButton } from '../../components/copy-button.tsx';
import { text } from '../../text/en.ts';

/** For people who want to see it work before they describe anything: the lab, and documents that need no network. */
export function SampleCard() {
  return (
    <Paper variant="outlined" component="section" aria-label={text.home.sample} sx={{ p: 3 }}>
      <Typography variant="h6" component="h2">
        {text.home.sample}
      </Typography>
      <Typography sx={{ color: 'text.secondary', mb: 1.5 }}>{text.home.sampleLead}</Typography>
      <Box sx={{ display: 'flex', gap: 1, alignItems: 'center', flexWrap: 'wrap' }}>
        <Box component="code" sx={{ px: 1.5, py: 0.5, borderRadius: 1, bgcolor: 'action.hover' }}>
          {text.home.sampleCommand}
        </Box>
        <CopyButton content={text.home.sampleCommand} />
        <Button href={hrefOf('check')}>{text.home.sampleCheck}</Button>
      </Box>
    </Paper>
  );
}
