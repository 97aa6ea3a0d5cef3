import Paper from '@mui/material/Paper';
import Typography from '@mui/material/Typography';
import type { ReactNode } from 'react';

interface Props {
  readonly title: string;
  readonly lead?: string;
  /** What leads on. */
  readonly children?: ReactNode;
}

/** What stands where nothing is yet: what it would be, and the way there. */
export function EmptyState({ title, lead, children }: Props) {
  return (
    <Paper variant="outlined" sx={{ p: 5, textAlign: 'center', borderStyle: 'dashed' }}>
      <Typography variant="h6" component="p">
        {title}
      </Typography>
      {lead !== undefined && (
        <Typography sx={{ color: 'text.secondary', mb: children === undefined ? 0 : 2 }}>{lead}</Typography>
      )}
      {children}
    </Paper>
  );
}
