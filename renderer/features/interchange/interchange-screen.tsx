import { useState } from 'react';
import Typography from '@mui/material/Typography';
import { readPayloads } from '../../../shared/interchange/read-payloads.ts';
import type { Payloads } from '../../../shared/interchange/payloads.ts';
import { useAction } from '../../app/use-action.ts';
import { DropArea } from '../../components/drop-area.tsx';
import type { NamedFile } from '../../components/dropped-files.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Screen } from '../../components/screen.tsx';
import { Section } from '../../components/section.tsx';
import { VaultNeeded } from '../../components/vault-card.tsx';
import { text } from '../../text/text.ts';
import { ExportView } from './export-view.tsx';
import { ImportPreview } from './import-preview.tsx';

const endings = ['.json', '.sh', '.txt'];

/** Moves a project in from Coriolis and out to it; what is written is shown first. */
export function InterchangeScreen() {
  const [read, setRead] = useState<{ readonly file: string; readonly payloads: Payloads }>();
  const take = useAction(async ([chosen]: readonly NamedFile[]) => {
    if (chosen !== undefined) setRead({ file: chosen.name, payloads: readPayloads(await chosen.file.text()) });
  });
  return (
    <Screen title={text.interchange.title} lead={text.interchange.lead}>
      {take.error !== undefined && <ErrorNotice error={take.error} onClose={take.clear} />}
      {read !== undefined ? (
        <>
          <VaultNeeded />
          <ImportPreview file={read.file} payloads={read.payloads} onClose={() => setRead(undefined)} />
        </>
      ) : (
        <>
          <Section title={text.interchange.import}>
            <Typography sx={{ color: 'text.secondary', mb: 2 }}>{text.interchange.importHelp}</Typography>
            <DropArea
              endings={endings}
              prompt={text.interchange.drop}
              choose={text.interchange.choose}
              onFiles={(files) => void take.run(files)}
            />
          </Section>
          <ExportView />
        </>
      )}
    </Screen>
  );
}
