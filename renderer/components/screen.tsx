import Box from '@mui/material/Box';
import Stack from '@mui/material/Stack';
import Typography from '@mui/material/Typography';
import { useEffect, useRef, type ReactNode } from 'react';
import { setPageTitle } from '../app/page-title.ts';

interface Props {
  readonly title: string;
  readonly lead?: ReactNode;
  /** Buttons beside the title. */
  readonly actions?: ReactNode;
  /** Takes the whole width of a large window: for tables and plots, which gain by it, unlike text and forms. */
  readonly isWide?: boolean;
  readonly children: ReactNode;
}

/** A screen's heading and content. Its heading takes the focus, so that screen readers say where one has got to. */
export function Screen({ title, lead, actions, isWide = false, children }: Props) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    setPageTitle(title);
  }, [title]);
  useEffect(() => {
    if (document.activeElement === document.body) heading.current?.focus({ preventScroll: true });
  }, []);
  return (
    <Stack spacing={3} sx={{ maxWidth: isWide ? 2400 : 1280, mx: 'auto' }}>
      <Box sx={{ display: 'flex', gap: 2, alignItems: 'flex-start', flexWrap: 'wrap' }}>
        <Box sx={{ flex: '1 1 400px', minWidth: 0 }}>
          <Typography
            ref={heading}
            tabIndex={-1}
            variant="h5"
            component="h1"
            sx={{ outline: 'none', overflowWrap: 'anywhere' }}
          >
            {title}
          </Typography>
          {lead !== undefined && (
            <Typography component="div" sx={{ color: 'text.secondary', mt: 0.5 }}>
              {lead}
            </Typography>
          )}
        </Box>
        {actions !== undefined && <Box sx={{ display: 'flex', gap: 1, flexWrap: 'wrap' }}>{actions}</Box>}
      </Box>
      {children}
    </Stack>
  );
}
