import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { useState } from 'react';
import type { Replica } from '../../../shared/model/replica.ts';
import { goTo, hrefOf } from '../../app/route.ts';
import { useAction } from '../../app/use-action.ts';
import { useLink } from '../../app/workbench-context.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { text } from '../../text/text.ts';
import { StartDeploymentDialog } from '../../forms/deployment/start-deployment-dialog.tsx';
import { StartRunDialog } from '../../forms/execution/start-run-dialog.tsx';
import type { LifeStep, ReplicaStatus } from '../../components/replicas/replica-status.ts';

interface Props {
  readonly replica: Replica;
  readonly life: ReplicaStatus;
  readonly size?: 'small' | 'medium';
  /** Something else on the screen leads. */
  readonly isBeside?: boolean;
  /** Only these are offered. */
  readonly only?: readonly LifeStep[];
}

/** What to do next, the most obvious one first: as buttons, and small ones as links of a row, so that a table is not full of buttons. */
export function NextStep({ replica, life, size = 'small', isBeside = false, only }: Props) {
  return (
    <Box
      sx={{
        display: 'flex',
        gap: size === 'small' ? 0.5 : 1,
        flexWrap: size === 'small' ? { xs: 'wrap', md: 'nowrap' } : 'wrap',
        ...(size === 'small' ? { ml: -1 } : {}),
      }}
    >
      {life.steps
        .filter((step) => only?.includes(step) !== false)
        .map((step, index) => (
          <Step key={step} step={step} isFirst={index === 0 && !isBeside} replica={replica} life={life} size={size} />
        ))}
    </Box>
  );
}

interface StepProps {
  readonly replica: Replica;
  readonly life: ReplicaStatus;
  readonly size: 'small' | 'medium';
  readonly step: LifeStep;
  readonly isFirst: boolean;
}

function Step({ step, isFirst, replica, life, size }: StepProps) {
  const link = useLink();
  const [isStarting, setIsStarting] = useState(false);
  const label = text.replicas.steps[step];
  const isLink = size === 'small';
  const shared = {
    size,
    sx: { whiteSpace: 'nowrap', minWidth: 0, ...(isLink && !isFirst ? { fontWeight: 400 } : {}) },
    'aria-label': text.replicas.stepOf(label, replica.name),
  } as const;
  const resume = useAction(async () => {
    if (step === 'resume-deployment' && life.deployment !== undefined) {
      await link.call('deployment.resume', { deployment: life.deployment.id });
      goTo('deployments', life.deployment.id);
    } else if (life.latest !== undefined) {
      await link.call('execution.resume', { execution: life.latest.id });
      goTo('runs', life.latest.id);
    }
  });
  switch (step) {
    case 'watch':
    case 'why':
      return (
        <Button {...shared} variant={isLink ? 'text' : 'outlined'} href={hrefOf('runs', life.latest?.id ?? '')}>
          {label}
        </Button>
      );
    case 'watch-deployment':
    case 'why-deployment':
    case 'open':
      return (
        <Button
          {...shared}
          variant={isFirst && !isLink ? 'outlined' : 'text'}
          href={hrefOf('deployments', life.deployment?.id ?? '')}
        >
          {label}
        </Button>
      );
    case 'resume':
    case 'resume-deployment':
      return (
        <>
          <Button
            {...shared}
            variant={isLink ? 'text' : 'contained'}
            disabled={resume.isBusy}
            onClick={() => void resume.run()}
          >
            {label}
          </Button>
          {resume.error !== undefined && <ErrorNotice error={resume.error} onClose={resume.clear} />}
        </>
      );
    case 'replicate':
    case 'again':
    case 'deploy':
      return (
        <>
          <Button
            {...shared}
            variant={isLink ? 'text' : isFirst ? 'contained' : 'outlined'}
            onClick={() => setIsStarting(true)}
          >
            {label}
          </Button>
          {isStarting && step === 'deploy' && (
            <StartDeploymentDialog replicas={[replica]} onClose={() => setIsStarting(false)} />
          )}
          {isStarting && step !== 'deploy' && (
            <StartRunDialog replicas={[replica]} onClose={() => setIsStarting(false)} />
          )}
        </>
      );
  }
}
