import Box from '@mui/material/Box';
import Tab from '@mui/material/Tab';
import Tabs from '@mui/material/Tabs';
import { useState, type DragEvent } from 'react';
import { bytesText } from '../../components/quantities.ts';
import { text } from '../../text/text.ts';
import { bytesOf, type Draft } from './wave-drafts.ts';

const words = text.inventory.planWaves;

interface Props {
  readonly draft: Draft;
  readonly shown: string;
  readonly onShow: (wave: string) => void;
  /** VMs are being dragged: they can be dropped on any wave but the one that is shown, and on a new one. */
  readonly isDragging: boolean;
  readonly newWave: string;
  readonly onDrop: (wave: string) => void;
}

/** A tab for each suggested wave; VMs are moved by dropping them there. */
export function DraftTabs({ draft, shown, onShow, isDragging, newWave, onDrop }: Props) {
  const [over, setOver] = useState<string>();
  const target = (wave: string) => {
    const allow = (event: DragEvent) => {
      if (!isDragging || wave === shown) return;
      event.preventDefault();
      event.dataTransfer.dropEffect = 'move';
      setOver(wave);
    };
    return {
      onDragEnter: allow,
      onDragOver: allow,
      onDragLeave: () => setOver((before) => (before === wave ? undefined : before)),
      onDrop: (event: DragEvent) => {
        event.preventDefault();
        setOver(undefined);
        if (isDragging && wave !== shown) onDrop(wave);
      },
    };
  };
  const lit = (wave: string) =>
    isDragging && over === wave
      ? { bgcolor: 'action.selected', outline: '2px dashed', outlineColor: 'primary.main', outlineOffset: -2 }
      : {};
  return (
    <Box sx={{ display: 'flex', alignItems: 'center', gap: 1, borderBottom: 1, borderColor: 'divider', mb: 1.5 }}>
      <Tabs
        value={shown}
        variant="scrollable"
        aria-label={words.tabs}
        onChange={(_event, next: string) => onShow(next)}
        sx={{ flex: '1 1 auto', minWidth: 0 }}
      >
        {draft.map((one) => (
          <Tab
            key={one.name}
            value={one.name}
            label={words.tab(one.name, one.machines.length, bytesText(bytesOf(one.machines)))}
            sx={lit(one.name)}
            {...target(one.name)}
          />
        ))}
      </Tabs>
      {/* Its place is kept, so that nothing moves as a drag begins. */}
      <Box
        aria-hidden
        {...target(newWave)}
        sx={{
          visibility: isDragging ? 'visible' : 'hidden',
          flexShrink: 0,
          px: 2,
          py: 0.75,
          border: '1px dashed',
          borderColor: 'action.active',
          borderRadius: '5px',
          color: 'text.secondary',
          ...lit(newWave),
        }}
      >
        {words.newWave}
      </Box>
    </Box>
  );
}
