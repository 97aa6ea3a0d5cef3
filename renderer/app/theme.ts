import { createTheme } from '@mui/material/styles';
import { text } from '../text/text.ts';

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
    MuiAlert: { defaultProps: { closeText: text.app.close } },
    MuiAutocomplete: { defaultProps: { clearText: text.widgets.clear, openText: text.widgets.openList, closeText: text.widgets.closeList, noOptionsText: text.widgets.noOptions, loadingText: text.app.loading } },
    MuiTablePagination: {
      defaultProps: {
        labelRowsPerPage: text.widgets.rowsPerPage,
        labelDisplayedRows: ({ from, to, count }) => text.widgets.rows(from, to, count),
        getItemAriaLabel: (page) => text.widgets.pages[page],
      },
    },
    MuiSnackbar: { defaultProps: { anchorOrigin: { vertical: 'bottom', horizontal: 'right' } } },
  },
});
