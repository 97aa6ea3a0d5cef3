import Button from '@mui/material/Button';
import { useState } from 'react';
import { text } from '../../text/text.ts';
import type { LifeChoice } from './life-choices.ts';
import { LifeDialog } from './life-dialog.tsx';
import type { DecidedLife } from './life-parts.tsx';

interface Props {
  readonly choice: LifeChoice;
  readonly lives: readonly DecidedLife[];
  readonly look: 'leads' | 'beside' | 'row';
  readonly onDone: () => void;
}

/** A step of one VM, or of several, with its dialog. */
export function LifeButton({ choice, lives, look, onDone }: Props) {
  // Those that were meant when the dialog was opened.
  const [meant, setMeant] = useState<readonly DecidedLife[]>();
  const [first] = lives;
  const isRow = look === 'row';
  const label = lives.length === 1 ? text.life.steps[choice] : text.life.stepsOf[choice](lives.length);
  return (
    <>
      <Button
        size={look === 'leads' ? 'medium' : 'small'}
        variant={look === 'leads' ? 'contained' : isRow ? 'text' : 'outlined'}
        color={choice === 'roll-back' && look === 'beside' ? 'error' : 'primary'}
        onClick={() => setMeant(lives)}
        sx={{ whiteSpace: 'nowrap', ...(isRow ? { minWidth: 0 } : {}) }}
        {...(isRow && first !== undefined ? { 'aria-label': text.life.stepOf(label, first.replicaName) } : {})}
      >
        {label}
      </Button>
      {meant !== undefined && (
        <LifeDialog choice={choice} lives={meant} onDone={onDone} onClose={() => setMeant(undefined)} />
      )}
    </>
  );
}
