import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import { text } from '../text/text.ts';
import { useQuery } from './workbench-context.tsx';

/** Files of this computer that the others of its fleet do not get. */
export function NotSharedBanner() {
  const files = useQuery('fleet.notShared', {}, ['project.changed']).data ?? [];
  if (files.length === 0) return null;
  return (
    <Alert severity="warning" sx={{ borderRadius: 0, '& .MuiAlert-message': { minWidth: 0 } }}>
      {text.fleet.notShared(files.length)}
      <Box component="ul" sx={{ m: 0, pl: 2.5, maxHeight: 120, overflowY: 'auto', overflowWrap: 'anywhere' }}>
        {files.map(({ file, reason }) => (
          <li key={file}>
            <code>{file}</code>: {text.fleet.notSharedBecause[reason]}
          </li>
        ))}
      </Box>
    </Alert>
  );
}
