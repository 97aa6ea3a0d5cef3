import Button from '@mui/material/Button';
import { DropArea } from '../../components/drop-area.tsx';
import type { NamedFile } from '../../components/dropped-files.ts';
import { Screen } from '../../components/screen.tsx';
import { text } from '../../text/text.ts';
import { checkFiles } from './check-files.ts';
import { setCheckedFiles, useCheckedFiles } from './checked-files-store.ts';
import { CheckResults } from './check-results.tsx';
import { exampleDocument } from './example-document.ts';

/** Checks environment documents on this computer; nothing leaves it. */
export function ValidationScreen() {
  const files = useCheckedFiles();
  // A file that comes again replaces what was found in its former text.
  const add = async (chosen: readonly NamedFile[]) => {
    const checked = await checkFiles(chosen);
    const names = new Set(checked.map(({ name }) => name));
    setCheckedFiles((before) => [...before.filter(({ name }) => !names.has(name)), ...checked]);
  };
  return (
    <Screen title={text.validation.title} lead={text.validation.lead}>
      <DropArea
        endings={['.yaml', '.yml', '.json', '.jsonc']}
        prompt={text.validation.drop}
        choose={text.validation.choose}
        many
        onFiles={(chosen) => void add(chosen)}
      />
      {files.length === 0 ? (
        <Button onClick={() => void add([{ name: 'example.yaml', file: new File([exampleDocument], 'example.yaml') }])} sx={{ alignSelf: 'center' }}>
          {text.validation.sample}
        </Button>
      ) : (
        <CheckResults files={files} onChange={setCheckedFiles} />
      )}
    </Screen>
  );
}
