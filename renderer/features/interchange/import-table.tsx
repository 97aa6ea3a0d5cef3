import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Checkbox from '@mui/material/Checkbox';
import Typography from '@mui/material/Typography';
import { useMemo } from 'react';
import { CodeSpans } from '../../components/code-spans.tsx';
import { EnglishText } from '../../components/english-text.tsx';
import { PagedTable, type Column } from '../../components/paged-table.tsx';
import { errorWords, text } from '../../text/text.ts';
import type { ImportRow, Outcomes } from './import-rows.ts';

interface Props {
  readonly rows: readonly ImportRow[];
  /** Keys of rows that are not to be created. */
  readonly left: ReadonlySet<string>;
  readonly onLeft: (left: ReadonlySet<string>) => void;
  readonly outcomes: Outcomes;
  readonly isLocked: boolean;
  readonly shown: string | undefined;
  readonly onShow: (key: string | undefined) => void;
}

/** Everything that an import creates, one row each, with what became of it. */
export function ImportTable({ rows, left, onLeft, outcomes, isLocked, shown, onShow }: Props) {
  const columns = useMemo((): readonly Column<ImportRow>[] => {
    const toggle = (key: string) => {
      const next = new Set(left);
      if (!next.delete(key)) next.add(key);
      onLeft(next);
    };
    return [
      {
        id: 'choose',
        label: '',
        cell: ({ key, name, exists }) => (
          <Checkbox
            size="small"
            disabled={exists || isLocked}
            checked={!exists && !left.has(key)}
            onChange={() => toggle(key)}
            slotProps={{ input: { 'aria-label': text.interchange.select(name) } }}
            sx={{ p: 0.5 }}
          />
        ),
      },
      {
        id: 'kind',
        label: text.interchange.kind,
        sortBy: ({ kind }) => kind,
        cell: ({ kind }) => text.interchange.kinds[kind],
      },
      {
        id: 'name',
        label: text.interchange.name,
        sortBy: ({ name }) => name,
        cell: ({ name, note }) => (
          <Box>
            <Box sx={{ overflowWrap: 'anywhere' }}>{name}</Box>
            {note !== '' && (
              <Typography variant="caption" sx={{ color: 'text.secondary' }}>
                {note}
              </Typography>
            )}
          </Box>
        ),
      },
      {
        id: 'where',
        label: text.interchange.where,
        isMinor: true,
        sortBy: ({ where }) => where,
        cell: ({ where }) => where,
      },
      {
        id: 'outcome',
        label: text.interchange.outcome,
        cell: ({ key, exists }) => <Outcome exists={exists} isOver={outcomes.has(key)} error={outcomes.get(key)} />,
      },
      {
        id: 'contents',
        label: text.interchange.contents,
        cell: ({ key, name }) => (
          <Button
            size="small"
            aria-label={text.interchange.showOf(name)}
            aria-pressed={shown === key}
            onClick={() => onShow(shown === key ? undefined : key)}
          >
            {text.interchange.show}
          </Button>
        ),
      },
    ];
  }, [left, onLeft, outcomes, isLocked, shown, onShow]);
  return <PagedTable label={text.interchange.import} columns={columns} rows={rows} rowKey={({ key }) => key} />;
}

function Outcome({
  exists,
  isOver,
  error,
}: {
  readonly exists: boolean;
  readonly isOver: boolean;
  readonly error: ReturnType<Outcomes['get']>;
}) {
  const { outcomes: words } = text.interchange;
  if (error === undefined) return <>{exists ? words.exists : isOver ? words.created : words.new}</>;
  const { title, remedy } = errorWords(error.code);
  return (
    <Box>
      <Box sx={{ color: 'error.main', fontWeight: 600 }}>{words.failed}</Box>
      <Box>{title}</Box>
      <Typography variant="caption" component="div" sx={{ color: 'text.secondary', overflowWrap: 'anywhere' }}>
        <EnglishText>{error.message}</EnglishText>
      </Typography>
      <Typography variant="caption" component="div" sx={{ color: 'text.secondary' }}>
        <CodeSpans>{remedy}</CodeSpans>
      </Typography>
    </Box>
  );
}
