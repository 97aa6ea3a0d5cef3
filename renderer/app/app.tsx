import Box from '@mui/material/Box';
import Link from '@mui/material/Link';
import { ErrorBoundary } from '../components/error-boundary.tsx';
import { text } from '../text/text.ts';
import { Commands } from './commands/commands.tsx';
import { Navigation } from './navigation.tsx';
import { useRoute } from './route.ts';
import { CurrentScreen } from './screens.tsx';
import { RateFoot } from './rate-foot.tsx';
import { StatusBanners } from './status-banners.tsx';
import { TopBar } from './top-bar.tsx';

/** The workbench's frame: the rail of screens at the left, the bar and what everybody has to know above, the screen below it. */
export function App() {
  const address = useRoute().join('/');
  return (
    <Box sx={{ minHeight: '100vh', display: 'flex' }}>
      <Link
        href="#content"
        onClick={(event) => {
          // The hash belongs to the routes.
          event.preventDefault();
          document.getElementById('content')?.focus();
        }}
        sx={{
          position: 'absolute',
          left: -9999,
          zIndex: 2000,
          bgcolor: 'background.paper',
          p: 1,
          '&:focus': { left: 8, top: 8 },
        }}
      >
        {text.app.skip}
      </Link>
      <Navigation foot={<RateFoot />} />
      <Box sx={{ flexGrow: 1, minWidth: 0, display: 'flex', flexDirection: 'column' }}>
        <ErrorBoundary reloads="workbench" content={address}>
          <Commands>{(run, isMac) => <TopBar isMac={isMac} onCommand={run} />}</Commands>
        </ErrorBoundary>
        <ErrorBoundary reloads="workbench" content={address}>
          <StatusBanners />
        </ErrorBoundary>
        <Box
          component="main"
          id="content"
          tabIndex={-1}
          sx={{
            flexGrow: 1,
            p: 2.5,
            mr: 1,
            mb: 1,
            outline: 'none',
            bgcolor: 'background.paper',
            border: 1,
            borderColor: 'divider',
            borderRadius: '8px',
          }}
        >
          <ErrorBoundary reloads="content" content={address}>
            <CurrentScreen />
          </ErrorBoundary>
        </Box>
      </Box>
    </Box>
  );
}
