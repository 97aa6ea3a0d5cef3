import Button from '@mui/material/Button';
import Typography from '@mui/material/Typography';
import { useState } from 'react';
import type { WaveAction } from '../../../shared/model/wave-action.ts';
import { isEnded, type WaveDetail } from '../../../shared/model/wave.ts';
import { useAction } from '../../app/use-action.ts';
import { useLink } from '../../app/workbench-context.tsx';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { lost } from '../../forms/waves/wave-words.ts';
import { text } from '../../text/text.ts';
import { StartWaveDialog } from './start-wave-dialog.tsx';

const words = text.waves;

interface Props {
  readonly wave: WaveDetail;
  readonly onChanged: () => void;
}

/** What a wave is likely to need next, by how far its members are. */
export function nextAction({
  members,
  synchronised,
  rehearsed,
}: Pick<WaveDetail, 'members' | 'synchronised' | 'rehearsed'>): WaveAction {
  if (synchronised < members) return 'synchronise';
  return rehearsed < members ? 'rehearse' : 'cut-over';
}

/** No member can do anything before its settings are complete. */
export function waitsForSettings({
  members,
  memberList,
  run,
}: Pick<WaveDetail, 'members' | 'memberList' | 'run'>): boolean {
  return members > 0 && (run === undefined || isEnded(run)) && memberList.every(({ errors }) => errors > 0);
}

/** The one thing to do next as the filled button, the others beside it. */
export function WaveActions({ wave, onChanged }: Props) {
  const link = useLink();
  const [open, setOpen] = useState<'start' | 'cancel'>();
  const { run } = wave;
  const isOpen = run !== undefined && !isEnded(run);
  const tell = useAction(async (call: 'wave.pause' | 'wave.continue' | 'wave.retry') => {
    await link.call(call, { wave: wave.name });
    onChanged();
  });
  const isResumable = run?.state === 'paused' || run?.state === 'interrupted';
  const first = nextAction(wave);
  const failures = run === undefined ? 0 : lost(run);
  return (
    <>
      {tell.error !== undefined && <ErrorNotice error={tell.error} />}
      {isOpen && isResumable && (
        <Button variant="contained" disabled={tell.isBusy} onClick={() => void tell.run('wave.continue')}>
          {run.state === 'paused' ? words.continue : words.resume}
        </Button>
      )}
      {failures > 0 && run?.state !== 'cancelling' && (
        <Button
          variant={isOpen || waitsForSettings(wave) ? 'outlined' : 'contained'}
          disabled={tell.isBusy}
          onClick={() => void tell.run('wave.retry')}
        >
          {words.retry(failures)}
        </Button>
      )}
      {run?.state === 'running' && (
        <Button variant="outlined" disabled={tell.isBusy} onClick={() => void tell.run('wave.pause')}>
          {words.pause}
        </Button>
      )}
      {isOpen && run.state !== 'cancelling' && (
        <Button variant="outlined" color="error" onClick={() => setOpen('cancel')}>
          {words.cancel}
        </Button>
      )}
      {!isOpen && wave.members > 0 && (
        <Button
          variant={failures > 0 || waitsForSettings(wave) ? 'outlined' : 'contained'}
          onClick={() => setOpen('start')}
        >
          {words.start(words.actions[first], wave.members)}
        </Button>
      )}
      {open === 'start' && (
        <StartWaveDialog wave={wave} first={first} onStarted={onChanged} onClose={() => setOpen(undefined)} />
      )}
      {open === 'cancel' && <CancelWave wave={wave} onChanged={onChanged} onClose={() => setOpen(undefined)} />}
    </>
  );
}

function CancelWave({ wave, onChanged, onClose }: Props & { readonly onClose: () => void }) {
  const link = useLink();
  const cancel = useAction(async () => {
    await link.call('wave.cancel', { wave: wave.name });
    onChanged();
    onClose();
  });
  const { waiting = 0, running = 0, starting = 0 } = wave.run?.counts ?? {};
  return (
    <ConfirmDialog
      title={words.cancelTitle(wave.name)}
      confirm={words.cancelButton}
      dismiss={words.keep}
      isDestructive
      action={cancel}
      onClose={onClose}
    >
      <Typography>{words.cancelLead(waiting, running + starting)}</Typography>
    </ConfirmDialog>
  );
}
