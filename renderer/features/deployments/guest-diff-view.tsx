import AddIcon from '@mui/icons-material/AddOutlined';
import ChangeIcon from '@mui/icons-material/EditOutlined';
import RemoveIcon from '@mui/icons-material/RemoveOutlined';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Chip from '@mui/material/Chip';
import Collapse from '@mui/material/Collapse';
import Link from '@mui/material/Link';
import TextField from '@mui/material/TextField';
import Typography from '@mui/material/Typography';
import { useState, type ReactNode } from 'react';
import type { GuestDiff } from '../../../shared/model/guest-preparation.ts';
import { fonts } from '../../app/theme.ts';
import { CopyButton } from '../../components/copy-button.tsx';
import { text } from '../../text/text.ts';
import { diffEntries, diffText, type DiffEntry, type DiffPart, type DiffSign } from './diff-entries.ts';

const words = text.deployments;

/** Of each part, so that all parts are in sight. */
const shownAtFirst = 8;

const icons: Readonly<Record<DiffSign, ReactNode>> = {
  added: <AddIcon fontSize="small" color="success" titleAccess={words.signs.added} />,
  removed: <RemoveIcon fontSize="small" color="error" titleAccess={words.signs.removed} />,
  changed: <ChangeIcon fontSize="small" color="info" titleAccess={words.signs.changed} />,
};

/** What changed in a guest: files, packages, services, accounts, SSH, network names; one part or all, searched. */
export function GuestDiffView({ diff }: { readonly diff: GuestDiff }) {
  const entries = diffEntries(diff);
  const [part, setPart] = useState<DiffPart>();
  const [search, setSearch] = useState('');
  if (entries.length === 0) return <Typography sx={{ color: 'text.secondary' }}>{words.diffNone}</Typography>;
  const wanted = search.trim().toLowerCase();
  const parts = (Object.keys(words.diffParts) as DiffPart[]).filter((each) =>
    entries.some((entry) => entry.part === each),
  );
  const found = entries.filter(
    (entry) =>
      (part === undefined || entry.part === part) && `${entry.name} ${entry.detail}`.toLowerCase().includes(wanted),
  );
  return (
    <>
      <Box sx={{ display: 'flex', gap: 1, alignItems: 'center', flexWrap: 'wrap', mb: 1.5 }}>
        <Box role="group" aria-label={words.diff} sx={{ display: 'flex', gap: 1, flexWrap: 'wrap', flex: '1 1 300px' }}>
          {parts.map((each) => (
            <Chip
              key={each}
              label={`${words.diffParts[each]} ${entries.filter((entry) => entry.part === each).length}`}
              variant={part === each ? 'filled' : 'outlined'}
              color={part === each ? 'primary' : 'default'}
              aria-pressed={part === each}
              onClick={() => setPart(part === each ? undefined : each)}
            />
          ))}
        </Box>
        <TextField
          type="search"
          size="small"
          label={words.diffSearch}
          value={search}
          onChange={(event) => setSearch(event.target.value)}
        />
        <CopyButton content={diffText(found)} />
      </Box>
      {parts.map((each) => {
        const of = found.filter((entry) => entry.part === each);
        if (of.length === 0) return null;
        return <Part key={each} part={each} entries={of} isWhole={part === each || wanted !== ''} />;
      })}
    </>
  );
}

interface PartProps {
  readonly part: DiffPart;
  readonly entries: readonly DiffEntry[];
  /** Somebody looks at this part, or for something. */
  readonly isWhole: boolean;
}

/** One part; of a long one its beginning, until somebody asks for all of it. */
function Part({ part, entries, isWhole }: PartProps) {
  const [isAsked, setIsAsked] = useState(false);
  const shown = isWhole || isAsked ? entries : entries.slice(0, shownAtFirst);
  return (
    <Box component="section" aria-label={words.diffParts[part]} sx={{ mb: 1.5 }}>
      <Typography variant="subtitle2" component="h3" sx={{ color: 'text.secondary' }}>
        {words.diffParts[part]}
      </Typography>
      <Box component="ul" sx={{ m: 0, p: 0, listStyle: 'none' }}>
        {shown.map((entry) => (
          <Entry key={`${entry.sign} ${entry.name}`} entry={entry} />
        ))}
      </Box>
      {shown.length < entries.length && (
        <Button size="small" onClick={() => setIsAsked(true)}>
          {words.showAll(entries.length)}
        </Button>
      )}
    </Box>
  );
}

function Entry({ entry: { sign, name, detail, lines } }: { readonly entry: DiffEntry }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <Box component="li" sx={{ py: 0.5, borderBottom: 1, borderColor: 'divider', '&:last-child': { borderBottom: 0 } }}>
      <Box sx={{ display: 'flex', gap: 1, alignItems: 'center' }}>
        {icons[sign]}
        <Typography variant="body2" component="span" sx={{ fontFamily: fonts.code, overflowWrap: 'anywhere' }}>
          {name}
        </Typography>
        <Typography
          variant="caption"
          component="span"
          sx={{ color: 'text.secondary', overflowWrap: 'anywhere', flexGrow: 1 }}
        >
          {detail}
        </Typography>
        {lines.length > 0 && (
          <Link
            component="button"
            type="button"
            variant="caption"
            aria-expanded={isOpen}
            aria-label={`${words.showLines}: ${name}`}
            onClick={() => setIsOpen(!isOpen)}
          >
            {words.showLines}
          </Link>
        )}
      </Box>
      {lines.length > 0 && (
        <Collapse in={isOpen} unmountOnExit>
          <Box
            component="pre"
            tabIndex={0}
            role="region"
            aria-label={`${words.showLines}: ${name}`}
            sx={{
              m: 0,
              ml: 3.5,
              my: 0.5,
              p: 1,
              fontSize: 12.5,
              overflow: 'auto',
              maxHeight: 300,
              border: 1,
              borderColor: 'divider',
              borderRadius: 1,
            }}
          >
            {lines.map((line, index) => (
              // Lines of a diff may be equal; their place is what tells them apart.
              <Box key={index} component="div" sx={{ px: 0.5, ...lineLook(line) }}>
                {line === '' ? ' ' : line}
              </Box>
            ))}
          </Box>
        </Collapse>
      )}
    </Box>
  );
}

/** The sign stands in the line; the tint only helps. */
function lineLook(line: string): object {
  const tint = (colour: string): object => ({
    bgcolor: `color-mix(in srgb, var(--mui-palette-${colour}-main) 16%, transparent)`,
  });
  if (line.startsWith('+')) return tint('success');
  if (line.startsWith('-')) return tint('error');
  return line.startsWith('@') ? { color: 'text.secondary' } : {};
}
