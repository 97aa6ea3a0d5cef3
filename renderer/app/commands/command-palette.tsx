import Box from '@mui/material/Box';
import Dialog from '@mui/material/Dialog';
import InputBase from '@mui/material/InputBase';
import List from '@mui/material/List';
import ListItemButton from '@mui/material/ListItemButton';
import Typography from '@mui/material/Typography';
import { useId, useMemo, useState, type KeyboardEvent } from 'react';
import type { CommandId } from '../../../shared/contract/commands.ts';
import { text } from '../../text/text.ts';
import { useQuery, useShell } from '../workbench-context.tsx';
import { Keys } from './keys.tsx';
import { fittingEntries, paletteEntries, type PaletteEntry } from './palette-entries.ts';

interface Props {
  readonly isMac: boolean;
  readonly onRun: (command: CommandId) => void;
  readonly onClose: () => void;
}

/** Everything that can be gone to or done, by typing a part of its name. */
export function CommandPalette(props: Props) {
  const shell = useShell();
  const hasProject = shell?.project !== undefined;
  const keys = { isMac: props.isMac, isDesktop: shell?.host === 'desktop' };
  return (
    <Dialog
      open
      onClose={props.onClose}
      slotProps={{ paper: { 'aria-label': text.commands.palette } }}
      fullWidth
      maxWidth="sm"
      sx={{ '& .MuiDialog-container': { alignItems: 'flex-start' } }}
    >
      {hasProject ? (
        <OfProject {...props} isDesktop={keys.isDesktop} />
      ) : (
        <Choice
          {...props}
          entries={paletteEntries({ endpoints: [], replicas: [], lists: [], waves: [], runs: [] }, keys)}
        />
      )}
    </Dialog>
  );
}

function OfProject({ isDesktop, ...props }: Props & { readonly isDesktop: boolean }) {
  const endpoints = useQuery('endpoint.list', {}).data;
  const replicas = useQuery('replica.list', {}).data;
  const lists = useQuery('inventory.list', {}).data;
  const waves = useQuery('wave.list', {}).data;
  const runs = useQuery('execution.list', { limit: 50 }).data;
  const entries = useMemo(
    () =>
      paletteEntries(
        {
          endpoints: endpoints ?? [],
          replicas: replicas ?? [],
          lists: lists ?? [],
          waves: waves ?? [],
          runs: runs ?? [],
        },
        { isMac: props.isMac, isDesktop },
      ),
    [endpoints, replicas, lists, waves, runs, props.isMac, isDesktop],
  );
  return <Choice {...props} entries={entries} />;
}

function Choice({ entries, onRun, onClose }: Props & { readonly entries: readonly PaletteEntry[] }) {
  const id = useId();
  const [typed, setTyped] = useState('');
  const [chosen, setChosen] = useState(0);
  const shown = useMemo(() => fittingEntries(entries, typed), [entries, typed]);
  const at = Math.min(chosen, shown.length - 1);
  const run = (entry: PaletteEntry) => {
    onClose();
    if (entry.href !== undefined) location.hash = entry.href;
    if (entry.command !== undefined) onRun(entry.command);
  };
  const onKey = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step !== 0 && shown.length > 0) {
      event.preventDefault();
      const next = (at + step + shown.length) % shown.length;
      setChosen(next);
      document.getElementById(`${id}-${next}`)?.scrollIntoView({ block: 'nearest' });
    }
    const entry = shown[at];
    if (event.key === 'Enter' && entry !== undefined) {
      event.preventDefault();
      run(entry);
    }
  };
  return (
    <>
      <InputBase
        autoFocus
        fullWidth
        placeholder={text.commands.search}
        value={typed}
        onChange={(event) => {
          setTyped(event.target.value);
          setChosen(0);
        }}
        onKeyDown={onKey}
        inputProps={{
          role: 'combobox',
          'aria-label': text.commands.search,
          'aria-expanded': true,
          'aria-controls': id,
          'aria-activedescendant': shown.length === 0 ? undefined : `${id}-${at}`,
          spellCheck: false,
        }}
        sx={{ px: 2.5, py: 1.5, borderBottom: 1, borderColor: 'divider', fontSize: 18 }}
      />
      <List
        id={id}
        role="listbox"
        aria-label={text.commands.palette}
        dense
        sx={{ maxHeight: 400, overflow: 'auto', minHeight: 80 }}
      >
        {shown.map((entry, index) => (
          <ListItemButton
            key={entry.id}
            id={`${id}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === at}
            selected={index === at}
            onClick={() => run(entry)}
            sx={{ gap: 2, px: 2.5 }}
          >
            <Box sx={{ flexGrow: 1 }}>{entry.label}</Box>
            {entry.shortcut === undefined ? (
              <Typography variant="caption" sx={{ color: 'text.secondary' }}>
                {text.commands.kinds[entry.kind]}
              </Typography>
            ) : (
              <Keys written={entry.shortcut} />
            )}
          </ListItemButton>
        ))}
      </List>
      {shown.length === 0 && (
        <Typography role="status" sx={{ px: 2.5, pb: 2, color: 'text.secondary' }}>
          {text.commands.none}
        </Typography>
      )}
    </>
  );
}
