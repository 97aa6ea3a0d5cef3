import Box from '@mui/material/Box';
import MenuItem from '@mui/material/MenuItem';
import TextField from '@mui/material/TextField';
import Typography from '@mui/material/Typography';
import { useState } from 'react';
import type { FleetSignIn } from '../../../shared/contract/fleet-membership-calls.ts';
import { useToast } from '../../app/toasts.tsx';
import { useAction } from '../../app/use-action.ts';
import { useLink } from '../../app/workbench-context.tsx';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { FileButton } from '../../components/file-button.tsx';
import { text } from '../../text/text.ts';
import { isShareReady, ShareFields, shareOf, type ShareEntry } from './share-fields.tsx';

const words = text.fleet.membership;
const signIns: readonly FleetSignIn['kind'][] = ['key', 'password', 'none'];
const copiesChoices = [1, 3, 5] as const;

interface Props {
  /** Names of the project's endpoints. */
  readonly endpoints: readonly string[];
  readonly onJoined: () => void;
  readonly onClose: () => void;
}

/** Asks for the servers of a fleet and how this computer signs in there. Files are read here: their content goes to the workbench, which keeps it for this user. */
export function JoinDialog({ endpoints, onJoined, onClose }: Props) {
  const link = useLink();
  const toast = useToast();
  const [servers, setServers] = useState('');
  const [project, setProject] = useState('');
  const [kind, setKind] = useState<FleetSignIn['kind']>('key');
  const [key, setKey] = useState('');
  const [user, setUser] = useState('');
  const [password, setPassword] = useState('');
  const [ca, setCa] = useState('');
  const [copies, setCopies] = useState<(typeof copiesChoices)[number]>(1);
  const [share, setShare] = useState<ShareEntry>({ carries: '', reaches: [] });
  const addresses = servers.split(/[\s,]+/).filter((address) => address !== '');
  const isName = /^[a-z0-9][a-z0-9-]{0,40}$/.test(project);
  const signIn: FleetSignIn | undefined =
    kind === 'none'
      ? { kind }
      : kind === 'key'
        ? key.trim() === ''
          ? undefined
          : { kind, content: key }
        : user.trim() === '' || password === ''
          ? undefined
          : { kind, user, password };
  const join = useAction(async () => {
    await link.call('fleet.join', {
      servers: addresses,
      project,
      signIn: signIn!,
      copies,
      ...(ca === '' ? {} : { ca }),
      ...shareOf(share),
    });
    toast(words.joined(project));
    onJoined();
    onClose();
  });
  return (
    <ConfirmDialog
      title={words.joinTitle}
      confirm={words.join}
      isReady={addresses.length > 0 && isName && signIn !== undefined && isShareReady(share)}
      action={join}
      onClose={onClose}
    >
      <TextField
        size="small"
        required
        label={words.servers}
        value={servers}
        helperText={words.serversHelp}
        onChange={(event) => setServers(event.target.value)}
        sx={{ mt: 1 }}
        slotProps={{ htmlInput: { maxLength: 2000 } }}
      />
      <TextField
        size="small"
        required
        label={words.name}
        value={project}
        error={project !== '' && !isName}
        helperText={words.nameHelp}
        onChange={(event) => setProject(event.target.value)}
        slotProps={{ htmlInput: { maxLength: 41 } }}
      />
      <TextField
        select
        size="small"
        label={words.signIn}
        value={kind}
        onChange={(event) => setKind(event.target.value as FleetSignIn['kind'])}
      >
        {signIns.map((each) => (
          <MenuItem key={each} value={each}>
            {words.signIns[each]}
          </MenuItem>
        ))}
      </TextField>
      {kind === 'key' && (
        <Chosen label={words.chooseKey} endings=".seed,.nk,.creds,.txt" isChosen={key !== ''} onText={setKey} />
      )}
      {kind === 'password' && (
        <>
          <TextField
            size="small"
            required
            label={words.user}
            value={user}
            onChange={(event) => setUser(event.target.value)}
            autoComplete="off"
            slotProps={{ htmlInput: { maxLength: 200 } }}
          />
          <TextField
            size="small"
            required
            type="password"
            label={words.password}
            value={password}
            onChange={(event) => setPassword(event.target.value)}
            autoComplete="off"
            slotProps={{ htmlInput: { maxLength: 1000 } }}
          />
        </>
      )}
      <Chosen label={words.chooseCa} endings=".pem,.crt,.cer" isChosen={ca !== ''} onText={setCa} />
      <TextField
        select
        size="small"
        label={words.copies}
        value={copies}
        helperText={words.copiesHelp}
        onChange={(event) => setCopies(Number(event.target.value) as 1)}
      >
        {copiesChoices.map((count) => (
          <MenuItem key={count} value={count}>
            {count}
          </MenuItem>
        ))}
      </TextField>
      <ShareFields entry={share} endpoints={endpoints} onChange={setShare} />
    </ConfirmDialog>
  );
}

function Chosen({
  label,
  endings,
  isChosen,
  onText,
}: {
  readonly label: string;
  readonly endings: string;
  readonly isChosen: boolean;
  readonly onText: (content: string) => void;
}) {
  return (
    <Box sx={{ display: 'flex', alignItems: 'center', gap: 2 }}>
      <FileButton size="small" label={label} endings={endings} onText={onText} />
      <Typography variant="body2" role="status" sx={{ color: 'text.secondary' }}>
        {isChosen ? words.chosen : words.notChosen}
      </Typography>
    </Box>
  );
}
