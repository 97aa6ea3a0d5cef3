import Box from '@mui/material/Box';
import type { ReactNode } from 'react';

interface Props {
  readonly onSubmit: () => void;
  /** Whether Ctrl or Cmd and S submits it. */
  readonly hasSaveKey?: boolean;
  readonly children: ReactNode;
}

/** The form around a draft's many fields: Return in one of them must not submit what is half filled in. */
export function DraftForm({ onSubmit, hasSaveKey = false, children }: Props) {
  return (
    <Box
      component="form"
      noValidate
      sx={{ display: 'flex', flexDirection: 'column', gap: 2 }}
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
      onKeyDown={(event) => {
        if (hasSaveKey && event.key === 's' && (event.ctrlKey || event.metaKey)) {
          event.preventDefault();
          event.currentTarget.requestSubmit();
        }
        if (event.key === 'Enter' && event.target instanceof HTMLInputElement) event.preventDefault();
      }}
    >
      {children}
    </Box>
  );
}
