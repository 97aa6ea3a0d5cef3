import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Checkbox from '@mui/material/Checkbox';
import FormControlLabel from '@mui/material/FormControlLabel';
import MenuItem from '@mui/material/MenuItem';
import Paper from '@mui/material/Paper';
import Switch from '@mui/material/Switch';
import TextField from '@mui/material/TextField';
import Typography from '@mui/material/Typography';
import { useState, type ReactNode } from 'react';
import {
  mailSecurities,
  notificationKinds,
  notificationSecrets,
  notificationSettingsSchema,
  type MailSettings,
  type NotificationSettings as Settings,
  type NotificationWay,
} from '../../../shared/model/notifications.ts';
import { useToast } from '../../app/toasts.tsx';
import { useAction } from '../../app/use-action.ts';
import { useLink, useQuery } from '../../app/workbench-context.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { QueryView } from '../../components/query-view.tsx';
import { VaultNeeded } from '../../components/vault-card.tsx';
import { text } from '../../text/text.ts';

const words = text.settings.notifications;
const usualPorts = { tls: '465', starttls: '587', none: '25' } as const;

/** Messages of the open project to people who are away from this computer. */
export function NotificationSettings() {
  const query = useQuery('notification.settings', {}, ['project.changed']);
  return (
    <QueryView query={query}>
      {(shown) => <NotificationForm key={JSON.stringify(shown)} shown={shown} onChanged={query.reload} />}
    </QueryView>
  );
}

interface Shown {
  readonly settings: Settings;
  readonly has: { readonly address: boolean; readonly key: boolean; readonly password: boolean };
}

function NotificationForm({
  shown: { settings, has },
  onChanged,
}: {
  readonly shown: Shown;
  readonly onChanged: () => void;
}) {
  const link = useLink();
  const toast = useToast();
  const [kinds, setKinds] = useState<ReadonlySet<string>>(new Set(settings.kinds));
  const [hasWebhook, setHasWebhook] = useState(settings.webhook !== undefined);
  const [hookCertificate, setHookCertificate] = useState(settings.webhook?.caCertificate ?? '');
  const [secrets, setSecrets] = useState({ address: '', key: '', password: '' });
  const [hasMail, setHasMail] = useState(settings.mail !== undefined);
  const [mail, setMail] = useState(writtenOf(settings.mail));
  const certificate = (written: string): { caCertificate?: string } =>
    written.trim() === '' ? {} : { caCertificate: written.trim() };
  const read = notificationSettingsSchema.safeParse({
    kinds: notificationKinds.filter((kind) => kinds.has(kind)),
    ...(hasWebhook ? { webhook: certificate(hookCertificate) } : {}),
    ...(hasMail
      ? {
          mail: {
            host: mail.host.trim(),
            port: Number(mail.port),
            security: mail.security,
            from: mail.from.trim(),
            to: mail.to.split(/[\s,;]+/).filter((one) => one !== ''),
            ...(mail.username.trim() === '' ? {} : { username: mail.username.trim() }),
            ...certificate(mail.certificate),
          },
        }
      : {}),
  });
  const isWrong = (key: string): boolean => !read.success && read.error.issues.some(({ path }) => path.includes(key));
  const isComplete = read.success && (!hasWebhook || has.address || secrets.address.trim() !== '');
  const save = useAction(async () => {
    if (!read.success) return;
    // The settings first: a password that belongs to another server is forgotten with it.
    await link.call('notification.save', read.data);
    for (const which of ['address', 'key', 'password'] as const) {
      if (secrets[which].trim() !== '')
        await link.call('vault.set', { name: notificationSecrets[which], value: secrets[which].trim() });
    }
    onChanged();
    toast(text.settings.saved);
  });
  const secret = (which: keyof typeof secrets, label: string, help: string): ReactNode => (
    <TextField
      size="small"
      type="password"
      label={label}
      value={secrets[which]}
      helperText={has[which] ? words.secretKept : help}
      placeholder={has[which] ? '••••••••' : ''}
      autoComplete="off"
      slotProps={{ inputLabel: { shrink: true }, htmlInput: { autoComplete: 'new-password', spellCheck: false } }}
      onChange={(event) => setSecrets({ ...secrets, [which]: event.target.value })}
    />
  );
  const field = (key: 'host' | 'from' | 'to' | 'username', label: string, help?: string): ReactNode => (
    <TextField
      size="small"
      label={label}
      value={mail[key]}
      helperText={help}
      error={mail[key] !== '' && isWrong(key)}
      slotProps={{ htmlInput: { spellCheck: false, autoComplete: 'off' } }}
      onChange={(event) => setMail({ ...mail, [key]: event.target.value })}
    />
  );
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
      <Typography sx={{ color: 'text.secondary' }}>{words.lead}</Typography>
      <VaultNeeded />
      {save.error !== undefined && <ErrorNotice error={save.error} onClose={save.clear} />}
      <Box role="group" aria-label={words.kinds} sx={{ display: 'flex', flexDirection: 'column' }}>
        {notificationKinds.map((kind) => (
          <FormControlLabel
            key={kind}
            label={words.kindNames[kind]}
            control={
              <Checkbox
                size="small"
                checked={kinds.has(kind)}
                onChange={(event) =>
                  setKinds(new Set(event.target.checked ? [...kinds, kind] : [...kinds].filter((one) => one !== kind)))
                }
              />
            }
          />
        ))}
      </Box>
      <FormControlLabel
        control={<Switch checked={hasWebhook} onChange={(event) => setHasWebhook(event.target.checked)} />}
        label={words.webhook}
      />
      {hasWebhook && (
        <>
          {secret('address', words.address, words.addressHelp)}
          {secret('key', words.key, words.keyHelp)}
          <Certificate value={hookCertificate} onChange={setHookCertificate} />
          <Test way="webhook" isReady={settings.webhook !== undefined && has.address} />
        </>
      )}
      <FormControlLabel
        control={<Switch checked={hasMail} onChange={(event) => setHasMail(event.target.checked)} />}
        label={words.mail}
      />
      {hasMail && (
        <>
          {field('host', words.host)}
          <Box sx={{ display: 'flex', gap: 2 }}>
            <TextField
              select
              size="small"
              label={words.security}
              value={mail.security}
              sx={{ flexGrow: 1 }}
              onChange={(event) =>
                setMail({
                  ...mail,
                  security: event.target.value as MailSettings['security'],
                  port: usualPorts[event.target.value as MailSettings['security']],
                })
              }
            >
              {mailSecurities.map((one) => (
                <MenuItem key={one} value={one}>
                  {words.securities[one]}
                </MenuItem>
              ))}
            </TextField>
            <TextField
              size="small"
              label={words.port}
              value={mail.port}
              error={isWrong('port')}
              sx={{ width: 120 }}
              slotProps={{ htmlInput: { inputMode: 'numeric' } }}
              onChange={(event) => setMail({ ...mail, port: event.target.value })}
            />
          </Box>
          {field('username', words.username)}
          {mail.username.trim() !== '' && secret('password', words.password, words.passwordHelp)}
          {field('from', words.from)}
          {field('to', words.to, words.toHelp)}
          <Certificate value={mail.certificate} onChange={(value) => setMail({ ...mail, certificate: value })} />
          <Test way="mail" isReady={settings.mail !== undefined} />
        </>
      )}
      <div>
        <Button variant="contained" disabled={!isComplete || save.isBusy} onClick={() => void save.run()}>
          {words.save}
        </Button>
      </div>
    </Paper>
  );
}

