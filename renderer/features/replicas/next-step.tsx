import Button from '@mui/material/Button';
import { useState } from 'react';
import type { Replica } from '../../../shared/model/replica.ts';
import { goTo, hrefOf } from '../../app/route.ts';
import { useAction } from '../../app/use-action.ts';
import { useLink } from '../../app/workbench-context.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { text } from '../../text/en.ts';
import { StartRunDialog } from '../runs/start-run-dialog.tsx';
import type { ReplicaLife } from './replica-life.ts';

/** The one thing to do next, as a button. */
export function NextStep({ replica, life, size = 'small' }: { readonly replica: Replica; readonly life: ReplicaLife; readonly size?: 'small' | 'medium' }) {
  const link = useLink();
  const [isStarting, setIsStarting] = useState(false);
  const label = text.replicas.steps[life.step];
  const shared = { size, 'aria-label': text.replicas.stepOf(label, replica.name) } as const;
  const resume = useAction(async (id: string) => {
    await link.call('execution.resume', { execution: id });
    goTo('runs', id);
  });
  if (life.latest !== undefined && (life.step === 'watch' || life.step === 'why')) {
    return (
      <Button {...shared} variant="outlined" href={hrefOf('runs', life.latest.id)}>
        {label}
      </Button>
    );
  }
  if (life.latest !== undefined && life.step === 'resume') {
    const { id } = life.latest;
    return (
      <>
        <Button {...shared} variant="contained" disabled={resume.isBusy} onClick={() => void resume.run(id)}>
          {label}
        </Button>
        {resume.error !== undefined && <ErrorNotice error={resume.error} onClose={resume.clear} />}
      </>
    );
  }
  return (
    <>
      <Button {...shared} variant="contained" onClick={() => setIsStarting(true)}>
        {label}
      </Button>
      {isStarting && <StartRunDialog replicas={[replica]} onClose={() => setIsStarting(false)} />}
    </>
  );
}
