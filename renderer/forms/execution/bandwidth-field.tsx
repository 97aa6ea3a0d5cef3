import Box from '@mui/material/Box';
import Chip from '@mui/material/Chip';
import TextField from '@mui/material/TextField';
import Typography from '@mui/material/Typography';
import { formatRate } from '../../../shared/model/bandwidth-profile.ts';
import { rateText } from '../../components/quantities.ts';
import { text } from '../../text/text.ts';
import { rateNow, readBandwidth } from './bandwidth.ts';
import { WeekPreview } from './week-preview.tsx';

const examples = [
  ['', text.runs.examples.unlimited],
  ['20M', text.runs.examples.fixed],
  ['mon-fri 08:00-18:00=20M; *=unlimited', text.runs.examples.office],
  ['22:00-06:00=unlimited; *=pause', text.runs.examples.nights],
  ['pause', text.runs.examples.pause],
] as const;

interface Props {
  readonly value: string;
  readonly onChange: (written: string) => void;
  readonly autoFocus?: boolean;
}

/** A bandwidth limit as people write it, fixed or by time of day, checked while one types. */
export function BandwidthField({ value, onChange, autoFocus = false }: Props) {
  const read = readBandwidth(value);
  const now = 'options' in read ? rateNow(read.options, new Date()) : undefined;
  return (
    <Box sx={{ display: 'flex', flexDirection: 'column', gap: 1 }}>
      <TextField
        size="small"
        fullWidth
        label={text.runs.limit}
        value={value}
        autoFocus={autoFocus}
        placeholder={text.runs.unlimited}
        error={'error' in read}
        helperText={'error' in read ? read.error : text.runs.limitHelp}
        onChange={(event) => onChange(event.target.value)}
        slotProps={{ htmlInput: { spellCheck: false }, inputLabel: { shrink: true } }}
      />
      <Box role="group" aria-label={text.runs.examplesLabel} sx={{ display: 'flex', gap: 1, flexWrap: 'wrap' }}>
        {examples.map(([written, label]) => (
          <Chip
            key={label}
            size="small"
            variant={value.trim() === written ? 'filled' : 'outlined'}
            label={label}
            onClick={() => onChange(written)}
          />
        ))}
      </Box>
      {'options' in read && (
        <Typography variant="body2" role="status">
          {now === undefined
            ? text.runs.nowUnlimited
            : now === 0
              ? text.runs.nowPaused
              : text.runs.nowLimited(written(now), rateText(now))}
        </Typography>
      )}
      {'profile' in read && read.profile !== undefined && <WeekPreview profile={read.profile} />}
    </Box>
  );
}

/** "20M" as "20 MB/s". */
function written(rate: number): string {
  return `${formatRate(rate).replace(/(?=[kMG])/, ' ')}B/s`;
}
