import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import { useId, type ReactNode } from 'react';

interface Props {
  readonly title: string;
  /** In one sentence. */
  readonly lead?: string;
  readonly children: ReactNode;
}

/** A part of a wave's plan with its heading. */
export function PlanPart({ title, lead, children }: Props) {
  const id = useId();
  return (
    <Box
      role="group"
      aria-labelledby={id}
      sx={{ display: 'flex', flexDirection: 'column', gap: 1.5, borderTop: 1, borderColor: 'divider', pt: 1.5 }}
    >
      <Box sx={{ display: 'flex', gap: 1.5, alignItems: 'baseline', flexWrap: 'wrap' }}>
        <Typography variant="subtitle2" component="h3" id={id}>
          {title}
        </Typography>
        {lead !== undefined && (
          <Typography variant="caption" sx={{ color: 'text.secondary' }}>
            {lead}
          </Typography>
        )}
      </Box>
      {children}
    </Box>
  );
}
