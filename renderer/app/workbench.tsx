import createCache from '@emotion/cache';
import { CacheProvider } from '@emotion/react';
import CssBaseline from '@mui/material/CssBaseline';
import { ThemeProvider } from '@mui/material/styles';
import { startTransition, StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { ErrorBoundary } from '../components/error-boundary.tsx';
import { App } from './app.tsx';
import { Appearance } from './appearance.tsx';
import { connectWorkbench } from './connection.ts';
import { parseRoute } from './route.ts';
import { prepareScreen } from './screens.tsx';
import { theme } from './theme.ts';
import { ToastProvider } from './toasts.tsx';
import { WorkbenchProvider } from './workbench-context.tsx';
import { createLink } from './workbench-link.ts';

/** Connects to the workbench's process and draws the page. */
export function startWorkbench(): void {
  // The content security policy forbids styles without the nonce.
  const nonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? '';
  const styleCache = createCache({ key: 'cw', nonce, prepend: true });
  const link = createLink(connectWorkbench);
  prepareScreen(parseRoute(location.hash), link);
  const root = document.getElementById('root');
  if (root === null) throw new Error('The page has no #root');
  const page = (
    <StrictMode>
      <CacheProvider value={styleCache}>
        <ThemeProvider theme={theme} defaultMode="system">
          <CssBaseline enableColorScheme />
          <WorkbenchProvider link={link}>
            <Appearance>
              <ToastProvider>
                <ErrorBoundary reloads="workbench">
                  <App />
                </ErrorBoundary>
              </ToastProvider>
            </Appearance>
          </WorkbenchProvider>
        </ThemeProvider>
      </CacheProvider>
    </StrictMode>
  );
  // Between other tasks: drawn in one go, it would keep the page busy.
  startTransition(() => createRoot(root).render(page));
}
