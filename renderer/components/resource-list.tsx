import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import type { LedgerItem } from '../../shared/model/ledger.ts';
import { text } from '../text/text.ts';

/** Resources by kind, name and id, for whoever has to decide about them. */
export function ResourceList({
  title,
  items,
  isTall = false,
}: {
  readonly title: string;
  readonly items: readonly LedgerItem[];
  readonly isTall?: boolean;
}) {
  return (
    <Box>
      <Typography variant="body2" sx={{ fontWeight: 600 }}>
        {title}
      </Typography>
      <Box
        component="ul"
        tabIndex={0}
        aria-label={title}
        sx={{
          m: 0,
          mt: 0.5,
          p: 0,
          listStyle: 'none',
          maxHeight: isTall ? 480 : 180,
          overflow: 'auto',
          border: 1,
          borderColor: 'divider',
          borderRadius: 1,
        }}
      >
        {items.map(({ entryId, kind, name, resourceId, endpointName }) => (
          <Box
            component="li"
            key={entryId}
            sx={{
              px: 1.5,
              py: 0.5,
              borderBottom: 1,
              borderColor: 'divider',
              '&:last-child': { borderBottom: 0 },
              fontSize: 13,
              overflowWrap: 'anywhere',
            }}
          >
            <Box
              component="b"
              sx={{ display: 'inline-block', fontWeight: 600, '&::first-letter': { textTransform: 'uppercase' } }}
            >
              {kindText(kind)}
            </Box>{' '}
            {name}
            <Typography variant="caption" component="div" sx={{ color: 'text.secondary' }}>
              {[endpointName, resourceId !== name ? resourceId : undefined]
                .filter((part) => part !== undefined)
                .join(' · ') || text.ledger.unknownEndpoint}
            </Typography>
          </Box>
        ))}
      </Box>
    </Box>
  );
}

/** "volume-snapshot" as people read it. A kind of a later version is shown as it is. */
export function kindText(kind: string): string {
  const kinds: Readonly<Record<string, string>> = text.ledger.kinds;
  return Object.hasOwn(kinds, kind) ? (kinds[kind] ?? kind) : kind;
}
