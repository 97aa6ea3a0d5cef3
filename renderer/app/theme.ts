import { createTheme } from '@mui/material/styles';
import { text } from '../text/text.ts';

/**
 * Light and dark from one table; which of them shows is the system's preference unless the settings say otherwise. Text has at least
 * 4.5 : 1 on each surface it stands on, borders of controls, icons and lines of plots at least 3 : 1. Blue is what is being copied, green
 * what is done, amber a warning, red what failed; each comes with an icon and a word.
 */
const light = {
  frame: '#e6edee', sheet: '#ffffff', line: '#dbe4e6', control: '#74878e', hover: '#eaf1f2', selected: '#d9ecf0',
  text: '#0f242c', text2: '#435962', disabled: '#8fa0a6',
  accent: '#0a6075', accentHover: '#084e5f', onAccent: '#ffffff', danger: '#b3263a', dangerHover: '#951c2e', onDanger: '#ffffff',
  copy: { text: '#0d56a6', soft: '#e0edfb' }, live: { text: '#8a4b00', soft: '#ffeacb', solid: '#d47c00' },
  done: { text: '#0b6650', soft: '#d9f1e9' }, bad: { text: '#ae2137', soft: '#fde5e8' },
};
const dark: typeof light = {
  frame: '#0a1215', sheet: '#111b1f', line: '#22323a', control: '#6c828a', hover: '#19272c', selected: '#143640',
  text: '#e6eff1', text2: '#a9bbc1', disabled: '#5f737a',
  accent: '#56c4d8', accentHover: '#7ad4e4', onAccent: '#04222a', danger: '#f27587', dangerHover: '#f793a1', onDanger: '#2a040a',
  copy: { text: '#86bcf7', soft: '#142d4a' }, live: { text: '#ffbe5c', soft: '#43300c', solid: '#f5a82e' },
  done: { text: '#63d3b0', soft: '#0e382d' }, bad: { text: '#ff97a3', soft: '#4a1a23' },
};

function paletteOf(colors: typeof light) {
  const { copy, live, done, bad } = colors;
  return {
    primary: { main: colors.accent, dark: colors.accentHover, contrastText: colors.onAccent },
    secondary: { main: colors.text2 },
    error: { main: colors.danger, dark: colors.dangerHover, contrastText: colors.onDanger },
    warning: { main: live.solid }, info: { main: copy.text }, success: { main: done.text },
    background: { default: colors.frame, paper: colors.sheet },
    text: { primary: colors.text, secondary: colors.text2, disabled: colors.disabled },
    divider: colors.line,
    action: { active: colors.control, hover: colors.hover, selected: colors.selected, disabled: colors.disabled },
    Alert: {
      infoColor: colors.text, warningColor: colors.text, errorColor: colors.text, successColor: colors.text,
      infoStandardBg: copy.soft, warningStandardBg: live.soft, errorStandardBg: bad.soft, successStandardBg: done.soft,
      infoIconColor: copy.text, warningIconColor: live.text, errorIconColor: bad.text, successIconColor: done.text,
    },
    TableCell: { border: colors.line },
    SnackbarContent: { bg: colors.sheet, color: colors.text },
  };
}

const size = (px: number): string => `${px / 16}rem`;

