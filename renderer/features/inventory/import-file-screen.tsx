import Button from '@mui/material/Button';
import LinearProgress from '@mui/material/LinearProgress';
import { startTransition, useEffect, useMemo, useState } from 'react';
import { toErrorRecord, type ErrorRecord } from '../../../shared/model/causeway-error.ts';
import type { ImportChoices, ImportResult } from '../../../shared/inventory/import-machines.ts';
import type { TablePlan } from '../../../shared/inventory/table-plan.ts';
import { isWorkbook, readTables } from '../../../shared/inventory/read-tables.ts';
import type { Table } from '../../../shared/inventory/table.ts';
import { useAction } from '../../app/use-action.ts';
import { DropArea } from '../../components/drop-area.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Screen } from '../../components/screen.tsx';
import { createBreaks } from '../../components/slices.ts';
import { text } from '../../text/text.ts';
import { ColumnMapping } from './column-mapping.tsx';
import { importInSlices } from './import-in-slices.ts';
import { KeepPreview } from './keep-preview.tsx';
import { readInWorker } from './read-in-worker.ts';
import { rememberedPlans, rememberPlans } from './remembered-columns.ts';

interface OpenedFile {
  readonly name: string;
  readonly tables: readonly Table[];
}

/** From a file to a list of the project: what the columns mean, what comes of it, keep it. */
export function ImportFileScreen() {
  const [file, setFile] = useState<OpenedFile>();
  const open = useAction(async (chosen: File) => {
    const bytes = new Uint8Array(await chosen.arrayBuffer());
    const tables = isWorkbook(bytes)
      ? await readInWorker(chosen.name, bytes)
      : await readTables(chosen.name, bytes, undefined, createBreaks());
    startTransition(() => setFile({ name: chosen.name, tables }));
  });
  return (
    <Screen
      isWide
      title={text.inventory.importTitle}
      lead={text.inventory.importLead}
      actions={file !== undefined && <Button onClick={() => setFile(undefined)}>{text.inventory.other}</Button>}
    >
      {open.error !== undefined && <ErrorNotice error={open.error} onClose={open.clear} />}
      {file === undefined ? (
        <DropArea
          endings={['.xlsx', '.csv', '.txt', '.tsv']}
          prompt={text.inventory.drop}
          choose={text.inventory.choose}
          onFiles={([chosen]) => chosen !== undefined && void open.run(chosen.file)}
        />
      ) : (
        <OpenedTables file={file} />
      )}
    </Screen>
  );
}

function OpenedTables({ file }: { readonly file: OpenedFile }) {
  const [plans, setPlans] = useState<readonly TablePlan[]>(() => rememberedPlans(file.tables));
  const [choices, setChoices] = useState<ImportChoices>({ withTemplates: false });
  const change = (changed: readonly TablePlan[]) => {
    setPlans(changed);
    rememberPlans(file.tables, changed);
  };
  return (
    <>
      <ColumnMapping tables={file.tables} plans={plans} choices={choices} onPlans={change} onChoices={setChoices} />
      <ImportedTables file={file} plans={plans} choices={choices} />
    </>
  );
}

/** By itself, so that its progress draws nothing but itself. */
function ImportedTables({
  file,
  plans,
  choices,
}: {
  readonly file: OpenedFile;
  readonly plans: readonly TablePlan[];
  readonly choices: ImportChoices;
}) {
  const { result, part, error } = useImport(plans, choices);
  const preview = useMemo(
    () =>
      result !== undefined && (
        <KeepPreview
          origin={{ kind: 'file', name: file.name }}
          proposedName={file.name.replace(/\.[^.]*$/, '')}
          machines={result.machines}
          problems={result.problems}
        />
      ),
    [file, result],
  );
  return (
    <>
      {part !== undefined && (
        <LinearProgress variant="determinate" value={part * 100} aria-label={text.inventory.importing} />
      )}
      {error !== undefined && <ErrorNotice error={error} />}
      {preview}
    </>
  );
}

/** What comes of the tables. A list that takes long is imported in slices; another choice or another file ends that. */
function useImport(
  plans: readonly TablePlan[],
  choices: ImportChoices,
): { readonly result?: ImportResult; readonly part?: number; readonly error?: ErrorRecord } {
  const [state, setState] = useState<{
    readonly result?: ImportResult;
    readonly part?: number;
    readonly error?: ErrorRecord;
  }>({});
  useEffect(() => {
    const stop = new AbortController();
    importInSlices(plans, choices, {
      signal: stop.signal,
      onProgress: (part) => setState(({ result }) => ({ ...(result === undefined ? {} : { result }), part })),
    }).then(
      (result) => stop.signal.aborted || startTransition(() => setState({ result })),
      (error: unknown) => !stop.signal.aborted && setState({ error: toErrorRecord(error) }),
    );
    return () => stop.abort();
  }, [plans, choices]);
  return state;
}
