import Alert from '@mui/material/Alert';
import AlertTitle from '@mui/material/AlertTitle';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Typography from '@mui/material/Typography';
import type { ErrorRecord } from '../../shared/model/causeway-error.ts';
import { fonts } from '../app/theme.ts';
import { errorWords, text } from '../text/text.ts';
import { CodeSpans } from './code-spans.tsx';
import { CopyButton } from './copy-button.tsx';
import { EnglishText } from './english-text.tsx';
import { LearnMoreOfError } from './manual/learn-more.tsx';

interface Props {
  readonly error: Pick<ErrorRecord, 'code' | 'message'>;
  readonly onRetry?: () => void;
  /** What the button of `onRetry` says; "Try again" without it. */
  readonly retryLabel?: string;
  /** More for whoever reads the copied details, too long to show. */
  readonly report?: string;
  readonly onClose?: () => void;
}

/** An error in words: what it is, what was seen, why, and what to do. */
export function ErrorNotice({ error, onRetry, retryLabel = text.app.tryAgain, report, onClose }: Props) {
  const { title, cause, remedy } = errorWords(error.code);
  const all = `${title} (${error.code})\n${text.app.evidence}: ${error.message}\n${text.app.cause}: ${cause}\n${text.app.remedy}: ${remedy}${report === undefined ? '' : `\n\n${report}`}`;
  return (
    <Alert
      severity="error"
      variant="outlined"
      {...(onClose === undefined ? {} : { onClose })}
      sx={{ '& .MuiAlert-message': { flexGrow: 1, minWidth: 0 } }}
    >
      <AlertTitle>{title}</AlertTitle>
      <Typography variant="body2" sx={{ overflowWrap: 'anywhere', mb: 1 }}>
        <b>{text.app.evidence}:</b> <EnglishText>{error.message}</EnglishText>
      </Typography>
      <Typography variant="body2">
        <b>{text.app.cause}:</b> <CodeSpans>{cause}</CodeSpans>
      </Typography>
      <Typography variant="body2">
        <b>{text.app.remedy}:</b> <CodeSpans>{remedy}</CodeSpans>
      </Typography>
      <Box sx={{ display: 'flex', gap: 1, mt: 1, alignItems: 'center' }}>
        {onRetry !== undefined && (
          <Button size="small" color="inherit" onClick={onRetry}>
            {retryLabel}
          </Button>
        )}
        <CopyButton content={all} label={text.app.copyDetails} />
        <LearnMoreOfError code={error.code} title={title} />
        <Typography variant="caption" component="code" sx={{ ml: 'auto', fontFamily: fonts.code }}>
          {error.code}
        </Typography>
      </Box>
    </Alert>
  );
}
