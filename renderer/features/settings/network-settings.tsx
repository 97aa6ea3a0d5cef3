import Alert from '@mui/material/Alert';
import Button from '@mui/material/Button';
import FormControlLabel from '@mui/material/FormControlLabel';
import FormHelperText from '@mui/material/FormHelperText';
import MenuItem from '@mui/material/MenuItem';
import Paper from '@mui/material/Paper';
import Stack from '@mui/material/Stack';
import Switch from '@mui/material/Switch';
import TextField from '@mui/material/TextField';
import Typography from '@mui/material/Typography';
import { useState, type ReactNode } from 'react';
import type { Network, Settings } from '../../../shared/contract/shell.ts';
import type { ConnectionTest } from '../../../shared/model/connection-test.ts';
import { useToast } from '../../app/toasts.tsx';
import { useAction } from '../../app/use-action.ts';
import { useLink } from '../../app/workbench-context.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { text } from '../../text/text.ts';

type ProxySettings = Settings['proxy'];

/** How proxies are found, what is in effect, and whether a server is reached by it. */
export function NetworkSettings({
  proxy,
  facts,
  onChanged,
}: {
  readonly proxy: ProxySettings;
  readonly facts: Network;
  readonly onChanged: () => void;
}) {
  const words = text.settings;
  return (
    <Paper
      variant="outlined"
      component="section"
      sx={{ p: 3, maxWidth: 560, display: 'flex', flexDirection: 'column', gap: 2 }}
    >
      <Typography variant="h6" component="h2">
        {words.network}
      </Typography>
      {facts.isOverridden && (
        <Alert severity="info" variant="outlined">
          {words.proxyOverridden}
        </Alert>
      )}
      <ProxyForm kept={proxy} onChanged={onChanged} />
      <ProxyPassword username={proxy.username} passwordKept={facts.passwordKept} onChanged={onChanged} />
      <Facts facts={facts} />
      <TestConnection onTested={onChanged} />
    </Paper>
  );
}

function ProxyForm({ kept, onChanged }: { readonly kept: ProxySettings; readonly onChanged: () => void }) {
  const words = text.settings;
  const link = useLink();
  const toast = useToast();
  const [written, setWritten] = useState(kept);
  const save = useAction(async (proxy: ProxySettings) => {
    await link.call('shell.changeSettings', { proxy });
    onChanged();
    toast(words.saved);
  });
  const field = (
    name: 'script' | 'server' | 'exceptions' | 'username',
    label: string,
    helperText: string,
  ): ReactNode => (
    <TextField
      size="small"
      label={label}
      helperText={helperText}
      value={written[name]}
      slotProps={{ htmlInput: { spellCheck: false, autoComplete: 'off' } }}
      onChange={(event) => setWritten({ ...written, [name]: event.target.value })}
    />
  );
  const isChanged = JSON.stringify(written) !== JSON.stringify(kept);
  return (
    <Stack component="form" spacing={2} onSubmit={(event) => (event.preventDefault(), void save.run(written))}>
      {save.error !== undefined && <ErrorNotice error={save.error} onClose={save.clear} />}
      <TextField
        select
        size="small"
        label={words.proxyMode}
        value={written.mode}
        helperText={words.proxyModeHelp[written.mode]}
        onChange={(event) => setWritten({ ...written, mode: event.target.value as ProxySettings['mode'] })}
      >
        {(['system', 'script', 'manual', 'none'] as const).map((mode) => (
          <MenuItem key={mode} value={mode}>
            {words.proxyModes[mode]}
          </MenuItem>
        ))}
      </TextField>
      {written.mode === 'script' && field('script', words.proxyScriptAddress, words.proxyScriptAddressHelp)}
      {written.mode === 'manual' && field('server', words.proxyServer, words.proxyServerHelp)}
      {written.mode === 'manual' && field('exceptions', words.proxyExceptions, words.proxyExceptionsHelp)}
      {written.mode !== 'none' && field('username', words.proxyUsername, words.proxyUsernameHelp)}
      <div>
        <FormControlLabel
          control={
            <Switch
              checked={written.forWorkers}
              onChange={(event) => setWritten({ ...written, forWorkers: event.target.checked })}
            />
          }
          label={words.proxyForWorkers}
        />
        <FormHelperText>{words.proxyForWorkersHelp}</FormHelperText>
      </div>
      <div>
        <Button type="submit" variant="contained" disabled={!isChanged || save.isBusy}>
          {words.saveNetwork}
        </Button>
      </div>
    </Stack>
  );
}

