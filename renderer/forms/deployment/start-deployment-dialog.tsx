import Alert from '@mui/material/Alert';
import Typography from '@mui/material/Typography';
import { useState } from 'react';
import type { DeploymentOptions } from '../../../shared/model/deployment.ts';
import type { Replica } from '../../../shared/model/replica.ts';
import { goTo } from '../../app/route.ts';
import { useLink } from '../../app/workbench-context.tsx';
import { text } from '../../text/text.ts';
import { StartManyDialog } from '../execution/start-many-dialog.tsx';
import { DeploymentForm } from './deployment-form.tsx';
import { readDeployment, valuesOf } from './deployment-form-values.ts';

const words = text.deployments;

interface Props {
  readonly replicas: readonly Pick<Replica, 'id' | 'name'>[];
  /** Of a deployment that is to be repeated. */
  readonly initial?: DeploymentOptions;
  /** All of them were started. */
  readonly onStarted?: () => void;
  readonly onClose: () => void;
}

/** How deployments are to be, and their start: of one replica or of several with the same options. */
export function StartDeploymentDialog({ replicas, initial, onStarted, onClose }: Props) {
  const link = useLink();
  const [values, setValues] = useState(() => valuesOf(initial ?? {}));
  const read = readDeployment(values);
  const [first] = replicas;
  const title =
    replicas.length !== 1 || first === undefined
      ? words.startManyTitle(replicas.length)
      : initial === undefined
        ? words.startTitle(first.name)
        : words.againTitle(first.name);
  return (
    <StartManyDialog
      title={title}
      confirm={words.start}
      width="md"
      isReady={'options' in read}
      replicas={replicas}
      startedWords={words.startedMany}
      start={async (replica) => {
        const options = 'options' in read ? read.options : {};
        return (await link.call('deployment.create', { replica: replica.id, options })).id;
      }}
      onStarted={(ids) => {
        if (ids.length === 1) goTo('deployments', ids[0]!);
        onStarted?.();
      }}
      onClose={onClose}
    >
      {initial !== undefined && <Typography>{words.againLead}</Typography>}
      <DeploymentForm values={values} problems={'problems' in read ? read.problems : new Map()} onChange={setValues} />
      {'problems' in read && (
        <Alert severity="error" role="status">
          {words.problem(read.problems.size)}
        </Alert>
      )}
    </StartManyDialog>
  );
}
