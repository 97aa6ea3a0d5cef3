import Alert from '@mui/material/Alert';
import Button from '@mui/material/Button';
import { useState } from 'react';
import { text } from '../text/text.ts';
import { ConflictDialog } from './conflict-dialog.tsx';
import { useToast } from './toasts.tsx';
import { useAction } from './use-action.ts';
import { useLink, useQuery } from './workbench-context.tsx';
import type { ConflictSide, DescriptionConflict } from '../../shared/model/fleet.ts';

/** Files that two people of a fleet have changed: a person decides, with the difference before them. */
export function FleetBanner() {
  const link = useLink();
  const toast = useToast();
  const query = useQuery('fleet.conflicts', {}, ['project.changed']);
  const [isOpen, setIsOpen] = useState(false);
  const [file, setFile] = useState<string>();
  const conflicts = query.data ?? [];
  const decide = useAction(async ({ file: path, revision }: DescriptionConflict, side: ConflictSide) => {
    // With the newest difference, whether it was decided or changed once more.
    await link.call('fleet.decide', { file: path, side, revision }).finally(query.reload);
    toast(side === 'mine' ? text.fleet.keptMine(path) : text.fleet.tookTheirs(path));
    if (conflicts.length <= 1) setIsOpen(false);
  });
  const shown = conflicts.find((one) => one.file === file) ?? conflicts[0];
  if (shown === undefined) return null;
  return (
    <>
      <Alert
        severity="warning"
        sx={{ borderRadius: 0 }}
        action={
          <Button color="inherit" size="small" onClick={() => setIsOpen(true)} sx={{ whiteSpace: 'nowrap' }}>
            {text.fleet.compare}
          </Button>
        }
      >
        {text.fleet.conflicts(conflicts.length)}
      </Alert>
      {isOpen && (
        <ConflictDialog
          conflict={shown}
          files={conflicts.map((one) => one.file)}
          action={decide}
          onFile={setFile}
          onClose={() => setIsOpen(false)}
        />
      )}
    </>
  );
}
