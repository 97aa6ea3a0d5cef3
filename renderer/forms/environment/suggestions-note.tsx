import Alert from '@mui/material/Alert';
import { text } from '../../text/text.ts';
import { useDraftVersion } from './draft-context.tsx';
import type { EnvironmentDraft } from './environment-draft.ts';

/** Names what was filled in without anybody choosing it; nothing once all of it was set. */
export function SuggestionsNote({ draft }: { readonly draft: EnvironmentDraft }) {
  useDraftVersion(draft);
  const suggested = draft.suggestions();
  if (suggested.length === 0) return null;
  return (
    <Alert severity="warning">{text.configure.suggestedList(suggested.map(({ label }) => label).join(', '))}</Alert>
  );
}
