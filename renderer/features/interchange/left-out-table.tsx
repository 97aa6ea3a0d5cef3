import { useMemo } from 'react';
import type { NotCarried } from '../../../shared/interchange/payloads.ts';
import { PagedTable, type Column } from '../../components/paged-table.tsx';
import { Section } from '../../components/section.tsx';
import { text } from '../../text/text.ts';

interface Row extends NotCarried {
  readonly key: string;
}

const columns: readonly Column<Row>[] = [
  { id: 'of', label: text.interchange.of, sortBy: ({ of }) => of, cell: ({ of }) => of },
  { id: 'what', label: text.interchange.what, sortBy: ({ what }) => what, cell: ({ what }) => <code>{what}</code> },
  { id: 'why', label: text.interchange.why, sortBy: ({ why }) => why, cell: ({ why }) => why },
];

/** What stays behind, and why; nothing where all is carried over. */
export function LeftOutTable({ title, items }: { readonly title: string; readonly items: readonly NotCarried[] }) {
  const rows = useMemo(() => items.map((item, index): Row => ({ ...item, key: String(index) })), [items]);
  if (rows.length === 0) return null;
  return (
    <Section title={title} note={String(rows.length)}>
      <PagedTable label={title} columns={columns} rows={rows} rowKey={({ key }) => key} />
    </Section>
  );
}