function writtenOf(mail: MailSettings | undefined) {
  return {
    host: mail?.host ?? '',
    port: String(mail?.port ?? usualPorts.starttls),
    security: mail?.security ?? ('starttls' as const),
    username: mail?.username ?? '',
    from: mail?.from ?? '',
    to: mail?.to.join(', ') ?? '',
    certificate: mail?.caCertificate ?? '',
  };
}

function Certificate({ value, onChange }: { readonly value: string; readonly onChange: (value: string) => void }) {
  return (
    <TextField
      size="small"
      multiline
      minRows={1}
      maxRows={4}
      label={words.certificate}
      helperText={words.certificateHelp}
      value={value}
      onChange={(event) => onChange(event.target.value)}
      slotProps={{ htmlInput: { spellCheck: false } }}
    />
  );
}

/** What is saved is tested: what is only written is not in the vault yet. */
function Test({ way, isReady }: { readonly way: NotificationWay; readonly isReady: boolean }) {
  const link = useLink();
  const [said, setSaid] = useState<string>();
  const test = useAction(async () => {
    setSaid(undefined);
    setSaid((await link.call('notification.test', { way })).said);
  });
  return (
    <Box sx={{ display: 'flex', flexDirection: 'column', gap: 1, alignItems: 'flex-start' }}>
      <Button
        size="small"
        variant="outlined"
        disabled={!isReady || test.isBusy}
        onClick={() => void test.run()}
        aria-label={words.testOf[way]}
      >
        {words.test}
      </Button>
      {!isReady && (
        <Typography variant="caption" sx={{ color: 'text.secondary' }}>
          {words.saveFirst}
        </Typography>
      )}
      {test.error !== undefined && <ErrorNotice error={test.error} onClose={test.clear} />}
      {said !== undefined && (
        <Alert severity="success" role="status">
          {words.tested(said)}
        </Alert>
      )}
    </Box>
  );
}
