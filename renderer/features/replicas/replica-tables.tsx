import Link from '@mui/material/Link';
import Table from '@mui/material/Table';
import TableBody from '@mui/material/TableBody';
import TableCell from '@mui/material/TableCell';
import TableHead from '@mui/material/TableHead';
import TableRow from '@mui/material/TableRow';
import type { Execution } from '../../../shared/model/execution.ts';
import type { ReplicaDisk } from '../../../shared/model/replica.ts';
import { hrefOf } from '../../app/route.ts';
import { fonts } from '../../app/theme.ts';
import { bytesText, durationText, timeText } from '../../components/quantities.ts';
import { text } from '../../text/text.ts';
import { ExecutionLabel } from '../../components/executions/execution-label.tsx';

export function DiskTable({ disks }: { readonly disks: readonly ReplicaDisk[] }) {
  return (
    <Table size="small" aria-label={text.replicas.disks}>
      <TableHead>
        <TableRow>
          <TableCell>{text.replicas.disk}</TableCell>
          <TableCell align="right">{text.replicas.size}</TableCell>
          <TableCell>{text.replicas.volume}</TableCell>
          <TableCell>{text.replicas.synced}</TableCell>
        </TableRow>
      </TableHead>
      <TableBody>
        {disks.map((disk) => (
          <TableRow key={disk.diskId}>
            <TableCell>{disk.diskId}</TableCell>
            <TableCell align="right">{bytesText(disk.sizeBytes)}</TableCell>
            <TableCell sx={{ fontFamily: fonts.code, overflowWrap: 'anywhere' }}>
              {disk.volumeId ?? text.replicas.notYet}
            </TableCell>
            <TableCell>
              {disk.synchronisedTo === undefined ? text.replicas.neverSynced : timeText(disk.synchronisedTo)}
            </TableCell>
          </TableRow>
        ))}
      </TableBody>
    </Table>
  );
}

/** The newest run first. */
export function RunTable({ runs }: { readonly runs: readonly Execution[] }) {
  return (
    <Table size="small" aria-label={text.replicas.runs}>
      <TableHead>
        <TableRow>
          <TableCell>{text.replicas.run}</TableCell>
          <TableCell>{text.replicas.state}</TableCell>
          <TableCell>{text.replicas.started}</TableCell>
          <TableCell align="right">{text.replicas.took}</TableCell>
          <TableCell align="right">{text.replicas.sent}</TableCell>
        </TableRow>
      </TableHead>
      <TableBody>
        {runs
          .toSorted((one, other) => other.number - one.number)
          .map((run) => (
            <TableRow key={run.id}>
              <TableCell>
                <Link href={hrefOf('runs', run.id)}>
                  {text.replicas.run} {run.number}
                </Link>
              </TableCell>
              <TableCell>
                <ExecutionLabel state={run.state} member={run.member} />
              </TableCell>
              <TableCell>{timeText(run.startedAt ?? run.createdAt)}</TableCell>
              <TableCell align="right">
                {run.startedAt === undefined || run.finishedAt === undefined
                  ? ''
                  : durationText((Date.parse(run.finishedAt) - Date.parse(run.startedAt)) / 1000)}
              </TableCell>
              <TableCell align="right">
                {run.progress === undefined ? '' : bytesText(run.progress.total.bytesSent)}
              </TableCell>
            </TableRow>
          ))}
      </TableBody>
    </Table>
  );
}
