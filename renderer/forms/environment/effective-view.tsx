import Box from '@mui/material/Box';
import Paper from '@mui/material/Paper';
import Typography from '@mui/material/Typography';
import { sides } from '../../../shared/model/plugin-id.ts';
import { fonts, topBarHeight } from '../../app/theme.ts';
import { CopyButton } from '../../components/copy-button.tsx';
import { text } from '../../text/text.ts';
import { useDraftVersion, useDraftView } from './draft-context.tsx';
import { originText } from './environment-field.tsx';

/** The effective environment as JSON, line by line with the origin of each key. */
export function EffectiveView() {
  const { draft } = useDraftView();
  useDraftVersion(draft);
  const shown = sides.filter((side) => draft.pluginOf(side) !== undefined).reverse();
  const whole = Object.fromEntries(
    shown.map((side) => [
      side,
      {
        plugin: draft.pluginOf(side),
        environment: Object.fromEntries(draft.effective(side).map(({ key, value }) => [key, value])),
      },
    ]),
  );
  return (
    <Paper
      component="section"
      variant="outlined"
      aria-label={text.configure.effective}
      sx={{
        p: 2,
        position: 'sticky',
        top: topBarHeight + 76,
        maxHeight: `calc(100vh - ${topBarHeight + 96}px)`,
        overflow: 'auto',
      }}
    >
      <Box sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: 1 }}>
        <Typography variant="h6" component="h2" sx={{ flexGrow: 1 }}>
          {text.configure.effective}
        </Typography>
        <CopyButton content={JSON.stringify(whole, undefined, 2)} />
      </Box>
      <Typography variant="caption" component="p" sx={{ color: 'text.secondary', mb: 1 }}>
        {text.configure.effectiveLead}
      </Typography>
      {shown.map((side) => (
        <Box key={side} sx={{ mb: 2 }}>
          <Typography variant="body2" sx={{ fontWeight: 600 }}>
            {text.configure.sides[side]}
          </Typography>
          {draft.effective(side).length === 0 && (
            <Typography variant="caption" component="p" sx={{ color: 'text.secondary' }}>
              {text.configure.effectiveNone}
            </Typography>
          )}
          {draft.effective(side).map((entry) => (
            <Box key={entry.key} sx={{ py: 0.5 }}>
              <Box
                component="pre"
                sx={{ m: 0, fontSize: 12.5, whiteSpace: 'pre-wrap', overflowWrap: 'anywhere', fontFamily: fonts.code }}
              >
                {`${JSON.stringify(entry.key)}: ${JSON.stringify(entry.value, undefined, 2)}`}
              </Box>
              <Typography variant="caption" sx={{ color: 'text.secondary' }}>
                {originText(entry, draft.level)}
                {entry.from !== undefined && ` (${entry.from})`}
              </Typography>
            </Box>
          ))}
        </Box>
      ))}
    </Paper>
  );
}
