import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import TextField from '@mui/material/TextField';
import Typography from '@mui/material/Typography';
import { useState, type SubmitEvent } from 'react';
import type { MoverQuestion, TrustedHostKey } from '../../../shared/contract/mover-calls.ts';
import { fonts } from '../../app/theme.ts';
import { text } from '../../text/text.ts';

/** What a person has said so far on the way to a mover. */
export interface MoverAnswers {
  readonly trusted: readonly TrustedHostKey[];
  readonly secrets: Readonly<Record<string, string>>;
}
export const noAnswers: MoverAnswers = { trusted: [], secrets: {} };

interface Props {
  readonly question: MoverQuestion;
  readonly answers: MoverAnswers;
  readonly isBusy: boolean;
  readonly onAnswer: (answers: MoverAnswers) => void;
  readonly onCancel: () => void;
}

/** One question of SSH as the content of a dialog: a host key to compare, a password or a passphrase. */
export function MoverQuestionForm({ question, answers, isBusy, onAnswer, onCancel }: Props) {
  const [secret, setSecret] = useState('');
  const isHostKey = question.kind === 'host-key';
  const withSecret = (value: string): MoverAnswers => ({
    ...answers,
    secrets: { ...answers.secrets, ...(question.kind === 'host-key' ? {} : { [question.key]: value }) },
  });
  const answer = (event: SubmitEvent): void => {
    event.preventDefault();
    if (isBusy) return;
    if (question.kind !== 'host-key') return onAnswer(withSecret(secret));
    const { host, port, fingerprint } = question;
    onAnswer({ ...answers, trusted: [...answers.trusted, { host, port, fingerprint }] });
  };
  return (
    <form onSubmit={answer}>
      <DialogContent sx={{ display: 'flex', flexDirection: 'column', gap: 2, pt: 1 }}>
        {isHostKey ? (
          <HostKey question={question} />
        ) : (
          <TextField
            autoFocus
            fullWidth
            size="small"
            type="password"
            autoComplete="off"
            label={text.movers[question.kind](question.about)}
            helperText={text.movers.secretHelp}
            value={secret}
            onChange={(event) => setSecret(event.target.value)}
          />
        )}
      </DialogContent>
      <DialogActions>
        <Button onClick={onCancel}>{text.app.cancel}</Button>
        {question.kind === 'passphrase' && (
          <Button disabled={isBusy} onClick={() => onAnswer(withSecret(''))}>
            {text.movers.skipKey}
          </Button>
        )}
        <Button type="submit" variant="contained" disabled={isBusy || (!isHostKey && secret === '')}>
          {isHostKey ? text.movers.trust : text.movers.continue}
        </Button>
      </DialogActions>
    </form>
  );
}

function HostKey({
  question: { host, port, fingerprint },
}: {
  readonly question: Extract<MoverQuestion, { kind: 'host-key' }>;
}) {
  return (
    <>
      <Typography sx={{ overflowWrap: 'anywhere' }}>{text.movers.hostKey(`${host}:${port}`)}</Typography>
      <Box
        component="p"
        aria-label={text.movers.hostKeyTitle}
        sx={{
          m: 0,
          p: 1.5,
          borderRadius: 1,
          bgcolor: 'action.hover',
          fontFamily: fonts.code,
          fontSize: 13,
          overflowWrap: 'anywhere',
        }}
      >
        {fingerprint}
      </Box>
    </>
  );
}
