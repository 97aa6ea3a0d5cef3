import Button from '@mui/material/Button';
import { useMemo, useState } from 'react';
import { importMachines, type ImportChoices } from '../../../shared/inventory/import-machines.ts';
import type { TablePlan } from '../../../shared/inventory/table-plan.ts';
import { readTables } from '../../../shared/inventory/read-tables.ts';
import type { Table } from '../../../shared/inventory/table.ts';
import { useAction } from '../../app/use-action.ts';
import { DropArea } from '../../components/drop-area.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Screen } from '../../components/screen.tsx';
import { text } from '../../text/text.ts';
import { ColumnMapping } from './column-mapping.tsx';
import { KeepPreview } from './keep-preview.tsx';
import { rememberedPlans, rememberPlans } from './remembered-columns.ts';

interface OpenedFile {
  readonly name: string;
  readonly tables: readonly Table[];
}

/** From a file to a list of the project: what the columns mean, what comes of it, keep it. */
export function ImportFileScreen() {
  const [file, setFile] = useState<OpenedFile>();
  const open = useAction(async (chosen: File) => {
    setFile({ name: chosen.name, tables: await readTables(chosen.name, new Uint8Array(await chosen.arrayBuffer())) });
  });
  return (
    <Screen
      title={text.inventory.importTitle}
      lead={text.inventory.importLead}
      actions={file !== undefined && <Button onClick={() => setFile(undefined)}>{text.inventory.other}</Button>}
    >
      {open.error !== undefined && <ErrorNotice error={open.error} onClose={open.clear} />}
      {file === undefined ? (
        <DropArea endings={['.xlsx', '.csv', '.txt', '.tsv']} prompt={text.inventory.drop} choose={text.inventory.choose} onFiles={([chosen]) => chosen !== undefined && void open.run(chosen.file)} />
      ) : (
        <OpenedTables file={file} />
      )}
    </Screen>
  );
}

function OpenedTables({ file }: { readonly file: OpenedFile }) {
  const [plans, setPlans] = useState<readonly TablePlan[]>(() => rememberedPlans(file.tables));
  const [choices, setChoices] = useState<ImportChoices>({ withTemplates: false });
  const { machines, problems } = useMemo(() => importMachines(plans, choices), [plans, choices]);
  const change = (changed: readonly TablePlan[]) => {
    setPlans(changed);
    rememberPlans(file.tables, changed);
  };
  return (
    <>
      <ColumnMapping tables={file.tables} plans={plans} choices={choices} onPlans={change} onChoices={setChoices} />
      <KeepPreview origin={{ kind: 'file', name: file.name }} proposedName={file.name.replace(/\.[^.]*$/, '')} machines={machines} problems={problems} />
    </>
  );
}
