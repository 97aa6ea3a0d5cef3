import Box from '@mui/material/Box';

/** A text as it will be written, to be read only. */
export function WrittenText({ label, children }: { readonly label: string; readonly children: string }) {
  return (
    <Box
      component="pre"
      tabIndex={0}
      role="region"
      aria-label={label}
      sx={{
        m: 0,
        p: 1.5,
        maxHeight: 'max(240px, calc(100vh - 420px))',
        overflow: 'auto',
        fontSize: 12,
        lineHeight: '18px',
        border: 1,
        borderColor: 'divider',
        borderRadius: '5px',
        bgcolor: 'background.default',
      }}
    >
      {children}
    </Box>
  );
}
