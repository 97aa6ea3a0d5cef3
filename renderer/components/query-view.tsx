import Box from '@mui/material/Box';
import CircularProgress from '@mui/material/CircularProgress';
import { useDeferredValue, type ReactNode } from 'react';
import type { Query } from '../app/workbench-context.tsx';
import { text } from '../text/text.ts';
import { ErrorNotice } from './error-notice.tsx';

/** What a query answered, or that it is being asked, or why there is no answer. */
export function QueryView<T>({
  query,
  children,
}: {
  readonly query: Query<T>;
  readonly children: (data: T) => ReactNode;
}) {
  const { data, error, reload } = query;
  // The first answer is drawn between other tasks: a long list would keep the page busy.
  const isShown = useDeferredValue(data !== undefined);
  // While the engine is away the banner says so; an old answer is better than the same error once more.
  const isWorthSaying = error !== undefined && !(data !== undefined && error.code === 'engine.connection-lost');
  return (
    <>
      {isWorthSaying && <ErrorNotice error={error} onRetry={reload} />}
      {data !== undefined && isShown && children(data)}
      {(data === undefined ? error === undefined : !isShown) && (
        <Box sx={{ display: 'flex', justifyContent: 'center', p: 4 }}>
          <CircularProgress aria-label={text.app.loading} />
        </Box>
      )}
    </>
  );
}
