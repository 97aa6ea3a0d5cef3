import ErrorIcon from '@mui/icons-material/ErrorOutlined';
import InfoIcon from '@mui/icons-material/InfoOutlined';
import WarningIcon from '@mui/icons-material/WarningAmberOutlined';
import Box from '@mui/material/Box';
import type { ReactNode } from 'react';
import type { Finding } from '../../shared/schema/finding.ts';

const icons = {
  error: <ErrorIcon color="error" fontSize="small" />,
  warning: <WarningIcon color="warning" fontSize="small" />,
  info: <InfoIcon color="info" fontSize="small" />,
} as const;

/** A severity by icon and word, never by colour alone. */
export function SeverityLabel({
  severity,
  children,
}: {
  readonly severity: Finding['severity'];
  readonly children: ReactNode;
}) {
  return (
    <Box
      component="span"
      sx={{
        display: 'inline-flex',
        gap: 1,
        alignItems: 'flex-start',
        verticalAlign: 'middle',
        '& > svg': { flexShrink: 0 },
      }}
    >
      {icons[severity]}
      <span>{children}</span>
    </Box>
  );
}
