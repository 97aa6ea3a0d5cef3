import LockIcon from '@mui/icons-material/LockOutlined';
import LockOpenIcon from '@mui/icons-material/LockOpenOutlined';
import Button from '@mui/material/Button';
import Box from '@mui/material/Box';
import Paper from '@mui/material/Paper';
import TextField from '@mui/material/TextField';
import Typography from '@mui/material/Typography';
import { useState, type ReactNode } from 'react';
import type { WorkbenchOutput } from '../app/workbench-link.ts';
import { useToast } from '../app/toasts.tsx';
import { useAction } from '../app/use-action.ts';
import { useLink, useQuery, useShell } from '../app/workbench-context.tsx';
import { ErrorNotice } from './error-notice.tsx';
import { QueryView } from './query-view.tsx';
import { text } from '../text/text.ts';

/** The project's vault in words, and the way to open it. */
export function VaultCard() {
  const query = useQuery('vault.status', {}, ['shell.changed']);
  return (
    <Paper variant="outlined" component="section" aria-label={text.vault.title} sx={{ p: 3 }}>
      <QueryView query={query}>{(status) => <VaultState status={status} onChanged={query.reload} />}</QueryView>
    </Paper>
  );
}

/** The same for other screens: shown only while secrets can't be kept or read. */
export function VaultNeeded() {
  const query = useQuery('vault.status', {}, ['shell.changed']);
  if (query.data === undefined || (query.data.exists && !query.data.locked)) return null;
  return (
    <Paper variant="outlined" component="section" aria-label={text.vault.title} sx={{ p: 3 }}>
      <VaultState status={query.data} onChanged={query.reload} />
    </Paper>
  );
}

function VaultState({
  status,
  onChanged,
}: {
  readonly status: WorkbenchOutput<'vault.status'>;
  readonly onChanged: () => void;
}) {
  if (!status.exists) {
    return (
      <VaultWords icon={<LockIcon color="action" />} words={text.vault.none}>
        <CreateForm onDone={onChanged} />
      </VaultWords>
    );
  }
  if (status.locked) {
    return (
      <VaultWords icon={<LockIcon color="warning" />} words={text.vault.locked}>
        <UnlockForm onDone={onChanged} />
      </VaultWords>
    );
  }
  const protection = text.vault.protections[status.protection ?? ''] ?? status.protection ?? text.app.unknownReason;
  return <VaultWords icon={<LockOpenIcon color="success" />} words={text.vault.unlocked(protection)} />;
}

function VaultWords({
  icon,
  words,
  children,
}: {
  readonly icon: ReactNode;
  readonly words: string;
  readonly children?: ReactNode;
}) {
  return (
    <>
      <Box sx={{ display: 'flex', gap: 1, alignItems: 'center', mb: 1 }}>
        {icon}
        <Typography variant="h6" component="h2">
          {text.vault.title}
        </Typography>
      </Box>
      <Typography sx={{ color: 'text.secondary' }}>{words}</Typography>
      {children}
    </>
  );
}

function CreateForm({ onDone }: { readonly onDone: () => void }) {
  const link = useLink();
  const toast = useToast();
  const [first, setFirst] = useState('');
  const [second, setSecond] = useState('');
  const isShort = first !== '' && first.length < 8;
  const differs = second !== '' && second !== first;
  const create = useAction(async () => {
    await link.call('vault.create', { passphrase: first });
    toast(text.vault.unlockedToast);
    onDone();
  });
  const byKeyStore = useAction(async () => {
    await link.call('vault.create', {});
    toast(text.vault.unlockedToast);
    onDone();
  });
  const hasKeyStore = useShell()?.vault?.keyStoreIsUsable === true;
  return (
    <PassphraseForm
      button={text.vault.create}
      isReady={first.length >= 8 && first === second && !create.isBusy}
      onSubmit={() => void create.run()}
      hint={text.vault.noRecovery}
    >
      {hasKeyStore && (
        <>
          <Button variant="contained" disabled={byKeyStore.isBusy} onClick={() => void byKeyStore.run()}>
            {text.vault.byKeyStore}
          </Button>
          {byKeyStore.error !== undefined && <ErrorNotice error={byKeyStore.error} />}
          <Typography variant="body2" sx={{ color: 'text.secondary' }}>
            {text.vault.orPassphrase}
          </Typography>
        </>
      )}
      {create.error !== undefined && <ErrorNotice error={create.error} />}
      <PassphraseField
        label={text.vault.passphrase}
        value={first}
        problem={isShort ? text.vault.tooShort : undefined}
        autoComplete="new-password"
        onChange={setFirst}
      />
      <PassphraseField
        label={text.vault.repeat}
        value={second}
        problem={differs ? text.vault.different : undefined}
        autoComplete="new-password"
        onChange={setSecond}
      />
    </PassphraseForm>
  );
}

function UnlockForm({ onDone }: { readonly onDone: () => void }) {
  const link = useLink();
  const toast = useToast();
  const [passphrase, setPassphrase] = useState('');
  const unlock = useAction(async () => {
    await link.call('vault.unlock', { passphrase });
    toast(text.vault.unlockedToast);
    onDone();
  });
  return (
    <PassphraseForm
      button={text.vault.unlock}
      isReady={passphrase !== '' && !unlock.isBusy}
      onSubmit={() => void unlock.run()}
    >
      {unlock.error !== undefined && <ErrorNotice error={unlock.error} />}
      <PassphraseField
        label={text.vault.passphrase}
        value={passphrase}
        autoComplete="current-password"
        onChange={setPassphrase}
      />
    </PassphraseForm>
  );
}

interface PassphraseFieldProps {
  readonly label: string;
  readonly value: string;
  readonly problem?: string | undefined;
  readonly autoComplete: 'new-password' | 'current-password';
  readonly onChange: (value: string) => void;
}

function PassphraseField({ problem, onChange, ...field }: PassphraseFieldProps) {
  return (
    <TextField
      {...field}
      type="password"
      size="small"
      error={problem !== undefined}
      helperText={problem}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}

interface PassphraseFormProps {
  readonly button: string;
  readonly isReady: boolean;
  readonly hint?: string;
  readonly onSubmit: () => void;
  readonly children: ReactNode;
}

function PassphraseForm({ button, isReady, hint, onSubmit, children }: PassphraseFormProps) {
  return (
    <Box
      component="form"
      onSubmit={(event) => {
        event.preventDefault();
        if (isReady) onSubmit();
      }}
      sx={{ display: 'flex', flexDirection: 'column', gap: 2, mt: 2, maxWidth: 420 }}
    >
      {children}
      {hint !== undefined && (
        <Typography variant="body2" sx={{ color: 'text.secondary' }}>
          {hint}
        </Typography>
      )}
      <Button type="submit" variant="contained" disabled={!isReady} sx={{ alignSelf: 'flex-start' }}>
        {button}
      </Button>
    </Box>
  );
}
