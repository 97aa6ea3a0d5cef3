import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Typography from '@mui/material/Typography';
import { useState } from 'react';
import { limitKinds, type FleetView, type LimitKind } from '../../../shared/model/fleet.ts';
import { useToast } from '../../app/toasts.tsx';
import { useAction } from '../../app/use-action.ts';
import { useLink, useQuery } from '../../app/workbench-context.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { PagedTable, type Column } from '../../components/paged-table.tsx';
import { Section } from '../../components/section.tsx';
import { text } from '../../text/text.ts';
import { LimitDialog } from './limit-dialog.tsx';

const words = text.fleet.limits;

interface Row {
  readonly name: string;
  readonly kind: LimitKind | undefined;
  /** Without its kind. */
  readonly of: string;
  readonly most: number;
  readonly used: number;
}

interface Props {
  readonly view: FleetView;
  readonly endpoints: readonly { readonly name: string }[];
  readonly onChanged: () => void;
}

/** What is limited, and how much of it is used. */
export function FleetLimits({ view, endpoints, onChanged }: Props) {
  const link = useLink();
  const toast = useToast();
  const limits = useQuery('fleet.limits', {}, ['project.changed', 'fleet.changed']);
  const [editing, setEditing] = useState<Row | 'new'>();
  const changed = () => {
    limits.reload();
    onChanged();
  };
  const remove = useAction(async ({ name }: Row) => {
    await link.call('fleet.setLimit', { name, limit: null });
    toast(words.removed(name));
    changed();
  });
  const rows = Object.entries(limits.data ?? {}).map(([name, most]): Row => {
    const kind = limitKinds.find((each) => name.startsWith(`${each} `));
    return {
      name,
      kind,
      of: kind === undefined ? name : name.slice(kind.length + 1),
      most,
      used: view.inUse[name] ?? 0,
    };
  });
  const columns: readonly Column<Row>[] = [
    {
      id: 'kind',
      label: words.columns.kind,
      sortBy: ({ kind }) => kind ?? '',
      cell: ({ kind }) => (kind === undefined ? words.otherKind : words.kinds[kind]),
    },
    {
      id: 'name',
      label: words.columns.name,
      sortBy: ({ of }) => of,
      cell: ({ of }) => <Box sx={{ overflowWrap: 'anywhere' }}>{of}</Box>,
    },
    {
      id: 'inUse',
      label: words.columns.inUse,
      align: 'right',
      sortBy: ({ used, most }) => used / most,
      cell: ({ used, most }) => words.inUse(used, most),
    },
    ...(view.mayChange
      ? [
          {
            id: 'actions',
            label: words.columns.actions,
            cell: (row: Row) => (
              <>
                <Button
                  size="small"
                  aria-label={words.changeOf(row.name)}
                  title={words.changeOf(row.name)}
                  onClick={() => setEditing(row)}
                >
                  {words.change}
                </Button>
                <Button
                  size="small"
                  disabled={remove.isBusy}
                  aria-label={words.removeOf(row.name)}
                  title={words.removeOf(row.name)}
                  onClick={() => void remove.run(row)}
                >
                  {words.remove}
                </Button>
              </>
            ),
          },
        ]
      : []),
  ];
  return (
    <Section title={words.title}>
      <Box sx={{ display: 'flex', gap: 2, alignItems: 'flex-start', flexWrap: 'wrap', mb: 1.5 }}>
        <Typography sx={{ color: 'text.secondary', flex: '1 1 320px' }}>{words.lead}</Typography>
        {view.mayChange && (
          <Button variant="outlined" size="small" onClick={() => setEditing('new')}>
            {words.add}
          </Button>
        )}
      </Box>
      {remove.error !== undefined && <ErrorNotice error={remove.error} onClose={remove.clear} />}
      {limits.error !== undefined && <ErrorNotice error={limits.error} onRetry={limits.reload} />}
      {rows.length === 0 ? (
        <Typography>{words.none}</Typography>
      ) : (
        <PagedTable
          label={words.title}
          columns={columns}
          rows={rows}
          rowKey={({ name }) => name}
          sortedBy={{ column: 'kind', descending: false }}
        />
      )}
      {editing !== undefined && (
        <LimitDialog
          {...(editing === 'new' ? {} : { limit: editing })}
          endpoints={endpoints.map(({ name }) => name)}
          onSaved={changed}
          onClose={() => setEditing(undefined)}
        />
      )}
    </Section>
  );
}
