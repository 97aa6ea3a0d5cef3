import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import MenuItem from '@mui/material/MenuItem';
import TextField from '@mui/material/TextField';
import Typography from '@mui/material/Typography';
import { useEffect, useId, useRef, useState } from 'react';
import type { DocumentFormat } from '../../../shared/environment/read-document.ts';
import { text } from '../../text/text.ts';

interface Compared {
  readonly label: string;
  /** Made when it is shown. */
  readonly content: () => string;
}

/** Two texts that can be compared, and what they are called. */
export interface Comparison {
  readonly id: string;
  readonly title: string;
  readonly before: Compared;
  readonly after: Compared;
  readonly format: DocumentFormat;
}

/** Shows what differs between two texts, e.g. a file as it was saved and as it is now. */
export function CompareDialog({
  comparisons,
  onClose,
}: {
  readonly comparisons: readonly Comparison[];
  readonly onClose: () => void;
}) {
  const [chosen, setChosen] = useState(comparisons[0]?.id);
  const titleId = useId();
  const comparison = comparisons.find(({ id }) => id === chosen) ?? comparisons[0];
  if (comparison === undefined) return null;
  const [before, after] = [comparison.before.content(), comparison.after.content()];
  return (
    <Dialog open maxWidth="xl" fullWidth onClose={onClose} aria-labelledby={titleId}>
      <DialogTitle id={titleId}>{text.editor.compare}</DialogTitle>
      <DialogContent sx={{ display: 'flex', flexDirection: 'column', gap: 2 }}>
        {comparisons.length > 1 && (
          <TextField
            select
            size="small"
            label={text.editor.compareWhat}
            value={comparison.id}
            onChange={(event) => setChosen(event.target.value)}
            sx={{ mt: 1, width: 420, maxWidth: '100%' }}
          >
            {comparisons.map(({ id, title }) => (
              <MenuItem key={id} value={id}>
                {title}
              </MenuItem>
            ))}
          </TextField>
        )}
        {before === after ? (
          <Alert severity="info">{text.editor.same}</Alert>
        ) : (
          <SideBySide
            key={comparison.id}
            before={before}
            after={after}
            format={comparison.format}
            beforeLabel={comparison.before.label}
            afterLabel={comparison.after.label}
          />
        )}
      </DialogContent>
      <DialogActions>
        <Button onClick={onClose}>{text.app.close}</Button>
      </DialogActions>
    </Dialog>
  );
}

interface SideBySideProps {
  readonly before: string;
  readonly after: string;
  readonly beforeLabel: string;
  readonly afterLabel: string;
  readonly format: DocumentFormat;
}

function SideBySide({ before, after, beforeLabel, afterLabel, format }: SideBySideProps) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    let isGone = false;
    let made: { destroy(): void } | undefined;
    void import('./code-view.ts').then(({ createComparison }) => {
      if (isGone || place.current === null) return;
      made = createComparison(place.current, { before, after, format, labels: [beforeLabel, afterLabel] });
    });
    return () => {
      isGone = true;
      made?.destroy();
    };
  }, [before, after, beforeLabel, afterLabel, format]);
  return (
    <>
      <Box sx={{ display: 'grid', gridTemplateColumns: '1fr 1fr' }}>
        {[beforeLabel, afterLabel].map((label) => (
          <Typography key={label} variant="subtitle2" component="h3">
            {label}
          </Typography>
        ))}
      </Box>
      <Box
        ref={place}
        sx={{ border: 1, borderColor: 'divider', borderRadius: '5px', overflow: 'auto', maxHeight: '60vh' }}
      />
    </>
  );
}
