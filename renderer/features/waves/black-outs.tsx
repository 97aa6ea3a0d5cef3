import AddIcon from '@mui/icons-material/Add';
import DeleteIcon from '@mui/icons-material/DeleteOutlined';
import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import IconButton from '@mui/material/IconButton';
import TextField from '@mui/material/TextField';
import Typography from '@mui/material/Typography';
import { lasts } from '../../../shared/model/wave-calendar.ts';
import { blackOutSchema, type BlackOut } from '../../../shared/model/wave-plan.ts';
import { text } from '../../text/text.ts';

const words = text.waves.blackOuts;
const parts = ['from', 'to'] as const;

/** Whether each has two moments in a known time zone, the second one later. */
export function areSound(blackOuts: readonly BlackOut[]): boolean {
  return blackOuts.every((blackOut) => blackOutSchema.safeParse(blackOut).success && lasts(blackOut));
}

interface Props {
  readonly blackOuts: readonly BlackOut[];
  /** Of new ones. */
  readonly zone: string;
  readonly onChange: (blackOuts: readonly BlackOut[]) => void;
}

/** Times in which a wave starts nothing on its own. */
export function BlackOuts({ blackOuts, zone, onChange }: Props) {
  const change = (index: number, part: Partial<BlackOut>) =>
    onChange(blackOuts.map((blackOut, at) => (at === index ? { ...blackOut, ...part } : blackOut)));
  return (
    <>
      {blackOuts.map((blackOut, index) => (
        <Box
          key={index}
          role="group"
          aria-label={words.number(index + 1)}
          sx={{
            display: 'grid',
            gridTemplateColumns: { xs: '1fr auto', sm: '1fr 1fr minmax(0, 120px) auto' },
            gap: 1.5,
            alignItems: 'center',
          }}
        >
          {parts.map((part) => (
            <Box
              key={part}
              sx={{ display: 'grid', gridTemplateColumns: '3fr 2fr', gap: 1, gridColumn: { xs: '1 / -1', sm: 'auto' } }}
            >
              <TextField
                type="date"
                size="small"
                label={words.dates[part]}
                value={blackOut[`${part}Date`]}
                onChange={(event) => change(index, { [`${part}Date`]: event.target.value })}
                slotProps={{ inputLabel: { shrink: true } }}
              />
              <TextField
                type="time"
                size="small"
                label={words.times[part]}
                value={blackOut[`${part}Time`]}
                onChange={(event) => change(index, { [`${part}Time`]: event.target.value })}
                slotProps={{ inputLabel: { shrink: true } }}
              />
            </Box>
          ))}
          <Typography variant="caption" sx={{ color: 'text.secondary', overflowWrap: 'anywhere' }}>
            {blackOut.zone}
          </Typography>
          <IconButton
            size="small"
            aria-label={words.remove(index + 1)}
            onClick={() => onChange(blackOuts.filter((_, at) => at !== index))}
          >
            <DeleteIcon fontSize="small" />
          </IconButton>
        </Box>
      ))}
      {!areSound(blackOuts) && (
        <Alert severity="error" role="status">
          {words.invalid}
        </Alert>
      )}
      <Box>
        <Button
          size="small"
          startIcon={<AddIcon />}
          disabled={blackOuts.length >= 100}
          onClick={() => onChange([...blackOuts, { fromDate: '', fromTime: '', toDate: '', toTime: '', zone }])}
        >
          {words.add}
        </Button>
      </Box>
    </>
  );
}
