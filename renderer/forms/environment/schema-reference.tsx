import ExpandMoreIcon from '@mui/icons-material/ExpandMore';
import Accordion from '@mui/material/Accordion';
import AccordionDetails from '@mui/material/AccordionDetails';
import AccordionSummary from '@mui/material/AccordionSummary';
import Box from '@mui/material/Box';
import { useMemo, useState } from 'react';
import type { PluginId, Side } from '../../../shared/model/plugin-id.ts';
import { renderSchema } from '../../../shared/plugins/render/render-schema.ts';
import { CopyButton } from '../../components/copy-button.tsx';

interface Props {
  readonly title: string;
  readonly plugin: PluginId;
  readonly side: Side;
}

/** Every key of an environment with what it does, as an example to copy from. Made when it is opened. */
export function KeyReference({ title, plugin, side }: Props) {
  const [isOpen, setIsOpen] = useState(false);
  const example = useMemo(() => (isOpen ? renderSchema(plugin, side, 'example') : ''), [isOpen, plugin, side]);
  return (
    <Accordion variant="outlined" disableGutters expanded={isOpen} onChange={(_event, open) => setIsOpen(open)}>
      <AccordionSummary expandIcon={<ExpandMoreIcon />}>{title}</AccordionSummary>
      <AccordionDetails>
        <CopyButton content={example} />
        <Box
          component="pre"
          tabIndex={0}
          role="region"
          aria-label={title}
          sx={{ fontSize: 13, overflow: 'auto', maxHeight: 480 }}
        >
          {example}
        </Box>
      </AccordionDetails>
    </Accordion>
  );
}
