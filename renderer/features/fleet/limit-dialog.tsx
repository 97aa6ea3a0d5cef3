import MenuItem from '@mui/material/MenuItem';
import TextField from '@mui/material/TextField';
import { useState } from 'react';
import { limitKinds, type LimitKind } from '../../../shared/model/fleet.ts';
import { useToast } from '../../app/toasts.tsx';
import { useAction } from '../../app/use-action.ts';
import { useLink } from '../../app/workbench-context.tsx';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { text } from '../../text/text.ts';

const words = text.fleet.limits;
const most = 10_000;

interface Props {
  /** One that is changed; without it a new one is made. */
  readonly limit?: { readonly name: string; readonly most: number };
  /** Names of the project's endpoints. */
  readonly endpoints: readonly string[];
  readonly onSaved: () => void;
  readonly onClose: () => void;
}

/** Asks how many executions may use something at the same time, and of what. */
export function LimitDialog({ limit, endpoints, onSaved, onClose }: Props) {
  const link = useLink();
  const toast = useToast();
  const [kind, setKind] = useState<LimitKind>('endpoint');
  const [endpoint, setEndpoint] = useState(endpoints[0] ?? '');
  const [other, setOther] = useState('');
  const [typed, setTyped] = useState(String(limit?.most ?? 4));
  const count = Number(typed);
  const isNumber = Number.isInteger(count) && count >= 1 && count <= most;
  const second =
    kind === 'link' ? (endpoints.find((name) => name === other) ?? endpoints[1] ?? endpoints[0] ?? '') : other.trim();
  const named = {
    endpoint: `endpoint ${endpoint}`,
    link: `link ${endpoint} > ${second}`,
    host: `host ${endpoint}/${second}`,
    datastore: `datastore ${endpoint}/${second}`,
  };
  const name = limit?.name ?? named[kind];
  const isReady = isNumber && (limit !== undefined || (endpoint !== '' && (kind === 'endpoint' || second !== '')));
  const save = useAction(async () => {
    await link.call('fleet.setLimit', { name, limit: count });
    toast(words.saved(name, count));
    onSaved();
    onClose();
  });
  const choice = (
    label: string,
    value: string,
    onChange: (value: string) => void,
    given: readonly (readonly [string, string])[],
  ) => (
    <TextField
      select
      size="small"
      label={label}
      value={value}
      onChange={(event) => onChange(event.target.value)}
      sx={{ '&:first-of-type': { mt: 1 } }}
    >
      {given.map(([id, shown]) => (
        <MenuItem key={id} value={id}>
          {shown}
        </MenuItem>
      ))}
    </TextField>
  );
  const ofEndpoints = endpoints.map((each) => [each, each] as const);
  return (
    <ConfirmDialog
      title={limit === undefined ? words.addTitle : words.changeTitle(limit.name)}
      confirm={words.save}
      isReady={isReady}
      action={save}
      onClose={onClose}
    >
      {limit === undefined && (
        <>
          {choice(
            words.kind,
            kind,
            (value) => setKind(value as LimitKind),
            limitKinds.map((each) => [each, words.kinds[each]] as const),
          )}
          {choice(kind === 'link' ? words.source : words.endpoint, endpoint, setEndpoint, ofEndpoints)}
          {kind === 'link' && choice(words.destination, second, setOther, ofEndpoints)}
          {(kind === 'host' || kind === 'datastore') && (
            <TextField
              size="small"
              required
              label={words[kind]}
              value={other}
              onChange={(event) => setOther(event.target.value)}
              slotProps={{ htmlInput: { maxLength: 200 } }}
            />
          )}
        </>
      )}
      <TextField
        size="small"
        required
        type="number"
        label={words.most}
        value={typed}
        error={!isNumber}
        onChange={(event) => setTyped(event.target.value)}
        onKeyDown={(event) => event.key === 'Enter' && isReady && !save.isBusy && void save.run()}
        slotProps={{ htmlInput: { min: 1, max: most } }}
        sx={{ mt: limit === undefined ? 0 : 1 }}
      />
    </ConfirmDialog>
  );
}
