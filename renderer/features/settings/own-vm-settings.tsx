import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Link from '@mui/material/Link';
import MenuItem from '@mui/material/MenuItem';
import Paper from '@mui/material/Paper';
import Table from '@mui/material/Table';
import TableBody from '@mui/material/TableBody';
import TableCell from '@mui/material/TableCell';
import TableHead from '@mui/material/TableHead';
import TableRow from '@mui/material/TableRow';
import TextField from '@mui/material/TextField';
import Typography from '@mui/material/Typography';
import { useState } from 'react';
import { usualOwnVmVolumes } from '../../../shared/model/own-vm-limits.ts';
import { ownVmPlugins, ownVmSchema, type OwnVmView } from '../../../shared/model/own-vm.ts';
import { manualHref } from '../../app/route.ts';
import { useToast } from '../../app/toasts.tsx';
import { useAction } from '../../app/use-action.ts';
import { useLink, useQuery } from '../../app/workbench-context.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { useRunQuery } from '../../components/executions/use-run-query.ts';
import { QueryView } from '../../components/query-view.tsx';
import { text } from '../../text/text.ts';

const words = text.settings.ownVm;

/** The VMs of endpoints that the engine of the open project runs on, to which volumes and copies of disks are attached instead of to workers. */
export function OwnVmSettings() {
  const vms = useRunQuery('workers.ownVms', {}, 'states');
  const all = useQuery('endpoint.list', {}, ['project.changed']);
  const endpoints = (all.data ?? []).filter(({ plugin }) => ownVmPlugins.includes(plugin));
  return (
    <Paper
      variant="outlined"
      component="section"
      aria-label={words.title}
      sx={{ p: 3, maxWidth: 560, display: 'flex', flexDirection: 'column', gap: 2 }}
    >
      <Typography variant="h6" component="h2">
        {words.title}
      </Typography>
      <Typography sx={{ color: 'text.secondary' }}>
        {words.lead} <Link href={manualHref('movers')}>{text.manual.learnMore}</Link>
      </Typography>
      <QueryView query={vms}>
        {(shown) => (
          <>
            {shown.length === 0 ? (
              <Typography sx={{ color: 'text.secondary' }}>
                {endpoints.length === 0 ? words.noEndpoint : words.none}
              </Typography>
            ) : (
              <OwnVms vms={shown} onChanged={vms.reload} />
            )}
            {endpoints.length > 0 && (
              <VmForm key={endpoints.map(({ id }) => id).join()} endpoints={endpoints} onChanged={vms.reload} />
            )}
          </>
        )}
      </QueryView>
    </Paper>
  );
}

function VmForm({
  endpoints,
  onChanged,
}: {
  readonly endpoints: readonly { readonly id: string; readonly name: string }[];
  readonly onChanged: () => void;
}) {
  const link = useLink();
  const toast = useToast();
  const [endpoint, setEndpoint] = useState(endpoints[0]?.id ?? '');
  const [vm, setVm] = useState('');
  const [written, setWritten] = useState(String(usualOwnVmVolumes));
  const volumes = /^\d+$/.test(written.trim()) ? Number(written.trim()) : Number.NaN;
  const isRight = ownVmSchema.shape.volumes.safeParse(volumes).success;
  const [hint, setHint] = useState<string>();
  const find = useAction(async () => {
    const { found } = await link.call('workers.findOwnVm', { endpoint });
    const [one] = found;
    if (one === undefined || found.length > 1) {
      setHint(
        one === undefined
          ? words.notFound
          : words.unclear(found.map(({ vmName, vmId }) => `${vmName} (${vmId})`).join(', ')),
      );
      return;
    }
    setVm(one.vmId);
    setHint(words.foundBy(one.vmName, one.by.map((each) => words.evidence[each]).join(` ${words.and} `)));
  });
  const save = useAction(async () => {
    await link.call('workers.setOwnVm', { endpoint, vm: vm.trim(), volumes });
    setVm('');
    setHint(undefined);
    onChanged();
    toast(words.saved);
  });
  return (
    <Box
      component="form"
      sx={{ display: 'flex', flexDirection: 'column', gap: 2 }}
      onSubmit={(event) => (event.preventDefault(), void save.run())}
    >
      {find.error !== undefined && <ErrorNotice error={find.error} onClose={find.clear} />}
      {save.error !== undefined && <ErrorNotice error={save.error} onClose={save.clear} />}
      <TextField
        select
        size="small"
        label={words.endpoint}
        value={endpoint}
        onChange={(event) => (setEndpoint(event.target.value), setHint(undefined))}
      >
        {endpoints.map(({ id, name }) => (
          <MenuItem key={id} value={id}>
            {name}
          </MenuItem>
        ))}
      </TextField>
      <TextField
        size="small"
        label={words.vm}
        helperText={hint ?? words.vmHelp}
        value={vm}
        onChange={(event) => (setVm(event.target.value), setHint(undefined))}
      />
      <TextField
        size="small"
        label={words.volumes}
        helperText={words.volumesHelp}
        value={written}
        error={!isRight}
        slotProps={{ htmlInput: { inputMode: 'numeric' } }}
        onChange={(event) => setWritten(event.target.value)}
      />
      <Box sx={{ display: 'flex', gap: 2 }}>
        <Button disabled={find.isBusy} onClick={() => void find.run()}>
          {words.find}
        </Button>
        <Button type="submit" variant="outlined" disabled={vm.trim() === '' || !isRight || save.isBusy}>
          {words.save}
        </Button>
      </Box>
    </Box>
  );
}

function OwnVms({ vms, onChanged }: { readonly vms: readonly OwnVmView[]; readonly onChanged: () => void }) {
  return (
    <Table size="small" aria-label={words.list}>
      <TableHead>
        <TableRow>
          {[words.endpoint, words.vmName, words.volumes, words.attached, ''].map((title) => (
            <TableCell key={title}>{title}</TableCell>
          ))}
        </TableRow>
      </TableHead>
      <TableBody>
        {vms.map((vm) => (
          <OwnVmRow key={vm.endpointId} vm={vm} onChanged={onChanged} />
        ))}
      </TableBody>
    </Table>
  );
}

function OwnVmRow({ vm, onChanged }: { readonly vm: OwnVmView; readonly onChanged: () => void }) {
  const link = useLink();
  const toast = useToast();
  const remove = useAction(async () => {
    await link.call('workers.removeOwnVm', { endpoint: vm.endpointId });
    onChanged();
    toast(words.removed);
  });
  return (
    <TableRow>
      <TableCell>{vm.endpointName}</TableCell>
      <TableCell title={vm.vmId} sx={{ whiteSpace: 'nowrap' }}>
        {vm.vmName}
      </TableCell>
      <TableCell>{vm.volumes}</TableCell>
      <TableCell>{vm.inUse}</TableCell>
      <TableCell>
        <Button size="small" disabled={remove.isBusy} onClick={() => void remove.run()}>
          {words.remove}
        </Button>
        {remove.error !== undefined && <ErrorNotice error={remove.error} onClose={remove.clear} />}
      </TableCell>
    </TableRow>
  );
}
