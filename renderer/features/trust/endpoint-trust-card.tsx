import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Chip from '@mui/material/Chip';
import Paper from '@mui/material/Paper';
import Table from '@mui/material/Table';
import TableBody from '@mui/material/TableBody';
import TableCell from '@mui/material/TableCell';
import TableHead from '@mui/material/TableHead';
import TableRow from '@mui/material/TableRow';
import Typography from '@mui/material/Typography';
import type { EndpointTrust } from '../../../shared/model/trust.ts';
import { plugins } from '../../../shared/plugins/registry.ts';
import { hrefOf } from '../../app/route.ts';
import { useToast } from '../../app/toasts.tsx';
import { useAction } from '../../app/use-action.ts';
import { useLink } from '../../app/workbench-context.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { platformLabel, text } from '../../text/text.ts';
import { ReachedList, reachedLabel } from './reached-list.tsx';

const colours = {
  accepted: 'success',
  new: 'warning',
  changed: 'warning',
  missing: 'default',
  locked: 'default',
} as const;

/** One endpoint: where it leads, and for a changed one what differs from what was accepted. */
export function EndpointTrustCard({
  endpoint,
  onChanged,
}: {
  readonly endpoint: EndpointTrust;
  readonly onChanged: () => void;
}) {
  const { id, name, plugin, state, reaches, changes, problems } = endpoint;
  return (
    <Paper component="li" variant="outlined" sx={{ p: 2 }} aria-label={name}>
      <Box sx={{ display: 'flex', gap: 1.5, alignItems: 'center', flexWrap: 'wrap', mb: 1 }}>
        <Typography variant="subtitle1" component="h3" sx={{ fontWeight: 600 }}>
          {name}
        </Typography>
        <Typography variant="body2" sx={{ color: 'text.secondary', flexGrow: 1 }}>
          {platformLabel(plugins[plugin])}
        </Typography>
        <Chip size="small" color={colours[state]} label={text.trust.states[state]} variant="outlined" />
        {state === 'changed' && <Keep id={id} name={name} onChanged={onChanged} />}
        {(state === 'missing' || problems.length > 0) && (
          <Button size="small" href={hrefOf('endpoints', id)}>
            {text.trust.openEndpoint}
          </Button>
        )}
      </Box>
      {state === 'missing' && <Typography variant="body2">{text.trust.missingLead}</Typography>}
      {state === 'locked' && <Typography variant="body2">{text.trust.lockedLead}</Typography>}
      {problems.length > 0 && (
        <Alert severity="error" sx={{ mb: 1 }}>
          {text.trust.cannotAccept}
          <Box component="ul" sx={{ m: 0, pl: 2.5, overflowWrap: 'anywhere' }}>
            {problems.map((problem) => (
              <li key={problem}>{problem}</li>
            ))}
          </Box>
        </Alert>
      )}
      {state === 'changed' ? <ChangeTable changes={changes} /> : <ReachedList reached={reaches} />}
    </Paper>
  );
}

/** Fields as they were accepted and as the file proposes them. */
export function ChangeTable({ changes }: Pick<EndpointTrust, 'changes'>) {
  return (
    <Table size="small" sx={{ tableLayout: 'fixed', '& td': { overflowWrap: 'anywhere', unicodeBidi: 'isolate' } }}>
      <TableHead>
        <TableRow>
          {[text.trust.field, text.trust.was, text.trust.becomes].map((heading) => (
            <TableCell key={heading}>{heading}</TableCell>
          ))}
        </TableRow>
      </TableHead>
      <TableBody>
        {changes.map(({ from, to, ...reached }, index) => (
          <TableRow key={index}>
            <TableCell component="th" scope="row">
              {reachedLabel(reached)}
            </TableCell>
            <TableCell>{from ?? text.trust.none}</TableCell>
            <TableCell sx={{ fontWeight: 600 }}>{to ?? text.trust.none}</TableCell>
          </TableRow>
        ))}
      </TableBody>
    </Table>
  );
}

function Keep({ id, name, onChanged }: { readonly id: string; readonly name: string; readonly onChanged: () => void }) {
  const link = useLink();
  const toast = useToast();
  const keep = useAction(async () => {
    await link.call('trust.keep', { endpoint: id });
    toast(text.trust.kept);
    onChanged();
  });
  return (
    <>
      <Button size="small" disabled={keep.isBusy} onClick={() => void keep.run()} aria-label={text.trust.keepOf(name)}>
        {text.trust.keep}
      </Button>
      {keep.error !== undefined && (
        <Box sx={{ flexBasis: '100%' }}>
          <ErrorNotice error={keep.error} onClose={keep.clear} />
        </Box>
      )}
    </>
  );
}
