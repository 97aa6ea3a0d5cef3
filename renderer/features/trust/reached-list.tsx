import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import type { Reached } from '../../../shared/model/trust.ts';
import { fonts } from '../../app/theme.ts';
import { fieldWords, text } from '../../text/text.ts';

interface Row extends Reached {
  readonly note?: string;
  readonly isNew?: boolean;
}

/** What a field is called in the page's language; where it is no field, what it is used for. */
export function reachedLabel({ label, field }: Pick<Reached, 'label' | 'field'>): string {
  if (field !== undefined) return fieldWords(field, { title: label, help: '', group: '' }).title;
  return (text.trust.usedFor as Readonly<Record<string, string>>)[label] ?? label;
}

/** Fields and where they lead, in the order given. Values come from files of others: plain text, broken anywhere. */
export function ReachedList({ reached }: { readonly reached: readonly Row[] }) {
  return (
    <Box
      component="dl"
      sx={{
        m: 0,
        display: 'grid',
        gridTemplateColumns: 'minmax(120px, 220px) 1fr',
        columnGap: 2,
        rowGap: 0.5,
        typography: 'body2',
      }}
    >
      {reached.map(({ kind, value, note, isNew = false, ...reached }, index) => (
        <Box key={index} sx={{ display: 'contents' }}>
          <Box component="dt" sx={{ color: 'text.secondary', overflowWrap: 'anywhere' }}>
            {reachedLabel(reached)}
          </Box>
          <Box
            component="dd"
            sx={{
              m: 0,
              overflowWrap: 'anywhere',
              whiteSpace: 'pre-wrap',
              fontFamily: kind === 'setting' || kind === 'secret' ? undefined : fonts.code,
              fontWeight: isNew ? 700 : undefined,
              unicodeBidi: 'isolate',
            }}
          >
            {kind === 'secret' ? text.trust.secret(value) : value}
            {note !== undefined && (
              <Typography variant="caption" component="div" sx={{ color: 'text.secondary' }}>
                {note}
              </Typography>
            )}
          </Box>
        </Box>
      ))}
    </Box>
  );
}
