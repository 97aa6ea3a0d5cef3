import { createTheme } from '@mui/material/styles';

/** Light and dark from one table; which of them shows is the system's preference unless the settings say otherwise. */
export const theme = createTheme({
  cssVariables: { colorSchemeSelector: 'data-scheme' },
  colorSchemes: {
    light: { palette: { primary: { main: '#12455c' }, secondary: { main: '#0d6d66' }, background: { default: '#f5f7f8' } } },
    dark: { palette: { primary: { main: '#7cc7e8' }, secondary: { main: '#5fd0c5' }, background: { default: '#10171b', paper: '#172127' } } },
  },
  typography: { fontFamily: 'system-ui, "Segoe UI", Roboto, "Noto Sans", sans-serif', button: { textTransform: 'none' } },
  shape: { borderRadius: 8 },
  components: {
    // The built-in colour has too little contrast on the page's background.
    MuiToggleButton: { styleOverrides: { root: ({ theme: { vars } }) => ({ color: vars?.palette.text.secondary }) } },
    MuiDialog: { styleOverrides: { paper: { backgroundImage: 'none' } } },
    MuiSnackbar: { defaultProps: { anchorOrigin: { vertical: 'bottom', horizontal: 'right' } } },
  },
});
