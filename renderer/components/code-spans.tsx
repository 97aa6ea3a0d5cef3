import Box from '@mui/material/Box';
import { fonts } from '../app/theme.ts';

/** A text of the catalogue in which names and commands stand between backticks, as in the manual: these are shown as code. */
export function CodeSpans({ children }: { readonly children: string }) {
  const parts = children.split('`');
  // One without its other half is a character like any other.
  if (parts.length < 3 || parts.length % 2 === 0) return children;
  return parts.map((part, index) =>
    index % 2 === 0 ? (
      part
    ) : (
      <Box key={index} component="code" sx={{ fontFamily: fonts.code, fontSize: '0.95em', overflowWrap: 'anywhere' }}>
        {part}
      </Box>
    ),
  );
}
