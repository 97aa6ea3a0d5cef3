import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import { isEnglish } from '../text/text.ts';
import { CodeSpans } from './code-spans.tsx';
import { findingLines, type PageFinding } from './finding-lines.ts';

interface Props {
  readonly finding: Pick<PageFinding, 'rule' | 'message' | 'suggestion' | 'isTranslated'>;
  /** Where English has the suggestion. Other languages have one line after another, for which every place has room. */
  readonly suggestion?: 'inline' | 'below' | 'elsewhere';
}

/** What a finding says, in the page's language. */
export function FindingMessage({ finding, suggestion = 'inline' }: Props) {
  if (isEnglish) return <EnglishMessage finding={finding} suggestion={suggestion} />;
  return findingLines(finding).map(({ part, words, isEnglish: isForeign }) => (
    <Box
      key={part}
      component="span"
      {...(isForeign ? { lang: 'en' } : {})}
      sx={{ display: 'block', overflowWrap: 'anywhere', fontWeight: part === 'title' ? 600 : undefined }}
    >
      <CodeSpans>{words}</CodeSpans>
    </Box>
  ));
}

function EnglishMessage({ finding: { message, suggestion }, suggestion: place }: Required<Props>) {
  if (suggestion === undefined || place === 'elsewhere') return <CodeSpans>{message}</CodeSpans>;
  if (place === 'inline') return <CodeSpans>{`${message} ${suggestion}`}</CodeSpans>;
  return (
    <>
      <CodeSpans>{message}</CodeSpans>
      <Typography variant="body2" sx={{ color: 'text.secondary' }}>
        <CodeSpans>{suggestion}</CodeSpans>
      </Typography>
    </>
  );
}
