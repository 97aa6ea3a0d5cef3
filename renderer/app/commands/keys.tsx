import Box from '@mui/material/Box';

/** Keys as they stand on a keyboard. */
export function Keys({ written }: { readonly written: string }) {
  return (
    <Box component="span" sx={{ display: 'inline-flex', gap: 0.5 }}>
      {written.split(' ').map((key, index) => (
        <Box
          key={index}
          component="kbd"
          sx={{
            border: 1,
            borderColor: 'divider',
            borderRadius: 1,
            px: 0.75,
            fontSize: 12,
            fontFamily: 'inherit',
            whiteSpace: 'nowrap',
          }}
        >
          {key}
        </Box>
      ))}
    </Box>
  );
}
