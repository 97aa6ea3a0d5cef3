import Box from '@mui/material/Box';
import Paper from '@mui/material/Paper';
import Typography from '@mui/material/Typography';
import type { ReactNode } from 'react';

interface Props {
  readonly title: string;
  /** Beside the title, in few words. */
  readonly note?: string;
  readonly children: ReactNode;
}

/** The class of a table with a frame of its own, from which its cells keep their distance. */
export const framedTable = 'framed-table';
const unframed = `:not(.${framedTable} *)`;

/** A part of a screen in a frame, with its heading. */
export function Section({ title, note, children }: Props) {
  return (
    <Paper
      component="section"
      variant="outlined"
      aria-label={title}
      sx={{
        p: 2.5,
        overflowX: 'auto',
        [`& .MuiTableCell-root:first-of-type${unframed}`]: { pl: 0 },
        [`& .MuiTableCell-root:last-of-type${unframed}`]: { pr: 0 },
      }}
    >
      <Box sx={{ display: 'flex', gap: 2, alignItems: 'baseline', mb: 1 }}>
        <Typography variant="h6" component="h2">
          {title}
        </Typography>
        {note !== undefined && <Typography sx={{ color: 'text.secondary' }}>{note}</Typography>}
      </Box>
      {children}
    </Paper>
  );
}
