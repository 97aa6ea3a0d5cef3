import Button from '@mui/material/Button';
import Typography from '@mui/material/Typography';
import { useState } from 'react';
import type { MachineLife } from '../../../shared/model/machine-life.ts';
import type { Replica } from '../../../shared/model/replica.ts';
import { useRunQuery } from '../../components/executions/use-run-query.ts';
import { CheckResults } from '../../components/check-results.tsx';
import { timeText } from '../../components/quantities.ts';
import { Section } from '../../components/section.tsx';
import { text } from '../../text/text.ts';
import { ChecksDialog } from './checks-dialog.tsx';

const words = text.proof.checks;

interface Props {
  readonly replica: Replica;
  readonly life: MachineLife;
  /** The newest deployment of the replica, whose results are shown. */
  readonly deploymentId: string | undefined;
  readonly onDone: () => void;
}

/** What a VM has to answer after each deployment, with the newest results. */
export function ChecksSection({ replica, life, deploymentId, onDone }: Props) {
  const [isOpen, setIsOpen] = useState(false);
  const { checks = [] } = replica;
  return (
    <Section title={words.title}>
      {checks.length === 0 ? (
        <Typography sx={{ color: 'text.secondary' }}>{words.none}</Typography>
      ) : deploymentId === undefined ? (
        <CheckResults checks={checks} results={[]} />
      ) : (
        <WithResults checks={checks} deploymentId={deploymentId} />
      )}
      <Button size="small" variant="outlined" sx={{ mt: 1.5 }} onClick={() => setIsOpen(true)}>
        {words.edit}
      </Button>
      {isOpen && <ChecksDialog lives={[life]} initial={checks} onDone={onDone} onClose={() => setIsOpen(false)} />}
    </Section>
  );
}

function WithResults({
  checks,
  deploymentId,
}: {
  readonly checks: NonNullable<Replica['checks']>;
  readonly deploymentId: string;
}) {
  const results = useRunQuery('deployment.show', { deployment: deploymentId }, 'steps').data?.checks ?? [];
  const [first] = results;
  return (
    <>
      <CheckResults checks={checks} results={results} />
      {first !== undefined && (
        <Typography variant="caption" component="p" sx={{ color: 'text.secondary', mt: 1 }}>
          {words.last(timeText(first.at))}
        </Typography>
      )}
    </>
  );
}
