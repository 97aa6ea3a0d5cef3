import Alert from '@mui/material/Alert';
import AlertTitle from '@mui/material/AlertTitle';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Link from '@mui/material/Link';
import { useEffect, useEffectEvent, useMemo, useState } from 'react';
import type { FleetHistory } from '../../../shared/model/fleet.ts';
import { hrefOf } from '../../app/route.ts';
import { useAction } from '../../app/use-action.ts';
import { useLink, useQuery } from '../../app/workbench-context.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { LearnMore } from '../../components/manual/learn-more.tsx';
import { QueryView } from '../../components/query-view.tsx';
import { Screen } from '../../components/screen.tsx';
import { text } from '../../text/text.ts';
import { FleetLimits } from './fleet-limits.tsx';
import { FleetMembers } from './fleet-members.tsx';
import { FleetMembership, NoFleet } from './fleet-membership.tsx';
import { FleetQueue } from './fleet-queue.tsx';

const words = text.fleet.screen;
/** Rates and what was last heard change without an event. */
const againMs = 2000;

/** Who is in the project's fleet, what they work on, what waits for them, and what is limited. */
export function FleetScreen() {
  const query = useQuery('fleet.view', {}, ['fleet.changed']);
  const replicas = useQuery('replica.list', {}).data;
  const endpoints = useQuery('endpoint.list', {}).data;
  const names = useMemo(
    () => new Map([...(replicas ?? []), ...(endpoints ?? [])].map(({ id, name }) => [id, name])),
    [replicas, endpoints],
  );
  const look = useEffectEvent(() => !query.isLoading && query.reload());
  useEffect(() => {
    const timer = setInterval(look, againMs);
    return () => clearInterval(timer);
  }, []);
  const state = query.data?.state;
  const memberships = useQuery('fleet.membership', {}, ['shell.changed']);
  const membership = memberships.data;
  const endpointNames = (endpoints ?? []).map(({ name }) => name);
  const reloadAll = (): void => {
    memberships.reload();
    query.reload();
  };
  const thisOne =
    membership?.membership === undefined ? null : (
      <FleetMembership membership={membership.membership} endpoints={endpointNames} onChanged={reloadAll} />
    );
  return (
    <Screen
      isWide
      title={words.title}
      lead={
        <>
          {words.lead} <LearnMore page="fleets" anchor="who-carries-out-what" about={words.about} />
        </>
      }
    >
      <QueryView query={query}>
        {(view) =>
          view.state === 'none' ? (
            membership !== undefined && (
              <NoFleet canJoin={membership.canChange} endpoints={endpointNames} onChanged={reloadAll} />
            )
          ) : view.state === 'unreached' ? (
            <>
              <Alert severity="warning">{words.unreached}</Alert>
              {thisOne}
            </>
          ) : (
            <>
              {!view.mayChange && (
                <Alert severity="info">
                  <AlertTitle>{words.readOnly}</AlertTitle>
                  {words.readOnlyLead}
                </Alert>
              )}
              <FleetMembers view={view} names={names} onChanged={query.reload} />
              <FleetQueue view={view} names={names} onChanged={query.reload} />
              <FleetLimits view={view} endpoints={endpoints ?? []} onChanged={query.reload} />
              {thisOne}
            </>
          )
        }
      </QueryView>
      {state === 'member' && <Verification names={names} />}
    </Screen>
  );
}

/** Reads all journals when somebody asks for it. */
function Verification({ names }: { readonly names: ReadonlyMap<string, string> }) {
  const link = useLink();
  const [found, setFound] = useState<readonly FleetHistory[]>();
  const verify = useAction(async () => setFound(await link.call('fleet.verify', {})));
  const wrong = found?.filter(({ problems }) => problems.length > 0) ?? [];
  const left = found?.reduce((sum, history) => sum + history.left.length, 0) ?? 0;
  return (
    <Box sx={{ display: 'flex', flexDirection: 'column', gap: 2, alignItems: 'flex-start' }}>
      <Button variant="outlined" disabled={verify.isBusy} onClick={() => void verify.run()}>
        {verify.isBusy ? words.verifying : words.verify}
      </Button>
      {verify.error !== undefined && <ErrorNotice error={verify.error} onClose={verify.clear} />}
      {found !== undefined && wrong.length === 0 && (
        <Alert severity="success" role="status">
          {words.verified(found.length)}
          {left > 0 && (
            <>
              {' '}
              <Link href={hrefOf('ledger')}>{words.left(left)}</Link>
            </>
          )}
        </Alert>
      )}
      {wrong.length > 0 && (
        <Alert severity="error">
          <AlertTitle>{words.problems(wrong.length)}</AlertTitle>
          <Box component="ul" sx={{ m: 0, pl: 3, overflowWrap: 'anywhere' }}>
            {wrong.flatMap(({ replicaId, problems }) =>
              problems.map((problem) => (
                <li key={`${replicaId} ${problem}`}>
                  <b>{names.get(replicaId) ?? replicaId}</b>: {problem}
                </li>
              )),
            )}
          </Box>
        </Alert>
      )}
    </Box>
  );
}