/** Shown when there is a user that it belongs to. It can be set and forgotten, never read. */
function ProxyPassword({
  username,
  passwordKept,
  onChanged,
}: {
  readonly username: string;
  readonly passwordKept: Network['passwordKept'];
  readonly onChanged: () => void;
}) {
  const words = text.settings;
  const link = useLink();
  const toast = useToast();
  const [password, setPassword] = useState('');
  const save = useAction(async (given: string) => {
    await link.call('shell.setProxyPassword', { password: given });
    setPassword('');
    onChanged();
    toast(words.saved);
  });
  if (username === '' && passwordKept === 'none') return null;
  return (
    <Stack component="form" spacing={1} onSubmit={(event) => (event.preventDefault(), void save.run(password))}>
      {save.error !== undefined && <ErrorNotice error={save.error} onClose={save.clear} />}
      <TextField
        size="small"
        type="password"
        label={words.proxyPassword}
        helperText={words.proxyPasswordKept[passwordKept]}
        value={password}
        slotProps={{ htmlInput: { autoComplete: 'off', maxLength: 250 } }}
        onChange={(event) => setPassword(event.target.value)}
      />
      <Stack direction="row" spacing={1}>
        <Button type="submit" variant="outlined" disabled={password === '' || save.isBusy}>
          {words.savePassword}
        </Button>
        {passwordKept !== 'none' && (
          <Button disabled={save.isBusy} onClick={() => void save.run('')}>
            {words.forgetPassword}
          </Button>
        )}
      </Stack>
    </Stack>
  );
}

function Facts({
  facts: { proxy, proxyFrom, noProxy, scripts, scriptFailure, systemCertificates, workerProxy },
}: {
  readonly facts: Network;
}) {
  const words = text.settings;
  const script = scripts.join(', ');
  const rows: readonly (readonly [string, string])[] = [
    [
      words.cloudProxy,
      scripts.length > 0
        ? words.proxyFrom(words.byScript(script), proxyFrom)
        : proxy === undefined
          ? words.direct
          : words.proxyFrom(proxy, proxyFrom),
    ],
    ...(scripts.length > 0 && proxy !== undefined ? [[words.withoutScript, proxy] as const] : []),
    ...(noProxy === '' ? [] : [[words.noProxy, noProxy] as const]),
    [
      words.workerProxy,
      workerProxy === undefined ? words.direct : workerProxy === 'same' ? words.asToClouds : workerProxy,
    ],
    [words.systemCertificates, words.systemCertificatesUsed(systemCertificates)],
  ];
  return (
    <>
      <Typography variant="subtitle2" component="h3">
        {words.inEffect}
      </Typography>
      <Stack component="dl" spacing={1} sx={{ m: 0 }}>
        {rows.map(([label, value]) => (
          <div key={label}>
            <Typography component="dt" variant="body2" sx={{ color: 'text.secondary' }}>
              {label}
            </Typography>
            <Typography component="dd" variant="body2" sx={{ m: 0, overflowWrap: 'anywhere' }}>
              {value}
            </Typography>
          </div>
        ))}
      </Stack>
      {scriptFailure !== undefined && (
        <ErrorNotice error={{ code: 'cloud.proxy-script-failed', message: scriptFailure }} />
      )}
    </>
  );
}

function TestConnection({ onTested }: { readonly onTested: () => void }) {
  const words = text.settings;
  const link = useLink();
  const [address, setAddress] = useState('');
  const [result, setResult] = useState<ConnectionTest>();
  const test = useAction(async (given: string) => {
    setResult(undefined);
    try {
      setResult(await link.call('shell.testConnection', { address: given }));
    } finally {
      onTested();
    }
  });
  return (
    <Stack component="form" spacing={1} onSubmit={(event) => (event.preventDefault(), void test.run(address.trim()))}>
      <Typography variant="subtitle2" component="h3">
        {words.testConnection}
      </Typography>
      <TextField
        size="small"
        label={words.testAddress}
        helperText={words.testAddressHelp}
        value={address}
        slotProps={{ htmlInput: { spellCheck: false, maxLength: 500 } }}
        onChange={(event) => setAddress(event.target.value)}
      />
      <div>
        <Button type="submit" variant="outlined" disabled={address.trim() === '' || test.isBusy}>
          {test.isBusy ? words.testing : words.testConnection}
        </Button>
      </div>
      {test.error !== undefined && <ErrorNotice error={test.error} onClose={test.clear} />}
      {result !== undefined && (
        <Alert
          severity={result.isVerified ? 'success' : 'warning'}
          variant="outlined"
          sx={{ overflowWrap: 'anywhere' }}
        >
          {words.reached(result.address, result.way)}{' '}
          {result.isVerified ? words.trusted(result.issuer) : words.notTrusted(result.reason, result.issuer)}
          {result.passed.length > 0 && ` ${words.passed(result.passed.join('; '))}`}
        </Alert>
      )}
    </Stack>
  );
}
