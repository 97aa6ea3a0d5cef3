import Table from '@mui/material/Table';
import TableBody from '@mui/material/TableBody';
import TableCell from '@mui/material/TableCell';
import TableHead from '@mui/material/TableHead';
import TableRow from '@mui/material/TableRow';
import {
  checkLabel,
  checkLabelText,
  checkName,
  type AfterBootCheck,
  type CheckResult,
} from '../../shared/model/after-boot-check.ts';
import { text } from '../text/text.ts';
import { timeText } from './quantities.ts';
import { StateLabel, type StateTone } from './state-label.tsx';

const words = text.proof.checks;
const tones: Readonly<Record<CheckResult['outcome'], StateTone>> = {
  passed: 'good',
  failed: 'bad',
  warned: 'paused',
  'not-run': 'idle',
};

interface Props {
  /** What is checked; those without a result were not run yet. */
  readonly checks?: readonly AfterBootCheck[];
  readonly results: readonly CheckResult[];
}

/** What a VM had to answer after it had booted, and what it answered. */
export function CheckResults({ checks, results }: Props) {
  const rows =
    checks === undefined
      ? results.map((result) => ({
          name: result.label === undefined ? result.name : checkLabelText(result.label, words.labels),
          result,
        }))
      : checks.map((check) => ({
          name: check.name ?? checkLabelText(checkLabel(check), words.labels),
          result: results.find((result) => result.name === checkName(check) && result.kind === check.kind),
        }));
  return (
    <Table size="small" aria-label={words.title}>
      <TableHead>
        <TableRow>
          <TableCell>{words.check}</TableCell>
          <TableCell>{words.result}</TableCell>
          <TableCell>{words.details}</TableCell>
          <TableCell align="right">{words.attempts}</TableCell>
          <TableCell>{words.at}</TableCell>
        </TableRow>
      </TableHead>
      <TableBody>
        {rows.map(({ name, result }, index) => (
          // Two checks may have one name.
          <TableRow key={index}>
            <TableCell sx={{ overflowWrap: 'anywhere' }}>{name}</TableCell>
            <TableCell sx={{ whiteSpace: 'nowrap' }}>
              {result === undefined ? (
                words.notYet
              ) : (
                <StateLabel tone={tones[result.outcome]}>{words.outcomes[result.outcome]}</StateLabel>
              )}
            </TableCell>
            <TableCell sx={{ overflowWrap: 'anywhere' }}>{result?.evidence}</TableCell>
            <TableCell align="right">{result?.attempts}</TableCell>
            <TableCell sx={{ whiteSpace: 'nowrap' }}>{result === undefined ? '' : timeText(result.at)}</TableCell>
          </TableRow>
        ))}
      </TableBody>
    </Table>
  );
}
