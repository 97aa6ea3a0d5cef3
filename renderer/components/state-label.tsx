import AddIcon from '@mui/icons-material/AddCircleOutlineOutlined';
import ChangedIcon from '@mui/icons-material/ChangeCircleOutlined';
import CancelIcon from '@mui/icons-material/DoNotDisturbOnOutlined';
import CheckIcon from '@mui/icons-material/CheckCircleOutlined';
import ErrorIcon from '@mui/icons-material/ErrorOutlined';
import PauseIcon from '@mui/icons-material/PauseCircleOutlined';
import PendingIcon from '@mui/icons-material/ScheduleOutlined';
import RadioIcon from '@mui/icons-material/RadioButtonUncheckedOutlined';
import RunningIcon from '@mui/icons-material/SyncOutlined';
import Box from '@mui/material/Box';
import type { ReactNode } from 'react';

const icons = {
  idle: <RadioIcon fontSize="small" color="disabled" />,
  waiting: <PendingIcon fontSize="small" color="action" />,
  running: <RunningIcon fontSize="small" color="info" />,
  paused: <PauseIcon fontSize="small" color="warning" />,
  added: <AddIcon fontSize="small" color="info" />,
  changed: <ChangedIcon fontSize="small" color="warning" />,
  good: <CheckIcon fontSize="small" color="success" />,
  bad: <ErrorIcon fontSize="small" color="error" />,
  ended: <CancelIcon fontSize="small" color="action" />,
} as const;
export type StateTone = keyof typeof icons;

/** A state by icon and word, never by colour alone. */
export function StateLabel({ tone, children }: { readonly tone: StateTone; readonly children: ReactNode }) {
  return (
    <Box component="span" sx={{ display: 'inline-flex', gap: 0.75, alignItems: 'center', verticalAlign: 'middle' }}>
      {icons[tone]}
      {children}
    </Box>
  );
}
