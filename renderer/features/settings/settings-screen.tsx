import FormControlLabel from '@mui/material/FormControlLabel';
import FormHelperText from '@mui/material/FormHelperText';
import MenuItem from '@mui/material/MenuItem';
import Paper from '@mui/material/Paper';
import Stack from '@mui/material/Stack';
import Switch from '@mui/material/Switch';
import TextField from '@mui/material/TextField';
import Typography from '@mui/material/Typography';
import { useColorScheme } from '@mui/material/styles';
import { useState } from 'react';
import type { Settings } from '../../../shared/contract/shell.ts';
import { useToast } from '../../app/toasts.tsx';
import { useAction } from '../../app/use-action.ts';
import { useLink, useQuery, useShell } from '../../app/workbench-context.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { QueryView } from '../../components/query-view.tsx';
import { Screen } from '../../components/screen.tsx';
import { chooseLanguage, language } from '../../text/chosen-language.ts';
import { languages } from '../../text/languages.ts';
import { text } from '../../text/text.ts';
import { NetworkSettings } from './network-settings.tsx';
import { NotificationSettings } from './notification-settings.tsx';
import { OwnVmSettings } from './own-vm-settings.tsx';
import { WorkerPoolSettings } from './worker-pool-settings.tsx';

/** What belongs to the user on this computer. Every change counts at once. */
export function SettingsScreen() {
  const query = useQuery('shell.settings', {}, ['shell.changed']);
  const network = useQuery('shell.network', {}, ['shell.changed']);
  const shell = useShell();
  return (
    <Screen title={text.settings.title} lead={text.settings.lead}>
      <QueryView query={query}>{(settings) => <SettingsForm settings={settings} onChanged={query.reload} />}</QueryView>
      <QueryView query={query}>
        {({ proxy }) => (
          <QueryView query={network}>
            {(facts) => (
              <NetworkSettings
                key={JSON.stringify(proxy)}
                proxy={proxy}
                facts={facts}
                onChanged={() => (query.reload(), network.reload())}
              />
            )}
          </QueryView>
        )}
      </QueryView>
      {shell?.project !== undefined && shell.engine.state === 'running' && <NotificationSettings />}
      {shell?.project !== undefined && shell.engine.state === 'running' && <WorkerPoolSettings />}
      {shell?.project !== undefined && shell.engine.state === 'running' && <OwnVmSettings />}
      {shell !== undefined && (
        <Typography variant="body2" sx={{ color: 'text.secondary' }}>
          {text.settings.version(shell.version, shell.host)}
        </Typography>
      )}
    </Screen>
  );
}

function SettingsForm({ settings, onChanged }: { readonly settings: Settings; readonly onChanged: () => void }) {
  const link = useLink();
  const toast = useToast();
  const { setMode } = useColorScheme();
  const change = useAction(async (part: Partial<Settings>) => {
    await link.call('shell.changeSettings', part);
    if (part.scheme !== undefined) setMode(part.scheme);
    onChanged();
    toast(text.settings.saved);
  });
  return (
    <Stack spacing={2} sx={{ maxWidth: 560 }}>
      {change.error !== undefined && <ErrorNotice error={change.error} onClose={change.clear} />}
      <Paper variant="outlined" component="section" sx={{ p: 3, display: 'flex', flexDirection: 'column', gap: 2 }}>
        <Typography variant="h6" component="h2">
          {text.settings.appearance}
        </Typography>
        <TextField
          select
          size="small"
          label={text.app.scheme}
          value={settings.scheme}
          onChange={(event) => void change.run({ scheme: event.target.value as Settings['scheme'] })}
        >
          <MenuItem value="system">{text.app.system}</MenuItem>
          <MenuItem value="light">{text.app.light}</MenuItem>
          <MenuItem value="dark">{text.app.dark}</MenuItem>
        </TextField>
        {Object.keys(languages).length > 1 && (
          <TextField
            select
            size="small"
            label={text.settings.language}
            value={language}
            onChange={(event) => chooseLanguage(event.target.value)}
          >
            {Object.entries(languages).map(([tag, { name }]) => (
              <MenuItem key={tag} value={tag} lang={tag}>
                {name}
              </MenuItem>
            ))}
          </TextField>
        )}
        <div>
          <FormControlLabel
            control={
              <Switch
                checked={settings.reducedMotion}
                onChange={(event) => void change.run({ reducedMotion: event.target.checked })}
              />
            }
            label={text.settings.reducedMotion}
          />
          <FormHelperText>{text.settings.reducedMotionHelp}</FormHelperText>
        </div>
        <TextField
          select
          size="small"
          label={text.settings.messageSeconds}
          helperText={text.settings.messageSecondsHelp}
          value={settings.messageSeconds}
          onChange={(event) => void change.run({ messageSeconds: Number(event.target.value) })}
        >
          {[...new Set([5, 8, 15, 30, 0, settings.messageSeconds])].map((seconds) => (
            <MenuItem key={seconds} value={seconds}>
              {text.settings.messageSecondsOption(seconds)}
            </MenuItem>
          ))}
        </TextField>
      </Paper>
      <Paper variant="outlined" component="section" sx={{ p: 3, display: 'flex', flexDirection: 'column', gap: 2 }}>
        <Typography variant="h6" component="h2">
          {text.settings.runs}
        </Typography>
        <ExecutionLimit
          value={settings.executionLimit}
          onChange={(executionLimit) => void change.run({ executionLimit })}
        />
      </Paper>
    </Stack>
  );
}

function ExecutionLimit({ value, onChange }: { readonly value: number; readonly onChange: (value: number) => void }) {
  const [written, setWritten] = useState(String(value));
  const number = Number(written);
  const isValid = Number.isInteger(number) && number >= 1 && number <= 32;
  return (
    <TextField
      size="small"
      label={text.settings.executionLimit}
      value={written}
      error={!isValid}
      helperText={text.settings.executionLimitHelp}
      slotProps={{ htmlInput: { inputMode: 'numeric' } }}
      onChange={(event) => setWritten(event.target.value)}
      onBlur={() => isValid && number !== value && onChange(number)}
    />
  );
}
