import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import TextField from '@mui/material/TextField';
import Typography from '@mui/material/Typography';
import { useState } from 'react';
import type { MachineLife } from '../../../shared/model/machine-life.ts';
import { asCausewayError } from '../../app/query-store.ts';
import { useAction, type Action } from '../../app/use-action.ts';
import { errorWords, text } from '../../text/text.ts';

const words = text.life;

export type DecidedLife = Pick<
  MachineLife,
  'replicaId' | 'replicaName' | 'state' | 'next' | 'rehearsal' | 'approval' | 'cutOver' | 'since'
>;

export interface LifeDialogProps {
  readonly lives: readonly DecidedLife[];
  readonly onDone: () => void;
  readonly onClose: () => void;
}

/** One VM by its name, several by their number. */
export function whatOf(lives: readonly Pick<DecidedLife, 'replicaName'>[]): string {
  const [first] = lives;
  return lives.length === 1 && first !== undefined ? first.replicaName : words.several(lives.length);
}

/** Which VMs are meant, where the title only says how many. */
export function NamesOf({ lives }: { readonly lives: readonly Pick<DecidedLife, 'replicaName'>[] }) {
  if (lives.length < 2) return null;
  return (
    <Typography variant="body2" sx={{ color: 'text.secondary' }}>
      {lives.map(({ replicaName }) => replicaName).join(', ')}
    </Typography>
  );
}

export function WhoField({ who, onChange }: { readonly who: string; readonly onChange: (who: string) => void }) {
  return (
    <TextField
      size="small"
      label={words.who}
      value={who}
      helperText={words.whoHelp}
      onChange={(event) => onChange(event.target.value)}
      slotProps={{ htmlInput: { maxLength: 200, autoComplete: 'name' } }}
      sx={{ mt: 0.5 }}
    />
  );
}

/** What happens, step by step, and what stays as it is. */
export function Consequences({ steps, stays }: { readonly steps: readonly string[]; readonly stays: string }) {
  return (
    <Box sx={{ '& h3': { fontSize: 13, fontWeight: 600, m: 0 }, '& ol': { m: 0, mt: 0.5, mb: 1.5, pl: 2.5 } }}>
      <h3>{words.what}</h3>
      <ol>
        {steps.map((step) => (
          <li key={step}>{step}</li>
        ))}
      </ol>
      <h3>{words.stays}</h3>
      <Typography sx={{ mt: 0.5 }}>{stays}</Typography>
    </Box>
  );
}

interface Failure {
  readonly name: string;
  readonly reason: string;
}

/** Does the same with each VM, one after the other; says which could not be done, and tries those alone again. */
export function useEach(
  { lives, onDone, onClose }: LifeDialogProps,
  work: (life: DecidedLife) => Promise<unknown>,
  done: () => void,
): { readonly action: Action<readonly []>; readonly failures: readonly Failure[] } {
  const [finished, setFinished] = useState<ReadonlySet<string>>(new Set());
  const [failures, setFailures] = useState<readonly Failure[]>([]);
  const action = useAction(async () => {
    if (lives.length === 1) await work(lives[0]!);
    else {
      const failed: Failure[] = [];
      const now = new Set(finished);
      for (const life of lives.filter(({ replicaId }) => !finished.has(replicaId))) {
        try {
          await work(life);
          now.add(life.replicaId);
        } catch (thrown) {
          const { code, message } = asCausewayError(thrown);
          failed.push({ name: life.replicaName, reason: `${errorWords(code).title}: ${message}` });
        }
      }
      setFinished(now);
      setFailures(failed);
      onDone();
      if (failed.length > 0) return;
    }
    done();
    onDone();
    onClose();
  });
  return { action, failures };
}

export function Failures({ failures }: { readonly failures: readonly Failure[] }) {
  return failures.map(({ name, reason }) => (
    <Alert key={name} severity="error">
      {words.failed(name, reason)}
    </Alert>
  ));
}
