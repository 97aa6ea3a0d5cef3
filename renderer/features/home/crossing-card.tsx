import Box from '@mui/material/Box';
import Link from '@mui/material/Link';
import Paper from '@mui/material/Paper';
import Table from '@mui/material/Table';
import TableBody from '@mui/material/TableBody';
import TableCell from '@mui/material/TableCell';
import TableHead from '@mui/material/TableHead';
import TableRow from '@mui/material/TableRow';
import Typography from '@mui/material/Typography';
import { hrefOf } from '../../app/route.ts';
import { useQuery } from '../../app/workbench-context.tsx';
import { useRunQuery } from '../../components/executions/use-run-query.ts';
import { Crossing, lifeCounts } from '../../components/replicas/crossing.tsx';
import { LifeLabel } from '../../components/replicas/life-label.tsx';
import { latestOf, replicaStatus, type ReplicaStatusKind } from '../../components/replicas/replica-status.ts';
import { text } from '../../text/text.ts';

const words = text.home.crossing;

interface Standing {
  readonly wave: string | undefined;
  readonly kind: ReplicaStatusKind;
}

/** How far the whole project is on its way, and each wave; nothing while there is no replica. */
export function CrossingCard() {
  const replicas = useRunQuery('replica.list', {}, 'states').data;
  const executions = useRunQuery('execution.list', { latest: true }, 'states').data;
  const deployments = useRunQuery('deployment.list', { latest: true }, 'states').data;
  const endpoints = useQuery('endpoint.list', {}).data;
  if (replicas === undefined || replicas.length === 0 || executions === undefined || deployments === undefined)
    return null;
  const [latest, deployed] = [latestOf(executions), latestOf(deployments)];
  const all = replicas.map((replica): Standing => ({
    wave: replica.wave,
    kind: replicaStatus(replica, latest.get(replica.id), deployed.get(replica.id)).kind,
  }));
  const counts = lifeCounts(all.map(({ kind }) => kind));
  const nameOf = (id: string): string => endpoints?.find((endpoint) => endpoint.id === id)?.name ?? '';
  const ends = (['sourceEndpointId', 'destinationEndpointId'] as const).map((side) =>
    [...new Set(replicas.map((replica) => nameOf(replica[side])))].filter((name) => name !== '').join(', '),
  );
  return (
    <Paper variant="outlined" component="section" aria-label={words.title} sx={{ p: 2.5 }}>
      <Box sx={{ display: 'flex', columnGap: 2, flexWrap: 'wrap', alignItems: 'baseline', mb: 1 }}>
        <Typography variant="h6" component="h2" sx={{ flexGrow: 1 }}>
          {words.title}
        </Typography>
        <Typography variant="caption" sx={{ color: 'text.secondary' }}>
          {words.summary(deployedOf(all), all.length)} · {words.scale}
        </Typography>
      </Box>
      <Box
        sx={{
          display: 'flex',
          justifyContent: 'space-between',
          gap: 2,
          fontSize: 11,
          lineHeight: '16px',
          color: 'text.secondary',
          mb: 0.5,
        }}
      >
        {ends.map((end, index) => (
          <span key={index}>{end}</span>
        ))}
      </Box>
      <Crossing counts={counts} isLarge />
      <Box
        component="ul"
        sx={{
          display: 'flex',
          flexWrap: 'wrap',
          columnGap: 3,
          rowGap: 0.5,
          m: 0,
          mt: 1,
          p: 0,
          listStyle: 'none',
          fontSize: 12,
        }}
      >
        {counts.map(({ kind, count }) => (
          <Box component="li" key={kind} sx={{ display: 'flex', gap: 1, alignItems: 'center' }}>
            <LifeLabel kind={kind} />
            <Box component="b" sx={{ fontWeight: 600, fontVariantNumeric: 'tabular-nums' }}>
              {count}
            </Box>
          </Box>
        ))}
      </Box>
      <Waves all={all} />
    </Paper>
  );
}

function deployedOf(all: readonly Standing[]): number {
  return all.filter(({ kind }) => kind === 'deployed').length;
}

/** A line for each wave; what is in none comes last. */
function Waves({ all }: { readonly all: readonly Standing[] }) {
  const names = [...new Set(all.map(({ wave }) => wave))].sort((one, other) =>
    one === undefined ? 1 : other === undefined ? -1 : one.localeCompare(other),
  );
  if (names.every((name) => name === undefined)) return null;
  return (
    <Table
      size="small"
      aria-label={words.waves}
      sx={{
        mt: 2,
        '& tr:last-child td': { border: 0 },
        '& th:first-of-type, & td:first-of-type': { pl: 0 },
        '& th:last-of-type, & td:last-of-type': { pr: 0 },
      }}
    >
      <TableHead>
        <TableRow>
          <TableCell>{words.wave}</TableCell>
          <TableCell sx={{ width: '50%' }}>{words.progress}</TableCell>
          <TableCell align="right">{words.deployed}</TableCell>
        </TableRow>
      </TableHead>
      <TableBody>
        {names.map((name) => {
          const members = all.filter(({ wave }) => wave === name);
          return (
            <TableRow key={name ?? ''}>
              <TableCell>
                {name === undefined ? words.noWave : <Link href={hrefOf('waves', name)}>{name}</Link>}
              </TableCell>
              <TableCell>
                <Crossing counts={lifeCounts(members.map(({ kind }) => kind))} />
              </TableCell>
              <TableCell align="right" sx={{ fontVariantNumeric: 'tabular-nums', whiteSpace: 'nowrap' }}>
                {words.of(deployedOf(members), members.length)}
              </TableCell>
            </TableRow>
          );
        })}
      </TableBody>
    </Table>
  );
}
