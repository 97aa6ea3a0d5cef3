import Alert from '@mui/material/Alert';
import AlertTitle from '@mui/material/AlertTitle';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import LinearProgress from '@mui/material/LinearProgress';
import Typography from '@mui/material/Typography';
import { useState } from 'react';
import { isErrorCode, toErrorRecord, type ErrorRecord } from '../../../shared/model/causeway-error.ts';
import type { DeploymentOptions } from '../../../shared/model/deployment.ts';
import { wouldStop, type GuestFound, type GuestInspection } from '../../../shared/model/guest-inspection.ts';
import type { Replica } from '../../../shared/model/replica.ts';
import { useLink, useQuery } from '../../app/workbench-context.tsx';
import { CodeSpans } from '../../components/code-spans.tsx';
import { EnglishText } from '../../components/english-text.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { LearnMoreOfError } from '../../components/manual/learn-more.tsx';
import { timeText } from '../../components/quantities.ts';
import { QueryView } from '../../components/query-view.tsx';
import { Section } from '../../components/section.tsx';
import { errorWords, text } from '../../text/text.ts';

const words = text.replicas.guest;

interface Props {
  readonly replica: Replica;
  /** Keys of encrypted volumes that a deployment of it was given. */
  readonly keys: DeploymentOptions['luksKeys'];
  /** Whether an execution or a deployment has the volumes now. */
  readonly isBusy: boolean;
}

/** What a deployment would meet in the guest, found without writing to it. */
export function GuestReadiness({ replica, keys, isBusy }: Props) {
  const link = useLink();
  const inspection = useQuery('guest.inspection', { replica: replica.id }, ['guest.inspection']);
  const [error, setError] = useState<ErrorRecord>();
  const act = (call: 'guest.inspect' | 'guest.cancelInspection'): void => {
    setError(undefined);
    const asked =
      call === 'guest.inspect'
        ? link.call(call, { replica: replica.id, options: keys === undefined ? {} : { luksKeys: keys } })
        : link.call(call, { replica: replica.id });
    asked.then(
      () => inspection.reload(),
      (reason: unknown) => setError(toErrorRecord(reason)),
    );
  };
  return (
    <Section title={words.title}>
      <QueryView query={inspection}>
        {(latest) => (
          <Box sx={{ display: 'flex', flexDirection: 'column', gap: 1.5 }}>
            <Start
              latest={latest}
              isPossible={replica.lastSuccess !== undefined && !isBusy}
              onStart={() => act('guest.inspect')}
              onCancel={() => act('guest.cancelInspection')}
            />
            {error !== undefined && <ErrorNotice error={error} onClose={() => setError(undefined)} />}
            {latest?.state === 'failed' && latest.error !== undefined && <ErrorNotice error={latest.error} />}
            {latest?.found !== undefined && <Found found={latest.found} inspection={latest} />}
          </Box>
        )}
      </QueryView>
    </Section>
  );
}

interface StartProps {
  readonly latest: GuestInspection | null;
  readonly isPossible: boolean;
  readonly onStart: () => void;
  readonly onCancel: () => void;
}

function Start({ latest, isPossible, onStart, onCancel }: StartProps) {
  if (latest?.state === 'running') {
    return (
      <Box sx={{ display: 'flex', gap: 2, alignItems: 'center', flexWrap: 'wrap' }}>
        <Box role="status" sx={{ flexGrow: 1, minWidth: 220 }}>
          <Typography>{words.running(latest.step)}</Typography>
          <LinearProgress aria-label={words.title} />
        </Box>
        <Button onClick={onCancel}>{words.cancel}</Button>
      </Box>
    );
  }
  return (
    <Box sx={{ display: 'flex', gap: 2, alignItems: 'center', flexWrap: 'wrap' }}>
      <Typography sx={{ color: 'text.secondary', flexGrow: 1, flexBasis: 260 }}>
        {latest?.state === 'interrupted'
          ? words.interrupted
          : latest?.found === undefined
            ? words.lead
            : words.leadAgain}
      </Typography>
      {latest?.state === 'interrupted' && <Button onClick={onCancel}>{words.cleanUp}</Button>}
      <Button variant="outlined" disabled={!isPossible} onClick={onStart}>
        {latest?.found === undefined ? words.start : words.again}
      </Button>
    </Box>
  );
}

function Found({ found, inspection }: { readonly found: GuestFound; readonly inspection: GuestInspection }) {
  const { dossier, findings, doubts, changes } = found;
  const verdict = !found.supported ? words.notSupported : wouldStop(found) ? words.stops(findings.length) : words.goes;
  return (
    <Box>
      <Typography role="status" sx={{ fontWeight: 600 }}>
        {dossier.name}: {verdict}
      </Typography>
      <Typography variant="caption" component="div" sx={{ color: 'text.secondary', mb: 1 }}>
        {words.asOf(timeText(inspection.foundAt ?? inspection.startedAt), inspection.executionNumber ?? 0)}
      </Typography>
      <Told list={findings} severity="error" />
      <Told list={doubts} severity="warning" />
      {changes.length > 0 && (
        <Box component="details" sx={{ mt: 1 }}>
          <summary>{words.changes(changes.length)}</summary>
          <Box component="ul" sx={{ m: 0, mt: 0.5, pl: 3, fontSize: 13 }}>
            {changes.map(({ step, title, notes }) => (
              <li key={step}>
                <EnglishText>{title}</EnglishText>
                <Box component="ul" sx={{ m: 0, pl: 2, color: 'text.secondary' }}>
                  {notes.map((note) => (
                    <li key={note}>
                      <EnglishText>{note}</EnglishText>
                    </li>
                  ))}
                </Box>
              </li>
            ))}
          </Box>
        </Box>
      )}
    </Box>
  );
}

/** One for each code: its remedy is said once. */
function Told({ list, severity }: { readonly list: GuestFound['findings']; readonly severity: 'error' | 'warning' }) {
  return [...Map.groupBy(list, ({ code }) => code)].map(([code, each]) => {
    // A worker of another version may know more codes.
    if (!isErrorCode(code)) return null;
    const { title, remedy } = errorWords(code);
    return (
      <Alert key={code} severity={severity} variant="outlined" sx={{ mb: 1, '& .MuiAlert-message': { minWidth: 0 } }}>
        <AlertTitle>{title}</AlertTitle>
        <Box component="ul" sx={{ m: 0, pl: 2, overflowWrap: 'anywhere' }}>
          {each.map(({ message }) => (
            <li key={message}>
              <EnglishText>{message}</EnglishText>
            </li>
          ))}
        </Box>
        <Typography variant="body2" sx={{ mt: 0.5 }}>
          <b>{text.app.remedy}:</b> <CodeSpans>{remedy}</CodeSpans>
        </Typography>
        <LearnMoreOfError code={code} title={title} />
      </Alert>
    );
  });
}
