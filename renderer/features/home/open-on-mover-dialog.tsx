import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Checkbox from '@mui/material/Checkbox';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import FormControlLabel from '@mui/material/FormControlLabel';
import LinearProgress from '@mui/material/LinearProgress';
import TextField from '@mui/material/TextField';
import Typography from '@mui/material/Typography';
import { useId, useState, type SubmitEvent } from 'react';
import type { MoverQuestion } from '../../../shared/contract/mover-calls.ts';
import { useAction } from '../../app/use-action.ts';
import { useLink, useShell } from '../../app/workbench-context.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { bytesText } from '../../components/quantities.ts';
import { text } from '../../text/text.ts';
import { MoverQuestionForm, noAnswers, type MoverAnswers } from './mover-question.tsx';

interface Props {
  readonly mover: string;
  /** The folder that is proposed. */
  readonly folder?: string;
  readonly onClose: () => void;
}

/** Opens a project on a mover, with what it asks for and how far it is. */
export function OpenOnMoverDialog({ mover, folder: proposed = 'causeway-project', onClose }: Props) {
  const id = useId();
  const link = useLink();
  const [folder, setFolder] = useState(proposed);
  const [create, setCreate] = useState(false);
  const [question, setQuestion] = useState<MoverQuestion>();
  const [answers, setAnswers] = useState(noAnswers);
  const open = useAction(async (given: MoverAnswers) => {
    setQuestion(undefined);
    const answer = await link.call('mover.openProject', {
      mover,
      folder: folder.trim(),
      create,
      secrets: { ...given.secrets },
    });
    if (!('question' in answer)) return onClose();
    setAnswers(given);
    setQuestion(answer.question);
  });
  const cancel = (): void => {
    if (open.isBusy) void link.call('mover.cancel', {});
    onClose();
  };
  const isReady = folder.trim() !== '' && !open.isBusy;
  const start = (event: SubmitEvent): void => {
    event.preventDefault();
    if (isReady) void open.run(noAnswers);
  };
  return (
    <Dialog open onClose={cancel} aria-labelledby={id} maxWidth="sm" fullWidth>
      <DialogTitle id={id}>{text.movers.openTitle(mover)}</DialogTitle>
      {question !== undefined ? (
        <MoverQuestionForm
          key={JSON.stringify(question)}
          question={question}
          answers={answers}
          isBusy={open.isBusy}
          onAnswer={(given) => void open.run(given)}
          onCancel={cancel}
        />
      ) : (
        <form onSubmit={start}>
          <DialogContent sx={{ display: 'flex', flexDirection: 'column', gap: 2, pt: 1 }}>
            {open.error !== undefined && open.error.code !== 'general.cancelled' && <ErrorNotice error={open.error} />}
            <TextField
              autoFocus
              size="small"
              label={text.movers.folder}
              helperText={text.movers.folderHelp}
              value={folder}
              disabled={open.isBusy}
              onChange={(event) => setFolder(event.target.value)}
              slotProps={{ htmlInput: { spellCheck: false } }}
            />
            <FormControlLabel
              label={text.movers.create}
              control={
                <Checkbox
                  checked={create}
                  disabled={open.isBusy}
                  onChange={(event) => setCreate(event.target.checked)}
                />
              }
            />
            {open.isBusy && <Progress />}
          </DialogContent>
          <DialogActions>
            <Button onClick={cancel}>{text.app.cancel}</Button>
            <Button type="submit" variant="contained" disabled={!isReady}>
              {text.movers.openButton}
            </Button>
          </DialogActions>
        </form>
      )}
    </Dialog>
  );
}

function Progress() {
  const step = useShell()?.mover;
  const words = text.movers.steps[step?.step ?? 'connecting'];
  const [sent, total] = [step?.sentBytes ?? 0, step?.totalBytes];
  return (
    <Box role="status">
      <Typography variant="body2">
        {words} {total !== undefined && text.movers.uploaded(bytesText(sent), bytesText(total))}
      </Typography>
      <LinearProgress
        aria-label={words}
        {...(total === undefined ? {} : { variant: 'determinate', value: (sent / total) * 100 })}
        sx={{ mt: 1 }}
      />
    </Box>
  );
}
