import AppBar from '@mui/material/AppBar';
import Box from '@mui/material/Box';
import Link from '@mui/material/Link';
import Toolbar from '@mui/material/Toolbar';
import Typography from '@mui/material/Typography';
import { ValidationScreen } from '../features/validation/validation-screen.tsx';
import { text } from '../text/en.ts';
import { SchemeChoice } from './scheme-choice.tsx';

/** The workbench's frame: a bar with the name and the colour scheme, the screen below. */
export function App() {
  return (
    <Box sx={{ minHeight: '100vh', display: 'flex', flexDirection: 'column' }}>
      <Link href="#content" sx={{ position: 'absolute', left: -9999, '&:focus': { left: 8, top: 8, zIndex: 2000 } }}>
        {text.app.skip}
      </Link>
      <AppBar position="static" color="primary" elevation={0}>
        <Toolbar variant="dense">
          <Box component="img" src="/icon.svg" alt="" sx={{ width: 28, height: 28, mr: 1.5 }} />
          <Typography variant="h6" component="p" sx={{ flexGrow: 1 }}>
            {text.app.name}
          </Typography>
          <SchemeChoice />
        </Toolbar>
      </AppBar>
      <Box component="main" id="content" tabIndex={-1} sx={{ flexGrow: 1, p: 3, outline: 'none' }}>
        <ValidationScreen />
      </Box>
    </Box>
  );
}
