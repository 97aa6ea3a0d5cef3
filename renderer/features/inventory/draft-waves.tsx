import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Checkbox from '@mui/material/Checkbox';
import MenuItem from '@mui/material/MenuItem';
import TextField from '@mui/material/TextField';
import Typography from '@mui/material/Typography';
import { useMemo, useState, type DragEvent, type KeyboardEvent } from 'react';
import { machineLabels, type KeptMachine } from '../../../shared/inventory/inventory.ts';
import { machineBytes } from '../../../shared/inventory/inventory.ts';
import { PagedTable, type Column } from '../../components/paged-table.tsx';
import { bytesText } from '../../components/quantities.ts';
import { text } from '../../text/text.ts';
import { DraftTabs } from './draft-tabs.tsx';
import { moved, nextName, type Draft } from './wave-drafts.ts';

const words = text.inventory.planWaves;

interface Props {
  readonly draft: Draft;
  /** What new waves are called, with a number. */
  readonly base: string;
  /** As it was before the last move; nothing where there is none. */
  readonly previous?: Draft | undefined;
  readonly onChange: (draft: Draft) => void;
  readonly onUndo: () => void;
}

/** Suggested waves, a tab each; machines are moved between them by dragging them onto a tab, or by selecting them and saying where to. */
export function DraftWaves({ draft, base, previous, onChange, onUndo }: Props) {
  const [name, setName] = useState('');
  const [search, setSearch] = useState('');
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [dragged, setDragged] = useState<ReadonlySet<string>>();
  // What was done last, as long as nothing else changed the draft.
  const [news, setNews] = useState<{ readonly of: Draft; readonly words: string }>();
  const wave = draft.find((one) => one.name === name) ?? draft[0];
  const wanted = search.trim().toLowerCase();
  const shown = useMemo(
    () => (wave?.machines ?? []).filter((machine) => searchText(machine).includes(wanted)),
    [wave, wanted],
  );
  const columns = useMemo(
    () =>
      columnsOf(draft, chosen, (id, isChosen) =>
        setChosen((before) => new Set(isChosen ? [...before, id] : [...before].filter((one) => one !== id))),
      ),
    [draft, chosen],
  );
  if (wave === undefined) return <Typography>{words.none}</Typography>;
  const ids = new Set(shown.filter(({ vm }) => chosen.has(vm.id)).map(({ vm }) => vm.id));
  const move = (moving: ReadonlySet<string>, to: string) => {
    const next = moved(draft, moving, to);
    onChange(next);
    setChosen(new Set());
    setDragged(undefined);
    setNews({ of: next, words: words.moved(moving.size, to) });
  };
  const undo = () => {
    if (previous === undefined) return;
    onUndo();
    setNews({ of: previous, words: words.undone });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (
      event.key.toLowerCase() !== 'z' ||
      event.shiftKey ||
      event.altKey ||
      !(event.ctrlKey || event.metaKey) ||
      isText(event.target)
    )
      return;
    event.preventDefault();
    undo();
  };
  const drag = ({ vm }: KeptMachine) => ({
    draggable: true,
    onDragStart: (event: DragEvent) => {
      event.dataTransfer.effectAllowed = 'move';
      event.dataTransfer.setData('text/plain', vm.name);
      // One of several that are selected takes the others with it.
      setDragged(ids.has(vm.id) ? ids : new Set([vm.id]));
    },
    onDragEnd: () => setDragged(undefined),
  });
  return (
    <Box onKeyDown={onKeyDown}>
      <DraftTabs
        draft={draft}
        shown={wave.name}
        onShow={setName}
        isDragging={dragged !== undefined}
        newWave={nextName(draft, base)}
        onDrop={(to) => move(dragged ?? new Set(), to)}
      />
      <Box sx={{ display: 'flex', gap: 2, alignItems: 'center', flexWrap: 'wrap', mb: 1.5 }}>
        <TextField
          type="search"
          size="small"
          label={text.inventory.search}
          value={search}
          onChange={(event) => setSearch(event.target.value)}
          sx={{ width: 280 }}
        />
        <Button
          size="small"
          onClick={() => setChosen(new Set(ids.size === shown.length ? [] : shown.map(({ vm }) => vm.id)))}
        >
          {ids.size === shown.length && ids.size > 0 ? text.replicas.clearChosen : text.replicas.chooseAll}
        </Button>
        {/* Never disabled: who moves VMs by keys would lose their place with the last one. */}
        <TextField
          select
          size="small"
          label={words.moveTo(ids.size)}
          value=""
          onChange={(event) => move(ids, event.target.value)}
          sx={{ width: 200 }}
        >
          {ids.size === 0 && <MenuItem disabled>{words.chooseFirst}</MenuItem>}
          {ids.size > 0 &&
            [
              ...draft.map(({ name: other }) => other).filter((other) => other !== wave.name),
              nextName(draft, base),
            ].map((other) => (
              <MenuItem key={other} value={other}>
                {draft.some((one) => one.name === other) ? other : words.newWave}
              </MenuItem>
            ))}
        </TextField>
        <Button size="small" disabled={previous === undefined} onClick={undo} aria-keyshortcuts="Control+Z Meta+Z">
          {text.waves.undo}
        </Button>
        <Typography role="status" sx={{ color: 'text.secondary' }}>
          {news?.of === draft ? news.words : words.howToMove}
        </Typography>
      </Box>
      <PagedTable
        label={wave.name}
        columns={columns}
        rows={shown}
        rowKey={({ vm }) => vm.id}
        sortedBy={{ column: 'name', descending: false }}
        rowDrag={drag}
        onClearFilters={wanted === '' ? undefined : () => setSearch('')}
      />
    </Box>
  );
}

/** Where Ctrl+Z belongs to what is typed. */
function isText(target: EventTarget): boolean {
  return target instanceof HTMLInputElement && target.type !== 'checkbox';
}

function searchText({ vm, labels }: KeptMachine): string {
  return [vm.name, ...Object.values(labels ?? {})].join('\n').toLowerCase();
}

function columnsOf(
  draft: Draft,
  chosen: ReadonlySet<string>,
  choose: (id: string, isChosen: boolean) => void,
): readonly Column<KeptMachine>[] {
  const present = machineLabels.filter((label) =>
    draft.some(({ machines }) => machines.some(({ labels }) => labels?.[label] !== undefined)),
  );
  return [
    {
      id: 'chosen',
      label: text.replicas.choose,
      cell: ({ vm }) => (
        <Checkbox
          size="small"
          checked={chosen.has(vm.id)}
          onChange={(event) => choose(vm.id, event.target.checked)}
          slotProps={{ input: { 'aria-label': text.replicas.chooseOne(vm.name) } }}
          sx={{ p: 0.25 }}
        />
      ),
    },
    { id: 'name', label: text.inventory.name, sortBy: ({ vm }) => vm.name, cell: ({ vm }) => vm.name },
    ...present.map((label): Column<KeptMachine> => ({
      id: label,
      label: words.criteria[label],
      isMinor: label !== 'application',
      sortBy: ({ labels }) => labels?.[label] ?? '',
      cell: ({ labels }) => labels?.[label] ?? '',
    })),
    {
      id: 'disks',
      label: text.inventory.disks,
      align: 'right',
      sortBy: machineBytes,
      cell: (machine) => bytesText(machineBytes(machine)),
    },
  ];
}
