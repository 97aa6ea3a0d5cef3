import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Link from '@mui/material/Link';
import Typography from '@mui/material/Typography';
import { useMemo } from 'react';
import type { FleetMemberView, FleetView } from '../../../shared/model/fleet.ts';
import { hrefOf } from '../../app/route.ts';
import { useToast } from '../../app/toasts.tsx';
import { useAction } from '../../app/use-action.ts';
import { useLink } from '../../app/workbench-context.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { PagedTable, type Column } from '../../components/paged-table.tsx';
import { durationText, rateText } from '../../components/quantities.ts';
import { Section } from '../../components/section.tsx';
import { StateLabel, type StateTone } from '../../components/state-label.tsx';
import { text } from '../../text/text.ts';

const words = text.fleet.members;
/** Of what a member works on; the rest is counted. */
const mostShown = 6;
/** The journal of waves is named like a replica. */
const waves = 'waves';

interface Props {
  readonly view: FleetView;
  /** Of replicas and endpoints, by their ids. */
  readonly names: ReadonlyMap<string, string>;
  readonly onChanged: () => void;
}

/** Each member: what it reaches, carries and works on, and whether it takes something new. */
export function FleetMembers({ view, names, onChanged }: Props) {
  const link = useLink();
  const toast = useToast();
  const drain = useAction(async ({ id, name }: FleetMemberView, isDraining: boolean) => {
    await link.call('fleet.drain', { member: id, isDraining });
    toast(isDraining ? words.draining(name) : words.undrained(name));
    onChanged();
  });
  const { run, isBusy } = drain;
  const columns = useMemo(() => columnsOf(view, names), [view, names]);
  const actions: readonly Column<FleetMemberView>[] = view.mayChange
    ? [
        {
          id: 'actions',
          label: words.columns.actions,
          cell: (member) => {
            const label = member.isDraining ? words.undrainOf(member.name) : words.drainOf(member.name);
            return member.carries === 0 && !member.isDraining ? null : (
              <Button
                size="small"
                disabled={isBusy}
                aria-label={label}
                title={label}
                onClick={() => void run(member, !member.isDraining)}
              >
                {member.isDraining ? words.undrain : words.drain}
              </Button>
            );
          },
        },
      ]
    : [];
  return (
    <Section title={words.title} note={words.note(view.members.length)}>
      {drain.error !== undefined && <ErrorNotice error={drain.error} onClose={drain.clear} />}
      <PagedTable label={words.title} columns={[...columns, ...actions]} rows={view.members} rowKey={({ id }) => id} />
    </Section>
  );
}

function columnsOf(view: FleetView, names: ReadonlyMap<string, string>): readonly Column<FleetMemberView>[] {
  const rateOf = ({ works }: FleetMemberView): number => works.reduce((sum, id) => sum + (view.rates[id] ?? 0), 0);
  const executions = ({ works }: FleetMemberView): number => works.filter((id) => id !== waves).length;
  return [
    {
      id: 'member',
      label: words.columns.member,
      sortBy: ({ name }) => name,
      cell: ({ name, isThis }) => (
        <Box sx={{ overflowWrap: 'anywhere' }}>
          {name}
          {isThis && (
            <Typography variant="caption" component="div" sx={{ color: 'text.secondary' }}>
              {words.thisOne}
            </Typography>
          )}
        </Box>
      ),
    },
    { id: 'state', label: words.columns.state, cell: (member) => <State {...stateOf(member, executions(member))} /> },
    {
      id: 'carries',
      label: words.columns.carries,
      align: 'right',
      sortBy: executions,
      cell: (member) =>
        member.carries === 0 && executions(member) === 0 ? '–' : words.carries(executions(member), member.carries),
    },
    {
      id: 'works',
      label: words.columns.works,
      cell: ({ works }) => <Works works={works} rates={view.rates} names={names} />,
    },
    {
      id: 'rate',
      label: words.columns.rate,
      align: 'right',
      sortBy: rateOf,
      cell: (member) => (rateOf(member) === 0 ? '–' : rateText(rateOf(member))),
    },
    {
      id: 'reaches',
      label: words.columns.reaches,
      isMinor: true,
      cell: ({ reaches }) =>
        reaches.length === 0 ? words.nowhere : reaches.map((id) => names.get(id) ?? id).join(', '),
    },
    {
      id: 'heard',
      label: words.columns.heard,
      isMinor: true,
      sortBy: ({ heardSecondsAgo }) => heardSecondsAgo,
      cell: ({ heardSecondsAgo }) =>
        heardSecondsAgo < 1 ? words.heardNow : words.heardAgo(durationText(heardSecondsAgo)),
    },
  ];
}

function stateOf(
  { carries, isDraining }: FleetMemberView,
  busy: number,
): { readonly tone: StateTone; readonly words: string } {
  if (isDraining)
    return busy > 0 ? { tone: 'paused', words: words.states.leaving } : { tone: 'ended', words: words.states.drained };
  if (busy > 0) return { tone: 'running', words: words.states.working };
  return carries > 0 ? { tone: 'good', words: words.states.free } : { tone: 'idle', words: words.states.plans };
}

function State({ tone, words: shown }: { readonly tone: StateTone; readonly words: string }) {
  return <StateLabel tone={tone}>{shown}</StateLabel>;
}

function Works({
  works,
  rates,
  names,
}: {
  readonly works: readonly string[];
  readonly rates: FleetView['rates'];
  readonly names: ReadonlyMap<string, string>;
}) {
  if (works.length === 0) return words.nothing;
  return (
    <Box component="ul" sx={{ m: 0, p: 0, listStyle: 'none', overflowWrap: 'anywhere' }}>
      {works.slice(0, mostShown).map((id) => (
        <li key={id}>
          {id === waves ? words.leadsWaves : <Link href={hrefOf('replicas', id)}>{names.get(id) ?? id}</Link>}
          {rates[id] !== undefined && (
            <Box component="span" sx={{ color: 'text.secondary', fontVariantNumeric: 'tabular-nums' }}>
              {' '}
              {rateText(rates[id])}
            </Box>
          )}
        </li>
      ))}
      {works.length > mostShown && <li>{words.more(works.length - mostShown)}</li>}
    </Box>
  );
}
