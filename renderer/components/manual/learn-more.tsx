import CloseIcon from '@mui/icons-material/Close';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Drawer from '@mui/material/Drawer';
import IconButton from '@mui/material/IconButton';
import Link from '@mui/material/Link';
import Typography from '@mui/material/Typography';
import { useId, useState } from 'react';
import type { ErrorCode } from '../../../shared/model/errors/catalogue.ts';
import { manualAnchors, manualPages } from '../../../shared/manual/addresses.ts';
import { findingName, findingText } from '../../../shared/validation/finding-texts.ts';
import { text } from '../../text/text.ts';
import { manualPage, type ManualPage } from './manual-pages.ts';
import { manualHref, ManualView } from './manual-view.tsx';

interface Props {
  readonly page: string;
  readonly anchor: string;
  /** What it is about, for those who come upon the link alone. */
  readonly about: string;
}

/** Opens a section of the manual beside what somebody works on, so that nothing that is not saved has to be left. */
export function LearnMore({ page, anchor, about }: Props) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <Link
        href={manualHref(page, anchor)}
        // Not its label: what searches for a field by its label must find the field alone.
        title={text.manual.learnMoreOf(about)}
        variant="caption"
        onClick={(event) => {
          // With a modifier the browser opens the whole page elsewhere.
          if (event.ctrlKey || event.metaKey || event.shiftKey) return;
          event.preventDefault();
          setIsOpen(true);
        }}
        sx={{ whiteSpace: 'nowrap' }}
      >
        {text.manual.learnMore}
      </Link>
      {isOpen && <SectionDrawer page={page} anchor={anchor} onClose={() => setIsOpen(false)} />}
    </>
  );
}

/** What the manual says of a finding's rule; nothing for a rule that it does not know. */
export function LearnMoreOfFinding({ rule }: { readonly rule: string }) {
  const found = findingText(rule);
  return found === undefined ? null : <LearnMore page={manualPages.failures} anchor={manualAnchors.finding(findingName(rule))} about={found.title} />;
}

export function LearnMoreOfError({ code, title }: { readonly code: ErrorCode; readonly title: string }) {
  return <LearnMore page={manualPages.failures} anchor={manualAnchors.error(code)} about={title} />;
}

function SectionDrawer({ page: name, anchor, onClose }: Omit<Props, 'about'> & { readonly onClose: () => void }) {
  const id = useId();
  const page = manualPage(name);
  return (
    <Drawer anchor="right" open onClose={onClose} slotProps={{ paper: { 'role': 'dialog', 'aria-modal': true, 'aria-labelledby': id, 'sx': { width: { xs: '100%', sm: 480 }, p: 3, backgroundImage: 'none' } } }}>
      <Box sx={{ display: 'flex', gap: 1, alignItems: 'center', mb: 2 }}>
        <Typography id={id} component="p" sx={{ flexGrow: 1, color: 'text.secondary' }}>
          {text.manual.title}: {page?.title ?? name}
        </Typography>
        <IconButton autoFocus aria-label={text.app.close} onClick={onClose}>
          <CloseIcon />
        </IconButton>
      </Box>
      {/* A link inside leads to the manual's screen: what is open above it would hide it. */}
      <Box onClick={(event) => event.target instanceof Element && event.target.closest('a') !== null && onClose()}>
        {page === undefined ? <Typography>{text.manual.notFound}</Typography> : <ManualView page={name} sections={sectionsAt(page, anchor)} />}
        <Button href={manualHref(name, anchor)} variant="outlined" size="small" sx={{ mt: 3 }}>
          {text.manual.openPage}
        </Button>
      </Box>
    </Drawer>
  );
}

/** The section, and the sections of what lies below its key: `network_map[].id` is part of `network_map`. */
function sectionsAt({ sections }: ManualPage, anchor: string): ManualPage['sections'] {
  const own = sections.filter((section) => section.anchor === anchor || section.anchor.startsWith(`${anchor}.`) || section.anchor.startsWith(`${anchor}[`));
  return own.length === 0 ? sections.slice(0, 1) : own;
}
