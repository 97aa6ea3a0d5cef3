import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import MenuItem from '@mui/material/MenuItem';
import TextField from '@mui/material/TextField';
import Typography from '@mui/material/Typography';
import { useId } from 'react';
import type { ConflictSide, DescriptionConflict } from '../../shared/model/fleet.ts';
import { lineDifference, type DifferenceLine } from '../../shared/reports/line-difference.ts';
import { ErrorNotice } from '../components/error-notice.tsx';
import { text } from '../text/text.ts';
import { fonts } from './theme.ts';
import type { Action } from './use-action.ts';

interface Props {
  readonly conflict: DescriptionConflict;
  readonly files: readonly string[];
  readonly action: Action<[DescriptionConflict, ConflictSide]>;
  readonly onFile: (file: string) => void;
  readonly onClose: () => void;
}

const colors: Readonly<Record<DifferenceLine['sign'], string | undefined>> = {
  ' ': undefined,
  '-': 'error.main',
  '+': 'success.main',
};
const signs: Readonly<Record<DifferenceLine['sign'], string>> = { ' ': ' ', '-': '−', '+': '+' };

/** What two people have changed in one file, line by line, and the choice between them. */
export function ConflictDialog({ conflict, files, action, onFile, onClose }: Props) {
  const id = useId();
  const words = text.fleet;
  return (
    <Dialog open onClose={onClose} aria-labelledby={id} maxWidth="md" fullWidth>
      <DialogTitle id={id}>{words.title}</DialogTitle>
      <DialogContent sx={{ display: 'flex', flexDirection: 'column', gap: 2 }}>
        <Typography>{words.explanation}</Typography>
        <TextField
          select
          label={words.file}
          value={conflict.file}
          size="small"
          sx={{ mt: 1 }}
          onChange={(event) => {
            action.clear();
            onFile(event.target.value);
          }}
        >
          {files.map((file) => (
            <MenuItem key={file} value={file}>
              {file}
            </MenuItem>
          ))}
        </TextField>
        {conflict.mine === null && <Alert severity="info">{words.mineGone}</Alert>}
        {conflict.theirs === null && <Alert severity="info">{words.theirsGone}</Alert>}
        <Typography variant="body2" sx={{ color: 'text.secondary' }}>
          {words.legend}
        </Typography>
        <Box
          component="pre"
          role="region"
          aria-label={words.difference}
          tabIndex={0}
          sx={{
            m: 0,
            p: 1.5,
            maxHeight: '45vh',
            overflow: 'auto',
            border: 1,
            borderColor: 'divider',
            borderRadius: 1,
            fontFamily: fonts.code,
            fontSize: 13,
            whiteSpace: 'pre-wrap',
            overflowWrap: 'anywhere',
          }}
        >
          {lineDifference(conflict.mine ?? '', conflict.theirs ?? '').map(({ sign, line }, index) => (
            <Box
              component="span"
              key={index}
              sx={{ display: 'block', color: colors[sign] }}
            >{`${signs[sign]} ${line}`}</Box>
          ))}
        </Box>
        {action.error !== undefined && <ErrorNotice error={action.error} />}
      </DialogContent>
      <DialogActions>
        <Button onClick={onClose} autoFocus>
          {words.later}
        </Button>
        <Button disabled={action.isBusy} onClick={() => void action.run(conflict, 'theirs')}>
          {words.takeTheirs}
        </Button>
        <Button variant="contained" disabled={action.isBusy} onClick={() => void action.run(conflict, 'mine')}>
          {words.keepMine}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
