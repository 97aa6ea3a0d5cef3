import Button from '@mui/material/Button';
import { useState } from 'react';
import { DropArea } from '../../components/drop-area.tsx';
import type { NamedFile } from '../../components/dropped-files.ts';
import { Screen } from '../../components/screen.tsx';
import { text } from '../../text/text.ts';
import { checkFiles } from './check-files.ts';
import { setCheckedFiles, useCheckedFiles } from './checked-files-store.ts';
import { CheckResults } from './check-results.tsx';
import { exampleDocument } from './example-document.ts';
import { FilesEditor } from './files-editor.tsx';

/** Checks environment documents on this computer; nothing leaves it. */
export function ValidationScreen() {
  const files = useCheckedFiles();
  const [edited, setEdited] = useState<string>();
  // A file that comes again replaces what was found in its former text.
  const add = async (chosen: readonly NamedFile[]) => {
    const checked = await checkFiles(chosen);
    const names = new Set(checked.map(({ name }) => name));
    setCheckedFiles((before) => [...before.filter(({ name }) => !names.has(name)), ...checked]);
  };
  const isEditing = edited !== undefined && files.some(({ name }) => name === edited);
  return (
    <Screen isWide title={text.validation.title} lead={text.validation.lead}>
      {!isEditing && (
        <DropArea
          endings={['.yaml', '.yml', '.json', '.jsonc']}
          prompt={text.validation.drop}
          choose={text.validation.choose}
          many
          onFiles={(chosen) => void add(chosen)}
        />
      )}
      {files.length === 0 ? (
        <Button
          onClick={() => void add([{ name: 'example.yaml', file: new File([exampleDocument], 'example.yaml') }])}
          sx={{ alignSelf: 'center' }}
        >
          {text.validation.sample}
        </Button>
      ) : isEditing ? (
        <FilesEditor files={files} first={edited} onChange={setCheckedFiles} onClose={() => setEdited(undefined)} />
      ) : (
        <CheckResults files={files} onChange={setCheckedFiles} onEdit={setEdited} />
      )}
    </Screen>
  );
}
