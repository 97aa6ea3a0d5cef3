import CloseIcon from '@mui/icons-material/Close';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Drawer from '@mui/material/Drawer';
import IconButton from '@mui/material/IconButton';
import Typography from '@mui/material/Typography';
import { useId } from 'react';
import { manualHref } from '../../app/route.ts';
import { text } from '../../text/text.ts';
import { manualPage, type ManualPage } from './manual-pages.ts';
import { ManualView } from './manual-view.tsx';

interface Props {
  readonly page: string;
  readonly anchor: string;
  readonly onClose: () => void;
}

/** A section of the manual, at the right of what somebody works on. */
export function SectionDrawer({ page: name, anchor, onClose }: Props) {
  const id = useId();
  const page = manualPage(name);
  return (
    <Drawer
      anchor="right"
      open
      onClose={onClose}
      slotProps={{
        paper: {
          role: 'dialog',
          'aria-modal': true,
          'aria-labelledby': id,
          sx: { width: { xs: '100%', sm: 480 }, p: 3, backgroundImage: 'none' },
        },
      }}
    >
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
        {page === undefined ? (
          <Typography>{text.manual.notFound}</Typography>
        ) : (
          <ManualView page={name} sections={sectionsAt(page, anchor)} />
        )}
        <Button href={manualHref(name, anchor)} variant="outlined" size="small" sx={{ mt: 3 }}>
          {text.manual.openPage}
        </Button>
      </Box>
    </Drawer>
  );
}

/** The section, and the sections of what lies below its key: `network_map[].id` is part of `network_map`. */
function sectionsAt({ sections }: ManualPage, anchor: string): ManualPage['sections'] {
  const own = sections.filter(
    (section) =>
      section.anchor === anchor || section.anchor.startsWith(`${anchor}.`) || section.anchor.startsWith(`${anchor}[`),
  );
  return own.length === 0 ? sections.slice(0, 1) : own;
}
