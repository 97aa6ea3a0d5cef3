import Link from '@mui/material/Link';
import Table from '@mui/material/Table';
import TableBody from '@mui/material/TableBody';
import TableCell from '@mui/material/TableCell';
import TableHead from '@mui/material/TableHead';
import TableRow from '@mui/material/TableRow';
import type { Deployment } from '../../../shared/model/deployment.ts';
import { hrefOf } from '../../app/route.ts';
import { durationText, timeText } from '../quantities.ts';
import { text } from '../../text/text.ts';
import { ExecutionLabel } from './execution-label.tsx';

const words = text.deployments;

/** The newest deployment first. */
export function DeploymentTable({ deployments }: { readonly deployments: readonly Deployment[] }) {
  return (
    <Table size="small" aria-label={words.table}>
      <TableHead>
        <TableRow>
          <TableCell>{words.number}</TableCell>
          <TableCell>{text.replicas.state}</TableCell>
          <TableCell>{words.result}</TableCell>
          <TableCell>{text.replicas.started}</TableCell>
          <TableCell align="right">{text.replicas.took}</TableCell>
        </TableRow>
      </TableHead>
      <TableBody>
        {deployments.map(({ id, number, state, server, startedAt, finishedAt, createdAt }) => (
          <TableRow key={id}>
            <TableCell>
              <Link href={hrefOf('deployments', id)}>
                {words.number} {number}
              </Link>
            </TableCell>
            <TableCell>
              <ExecutionLabel state={state} />
            </TableCell>
            <TableCell sx={{ overflowWrap: 'anywhere' }}>
              {state === 'completed' && server !== undefined ? [server.name, ...server.addresses].join(', ') : ''}
            </TableCell>
            <TableCell>{timeText(startedAt ?? createdAt)}</TableCell>
            <TableCell align="right">
              {startedAt === undefined || finishedAt === undefined
                ? ''
                : durationText((Date.parse(finishedAt) - Date.parse(startedAt)) / 1000)}
            </TableCell>
          </TableRow>
        ))}
      </TableBody>
    </Table>
  );
}
