import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import LinearProgress from '@mui/material/LinearProgress';
import TextField from '@mui/material/TextField';
import { useId, useState, type SubmitEvent } from 'react';
import { moverNameSchema, type MoverQuestion } from '../../../shared/contract/mover-calls.ts';
import { useToast } from '../../app/toasts.tsx';
import { useAction } from '../../app/use-action.ts';
import { useLink } from '../../app/workbench-context.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { text } from '../../text/text.ts';
import { MoverQuestionForm, noAnswers, type MoverAnswers } from './mover-question.tsx';

interface Props {
  /** Names that are taken. */
  readonly names: readonly string[];
  readonly onClose: () => void;
  readonly onAdded: () => void;
}

/** Asks for the host, then for what its SSH servers want to know, one question after the other. */
export function AddMoverDialog({ names, onClose, onAdded }: Props) {
  const id = useId();
  const link = useLink();
  const toast = useToast();
  const [name, setName] = useState('');
  const [destination, setDestination] = useState('');
  const [identityFile, setIdentityFile] = useState('');
  const [answers, setAnswers] = useState(noAnswers);
  const [question, setQuestion] = useState<MoverQuestion>();
  const add = useAction(async (given: MoverAnswers) => {
    setQuestion(undefined);
    // A wrong answer is asked for again; confirmed host keys stay.
    setAnswers({ ...given, secrets: {} });
    const file = identityFile.trim();
    const answer = await link.call('mover.add', {
      name: name.trim(),
      destination: destination.trim(),
      ...(file === '' ? {} : { identityFile: file }),
      trusted: [...given.trusted],
      secrets: { ...given.secrets },
    });
    if ('question' in answer) {
      setAnswers(given);
      return setQuestion(answer.question);
    }
    toast(text.movers.added(answer.mover.name));
    onAdded();
    onClose();
  });
  const cancel = (): void => {
    if (add.isBusy) void link.call('mover.cancel', {});
    onClose();
  };
  const isTaken = names.includes(name.trim());
  const isReady =
    moverNameSchema.safeParse(name.trim()).success && !isTaken && destination.trim() !== '' && !add.isBusy;
  const connect = (event: SubmitEvent): void => {
    event.preventDefault();
    if (isReady) void add.run(answers);
  };
  return (
    <Dialog open onClose={cancel} aria-labelledby={id} maxWidth="sm" fullWidth>
      <DialogTitle id={id}>{text.movers.addTitle}</DialogTitle>
      {question !== undefined ? (
        <MoverQuestionForm
          key={JSON.stringify(question)}
          question={question}
          answers={answers}
          isBusy={add.isBusy}
          onAnswer={(given) => void add.run(given)}
          onCancel={cancel}
        />
      ) : (
        <form onSubmit={connect}>
          <DialogContent sx={{ display: 'flex', flexDirection: 'column', gap: 2, pt: 1 }}>
            {add.error !== undefined && add.error.code !== 'general.cancelled' && <ErrorNotice error={add.error} />}
            <TextField
              autoFocus
              size="small"
              label={text.movers.name}
              value={name}
              error={isTaken}
              helperText={isTaken ? text.movers.nameTaken : text.movers.nameHelp}
              onChange={(event) => setName(event.target.value)}
              slotProps={{ htmlInput: { spellCheck: false } }}
            />
            <TextField
              size="small"
              label={text.movers.destination}
              value={destination}
              helperText={text.movers.destinationHelp}
              onChange={(event) => setDestination(event.target.value)}
              slotProps={{ htmlInput: { spellCheck: false } }}
            />
            <TextField
              size="small"
              label={text.movers.identityFile}
              value={identityFile}
              helperText={text.movers.identityFileHelp}
              onChange={(event) => setIdentityFile(event.target.value)}
              slotProps={{ htmlInput: { spellCheck: false } }}
            />
            {add.isBusy && <LinearProgress aria-label={text.movers.connecting} />}
          </DialogContent>
          <DialogActions>
            <Button onClick={cancel}>{text.app.cancel}</Button>
            <Button type="submit" variant="contained" disabled={!isReady}>
              {text.movers.addButton}
            </Button>
          </DialogActions>
        </form>
      )}
    </Dialog>
  );
}
