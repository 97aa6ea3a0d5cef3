import './parsers-without-eval.ts';
import '@fontsource-variable/inter/wght.css';
import '@fontsource-variable/jetbrains-mono/wght.css';
import createCache from '@emotion/cache';
import { CacheProvider } from '@emotion/react';
import CssBaseline from '@mui/material/CssBaseline';
import { ThemeProvider } from '@mui/material/styles';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { ErrorBoundary } from '../components/error-boundary.tsx';
import { App } from './app.tsx';
import { Appearance } from './appearance.tsx';
import { connectWorkbench } from './connection.ts';
import { language } from '../text/text.ts';
import { theme } from './theme.ts';
import { ToastProvider } from './toasts.tsx';
import { WorkbenchProvider } from './workbench-context.tsx';
import { createLink } from './workbench-link.ts';

// The content security policy forbids styles without the nonce.
const nonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? '';
const styleCache = createCache({ key: 'cw', nonce, prepend: true });
const link = createLink(connectWorkbench);

document.documentElement.lang = language;
const root = document.getElementById('root');
if (root === null) throw new Error('The page has no #root');
createRoot(root).render(
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
  </StrictMode>,
);
