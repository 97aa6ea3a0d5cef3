import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import Table from '@mui/material/Table';
import TableBody from '@mui/material/TableBody';
import TableCell from '@mui/material/TableCell';
import TableHead from '@mui/material/TableHead';
import TableRow from '@mui/material/TableRow';
import Typography from '@mui/material/Typography';
import { useId } from 'react';
import { commandIds } from '../../../shared/contract/commands.ts';
import { text } from '../../text/text.ts';
import { useShell } from '../workbench-context.tsx';
import { Keys } from './keys.tsx';
import { acceleratorText, commandOf, isLeftToPage } from './shortcut-keys.ts';

/** Every shortcut there is, from the table that the menu is made of. */
export function ShortcutOverview({ isMac, onClose }: { readonly isMac: boolean; readonly onClose: () => void }) {
  const id = useId();
  const isDesktop = useShell()?.host === 'desktop';
  const rows = commandIds.map((command) => {
    const { accelerator, keys } = commandOf(command);
    const hasAccelerator = accelerator !== undefined && (isDesktop || isLeftToPage(command));
    return {
      label: text.commands.labels[command].replace('…', ''),
      keys: [keys, hasAccelerator ? acceleratorText(accelerator, isMac) : undefined].filter((one) => one !== undefined),
    };
  });
  const all = [
    ...rows.filter(({ keys }) => keys.length > 0),
    { label: text.commands.more.search, keys: ['/'] },
    { label: text.commands.more.nextFinding, keys: ['F8'] },
    { label: text.commands.more.save, keys: [acceleratorText('CmdOrCtrl+S', isMac)] },
    { label: text.commands.more.leave, keys: ['Esc'] },
  ];
  return (
    <Dialog open onClose={onClose} aria-labelledby={id} maxWidth="sm" fullWidth>
      <DialogTitle id={id}>{text.commands.shortcuts}</DialogTitle>
      {/* The list is longer than a small window, and nothing in it has the focus: the arrow keys scroll it. */}
      <DialogContent tabIndex={0} role="group" aria-labelledby={id}>
        <Typography sx={{ color: 'text.secondary', mb: 1 }}>{text.commands.shortcutsLead}</Typography>
        <Table size="small">
          <TableHead>
            <TableRow>
              <TableCell>{text.commands.what}</TableCell>
              <TableCell>{text.commands.keys}</TableCell>
            </TableRow>
          </TableHead>
          <TableBody>
            {all.map(({ label, keys }) => (
              <TableRow key={label}>
                <TableCell>{label}</TableCell>
                <TableCell sx={{ '& > span': { mr: 1.5 } }}>
                  {keys.map((one) => (
                    <Keys key={one} written={one} />
                  ))}
                </TableCell>
              </TableRow>
            ))}
          </TableBody>
        </Table>
      </DialogContent>
      <DialogActions>
        <Button autoFocus onClick={onClose}>
          {text.commands.close}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
