import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Link from '@mui/material/Link';
import TextField from '@mui/material/TextField';
import Typography from '@mui/material/Typography';
import { useDeferredValue, useEffect, useMemo, useState } from 'react';
import { manualPages } from '../../../shared/manual/addresses.ts';
import { pluginIds, sides } from '../../../shared/model/plugin-id.ts';
import { plugins } from '../../../shared/plugins/registry.ts';
import { topBarHeight } from '../../app/theme.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { manualHref } from '../../app/route.ts';
import { manualNames, manualPage, type ManualPage } from '../../components/manual/manual-pages.ts';
import { searchManual } from '../../components/manual/manual-search.ts';
import { headingId, ManualView } from '../../components/manual/manual-view.tsx';
import { Screen } from '../../components/screen.tsx';
import { platformLabel, text } from '../../text/text.ts';

const words = text.manual;
const mostResults = 30;

interface Props {
  readonly name: string;
  readonly anchor?: string;
}

/** The manual: its pages at the left, one of them with its headings at the right, and a search over all. */
export function ManualScreen({ name, anchor }: Props) {
  const [typed, setTyped] = useState('');
  const page = manualPage(name);
  return (
    <Screen
      title={words.title}
      actions={
        <TextField
          type="search"
          size="small"
          label={words.search}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          onKeyDown={(event) => {
            const [first] = event.key === 'Enter' ? searchManual(typed) : [];
            if (first === undefined) return;
            location.hash = manualHref(first.page, first.anchor === '' ? undefined : first.anchor);
            setTyped('');
          }}
          sx={{ width: { xs: '100%', sm: 320 } }}
        />
      }
    >
      <Box
        sx={{
          display: 'grid',
          gap: 4,
          alignItems: 'start',
          gridTemplateColumns: { xs: 'minmax(0, 1fr)', md: '220px minmax(0, 1fr)', lg: '220px minmax(0, 1fr) 220px' },
        }}
      >
        <PageList current={name} />
        {typed.trim() !== '' ? (
          <Results typed={typed} onChosen={() => setTyped('')} />
        ) : page === undefined ? (
          <EmptyState title={words.notFound} lead={words.notFoundLead}>
            <Button variant="contained" href={manualHref(manualPages.contents)}>
              {words.toContents}
            </Button>
          </EmptyState>
        ) : (
          <>
            <Page page={page} anchor={anchor} />
            <Headings page={page} />
          </>
        )}
      </Box>
    </Screen>
  );
}

function Page({ page, anchor }: { readonly page: ManualPage; readonly anchor: string | undefined }) {
  useEffect(() => {
    const target = document.getElementById(anchor === undefined ? 'manual-page' : headingId(anchor));
    // The search keeps the focus while somebody types; everything else moves it along.
    if (anchor !== undefined) target?.focus({ preventScroll: true });
    if (anchor === undefined) scrollTo(0, 0);
    else target?.scrollIntoView({ block: 'start' });
  }, [page, anchor]);
  return (
    <Box component="article" aria-labelledby="manual-page" sx={{ minWidth: 0 }}>
      <Typography
        id="manual-page"
        variant="h4"
        component="h2"
        tabIndex={-1}
        sx={{ fontWeight: 600, fontSize: 28, mb: 2, outline: 'none' }}
      >
        {page.title}
      </Typography>
      <ManualView page={page.name} sections={page.sections} />
    </Box>
  );
}

const column = {
  position: { md: 'sticky' },
  top: topBarHeight + 16,
  maxHeight: { md: `calc(100vh - ${topBarHeight + 32}px)` },
  overflowY: 'auto',
  fontSize: 13,
} as const;

function PageList({ current }: { readonly current: string }) {
  const link = (name: string, label: string) => (
    <Link
      href={manualHref(name)}
      underline="hover"
      aria-current={name === current ? 'page' : undefined}
      sx={{
        display: 'block',
        py: 0.5,
        fontWeight: name === current ? 600 : 400,
        color: name === current ? 'primary.main' : 'text.primary',
      }}
    >
      {label}
    </Link>
  );
  return (
    <Box component="nav" aria-label={words.contents} sx={column}>
      {manualNames
        .filter((name) => !name.startsWith('plugins/'))
        .map((name) => (
          <Box key={name}>
            {link(name, name === manualPages.contents ? words.contents : (manualPage(name)?.title ?? name))}
          </Box>
        ))}
      <Typography
        variant="caption"
        component="h2"
        sx={{ display: 'block', color: 'text.secondary', fontWeight: 600, mt: 2 }}
      >
        {words.platforms}
      </Typography>
      {pluginIds.map((id) => (
        <Box key={id} component="details" {...(current.startsWith(`plugins/${id}-`) ? { open: true } : {})}>
          <Box component="summary" sx={{ cursor: 'pointer', py: 0.5 }}>
            {platformLabel(plugins[id])}
          </Box>
          <Box sx={{ pl: 2 }}>
            {sides
              .filter((side) => plugins[id][side] !== undefined)
              .map((side) => (
                <Box key={side}>{link(manualPages.environment(id, side), words.sides[side])}</Box>
              ))}
            {link(manualPages.connection(id), words.connection)}
          </Box>
        </Box>
      ))}
    </Box>
  );
}

/** The headings of a page; long pages have only those of the first two levels. */
function Headings({ page: { name, sections } }: { readonly page: ManualPage }) {
  const isLong = sections.length > 120;
  const shown = sections.filter(({ anchor, level }) => anchor !== '' && level <= (isLong ? 3 : 4));
  if (shown.length < 2) return null;
  return (
    <Box component="nav" aria-label={words.onThisPage} sx={{ ...column, display: { xs: 'none', lg: 'block' } }}>
      <Typography variant="caption" component="h2" sx={{ color: 'text.secondary', fontWeight: 600 }}>
        {words.onThisPage}
      </Typography>
      {shown.map(({ anchor, level, title }) => (
        <Link
          key={anchor}
          href={manualHref(name, anchor)}
          underline="hover"
          sx={{ display: 'block', py: 0.25, pl: (level - 2) * 1.5, color: 'text.primary', overflowWrap: 'anywhere' }}
        >
          {title}
        </Link>
      ))}
    </Box>
  );
}

function Results({ typed, onChosen }: { readonly typed: string; readonly onChosen: () => void }) {
  const wanted = useDeferredValue(typed);
  const found = useMemo(() => searchManual(wanted), [wanted]);
  return (
    <Box component="section" aria-label={words.search}>
      <Typography role="status" sx={{ fontWeight: 600, mb: 1 }}>
        {words.results(found.length, wanted.trim())}
      </Typography>
      <Box component="ul" sx={{ listStyle: 'none', p: 0, m: 0 }}>
        {found.slice(0, mostResults).map(({ page, pageTitle, anchor, title, excerpt }) => (
          <Box component="li" key={`${page}#${anchor}`} sx={{ py: 1, borderBottom: 1, borderColor: 'divider' }}>
            <Link href={manualHref(page, anchor === '' ? undefined : anchor)} onClick={onChosen}>
              {title}
            </Link>
            <Typography variant="caption" component="div" sx={{ color: 'text.secondary' }}>
              {pageTitle}
            </Typography>
            <Typography variant="body2" sx={{ overflowWrap: 'anywhere' }}>
              {excerpt}
            </Typography>
          </Box>
        ))}
      </Box>
      {found.length > mostResults && (
        <Typography sx={{ color: 'text.secondary', mt: 1 }}>{words.more(found.length - mostResults)}</Typography>
      )}
    </Box>
  );
}