export const theme = createTheme({
  cssVariables: { colorSchemeSelector: 'data-scheme' },
  colorSchemes: { light: { palette: paletteOf(light) }, dark: { palette: paletteOf(dark) } },
  typography: {
    fontFamily: 'system-ui, "Segoe UI", Roboto, "Noto Sans", sans-serif',
    h4: { fontSize: size(24), lineHeight: 28 / 24, fontWeight: 600 },
    h5: { fontSize: size(20), lineHeight: 28 / 20, fontWeight: 650, letterSpacing: '-0.3px' },
    h6: { fontSize: size(15), lineHeight: 20 / 15, fontWeight: 600, letterSpacing: '-0.1px' },
    subtitle1: { fontSize: size(13), lineHeight: 20 / 13, fontWeight: 600 },
    subtitle2: { fontSize: size(13), lineHeight: 20 / 13, fontWeight: 600 },
    body1: { fontSize: size(13), lineHeight: 20 / 13, letterSpacing: 0 },
    body2: { fontSize: size(13), lineHeight: 20 / 13, letterSpacing: 0 },
    caption: { fontSize: size(12), lineHeight: 16 / 12, letterSpacing: 0 },
    button: { fontSize: size(13), lineHeight: 20 / 13, fontWeight: 600, letterSpacing: 0, textTransform: 'none' },
  },
  shape: { borderRadius: 5 },
  components: {
    MuiPaper: { styleOverrides: { rounded: { borderRadius: 8 } } },
    MuiDialogActions: { styleOverrides: { root: { padding: '8px 24px 20px' } } },
    MuiDialog: { styleOverrides: { paper: ({ theme: { vars } }) => ({ backgroundImage: 'none', border: `1px solid ${vars?.palette.divider}`, borderRadius: 10 }) } },
    MuiMenu: { styleOverrides: { paper: ({ theme: { vars } }) => ({ backgroundImage: 'none', border: `1px solid ${vars?.palette.divider}` }) } },
    // Who moves by keyboard sees where; the library shows a ripple, which reduced motion turns off.
    MuiButtonBase: { styleOverrides: { root: ({ theme: { vars } }) => ({ '&.Mui-focusVisible': { outline: `2px solid ${vars?.palette.primary.main}`, outlineOffset: 1 } }) } },
    MuiLink: { styleOverrides: { root: ({ theme: { vars } }) => ({ '&:focus-visible': { outline: `2px solid ${vars?.palette.primary.main}`, outlineOffset: 1 } }) } },
    MuiButton: { defaultProps: { disableElevation: true, disableFocusRipple: true }, styleOverrides: { root: { padding: '5px 12px' }, text: { padding: '5px 8px' }, outlined: { padding: '4px 11px' } } },
    MuiIconButton: { defaultProps: { disableFocusRipple: true } },
    MuiToggleButton: { defaultProps: { disableFocusRipple: true }, styleOverrides: { root: ({ theme: { vars } }) => ({ color: vars?.palette.text.secondary, padding: '4px 10px', fontWeight: 500, '&.Mui-selected': { color: vars?.palette.text.primary } }) } },
    MuiOutlinedInput: { styleOverrides: { notchedOutline: ({ theme: { vars } }) => ({ borderColor: vars?.palette.action.active }) } },
    MuiInputBase: { styleOverrides: { root: { fontSize: size(13) } } },
    MuiInputLabel: { styleOverrides: { root: { fontSize: size(13) } } },
    MuiFormHelperText: { styleOverrides: { root: { marginLeft: 0 } } },
    MuiMenuItem: { styleOverrides: { root: { fontSize: size(13) } } },
    MuiTableCell: { styleOverrides: { head: ({ theme: { vars } }) => ({ color: vars?.palette.text.secondary, fontSize: size(12), lineHeight: 16 / 12, fontWeight: 600 }) } },
    MuiTab: { defaultProps: { disableFocusRipple: true }, styleOverrides: { root: { minHeight: 40, padding: '8px 12px' } } },
    MuiTabs: { styleOverrides: { root: { minHeight: 40 } } },
    MuiAlert: { defaultProps: { closeText: text.app.close } },
    MuiAlertTitle: { styleOverrides: { root: { fontSize: size(13), fontWeight: 600 } } },
    MuiAutocomplete: { defaultProps: { clearText: text.widgets.clear, openText: text.widgets.openList, closeText: text.widgets.closeList, noOptionsText: text.widgets.noOptions, loadingText: text.app.loading } },
    MuiTablePagination: {
      defaultProps: {
        labelRowsPerPage: text.widgets.rowsPerPage,
        labelDisplayedRows: ({ from, to, count }) => text.widgets.rows(from, to, count),
        getItemAriaLabel: (page) => text.widgets.pages[page],
      },
    },
    MuiSnackbarContent: { styleOverrides: { root: ({ theme: { vars } }) => ({ border: `1px solid ${vars?.palette.divider}`, fontSize: size(13) }) } },
    MuiSnackbar: { defaultProps: { anchorOrigin: { vertical: 'bottom', horizontal: 'left' } } },
  },
});
