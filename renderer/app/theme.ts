import { createTheme } from '@mui/material/styles';
import { text } from '../text/text.ts';

/** The typefaces that come with the page. What has to be told apart letter by letter (IDs, addresses, digests, keys) is in the second. */
export const fonts = {
  text: '"Inter Variable", system-ui, "Segoe UI", Roboto, sans-serif',
  code: '"JetBrains Mono Variable", ui-monospace, "Cascadia Mono", Menlo, monospace',
} as const;

/**
 * Light and dark from one table; which of them shows is the system's preference unless the settings say otherwise. Text has at least
 * 4.5 : 1 on each surface it stands on, borders of controls, icons and lines of plots at least 3 : 1. A family of states has a colour for
 * words and icons, a soft one for surfaces, and a solid one for bars and plots; each comes with a glyph and a word.
 */
const light = {
  frame: '#e6edee',
  sheet: '#ffffff',
  sunken: '#f3f7f7',
  raised: '#ffffff',
  line: '#dbe4e6',
  lineStrong: '#b7c5c9',
  control: '#74878e',
  hover: '#eaf1f2',
  selected: '#d9ecf0',
  text: '#0f242c',
  text2: '#435962',
  text3: '#4f656e',
  disabled: '#8fa0a6',
  focus: '#0b7fa0',
  plotGrid: '#e3eaec',
  accent: '#0a6075',
  accentHover: '#084e5f',
  onAccent: '#ffffff',
  danger: '#b3263a',
  dangerHover: '#951c2e',
  onDanger: '#ffffff',
  menuShadow: '0 1px 2px rgba(12,34,42,.10), 0 6px 20px rgba(12,34,42,.14)',
  dialogShadow: '0 2px 6px rgba(12,34,42,.12), 0 24px 64px rgba(12,34,42,.26)',
  states: {
    idle: { text: '#4a5f68', soft: '#e9eff0', solid: '#84969d' },
    copy: { text: '#0d56a6', soft: '#e0edfb', solid: '#4796e8' },
    person: { text: '#5b3fa6', soft: '#ece7fa', solid: '#5a2fa0' },
    live: { text: '#8a4b00', soft: '#ffeacb', solid: '#d47c00' },
    done: { text: '#0b6650', soft: '#d9f1e9', solid: '#075a40' },
    bad: { text: '#ae2137', soft: '#fde5e8', solid: '#e0485f' },
  },
};
const dark: typeof light = {
  frame: '#0a1215',
  sheet: '#111b1f',
  sunken: '#0d1619',
  raised: '#1a282d',
  line: '#22323a',
  lineStrong: '#3a4d55',
  control: '#6c828a',
  hover: '#19272c',
  selected: '#143640',
  text: '#e6eff1',
  text2: '#a9bbc1',
  text3: '#8a9fa6',
  disabled: '#5f737a',
  focus: '#7ad4e4',
  plotGrid: '#1f2e34',
  accent: '#56c4d8',
  accentHover: '#7ad4e4',
  onAccent: '#04222a',
  danger: '#f27587',
  dangerHover: '#f793a1',
  onDanger: '#2a040a',
  menuShadow: '0 0 0 1px #2c3c43, 0 8px 24px rgba(0,0,0,.55)',
  dialogShadow: '0 0 0 1px #34464e, 0 24px 64px rgba(0,0,0,.7)',
  states: {
    idle: { text: '#a9bbc1', soft: '#1e2d33', solid: '#6f848b' },
    copy: { text: '#86bcf7', soft: '#142d4a', solid: '#4d9aea' },
    person: { text: '#bfacf8', soft: '#2a2350', solid: '#c3b1fb' },
    live: { text: '#ffbe5c', soft: '#43300c', solid: '#f5a82e' },
    done: { text: '#63d3b0', soft: '#0e382d', solid: '#1c9a70' },
    bad: { text: '#ff97a3', soft: '#4a1a23', solid: '#e8596d' },
  },
};

/** What every state belongs to; the value of a custom property of the page that has one of its colours. */
export type StateFamily = keyof typeof light.states;
export function stateColor(family: StateFamily, use: 'text' | 'soft' | 'solid'): string {
  return `var(--cw-${family}-${use})`;
}
/** A surface or line beyond those of the component library. */
export function shade(name: 'sunken' | 'raised' | 'lineStrong' | 'text3' | 'plotGrid' | 'focus'): string {
  return `var(--cw-${name})`;
}

function propertiesOf({
  states,
  sunken,
  raised,
  lineStrong,
  text3,
  plotGrid,
  focus,
  menuShadow,
  dialogShadow,
}: typeof light): Readonly<Record<string, string>> {
  const ofStates = Object.entries(states).flatMap(([family, colors]) =>
    Object.entries(colors).map(([use, color]) => [`${family}-${use}`, color]),
  );
  const all = [
    ...ofStates,
    ...Object.entries({ sunken, raised, lineStrong, text3, plotGrid, focus, menuShadow, dialogShadow }),
  ];
  return Object.fromEntries(all.map(([name, value]) => [`--cw-${name}`, value!]));
}

function paletteOf(colors: typeof light) {
  const { copy, live, done, bad } = colors.states;
  return {
    primary: { main: colors.accent, dark: colors.accentHover, contrastText: colors.onAccent },
    secondary: { main: colors.text2 },
    error: { main: colors.danger, dark: colors.dangerHover, contrastText: colors.onDanger },
    warning: { main: live.solid },
    info: { main: copy.text },
    success: { main: done.text },
    background: { default: colors.frame, paper: colors.sheet },
    text: { primary: colors.text, secondary: colors.text2, disabled: colors.disabled },
    divider: colors.line,
    action: { active: colors.control, hover: colors.hover, selected: colors.selected, disabled: colors.disabled },
    Alert: {
      infoColor: colors.text,
      warningColor: colors.text,
      errorColor: colors.text,
      successColor: colors.text,
      infoStandardBg: copy.soft,
      warningStandardBg: live.soft,
      errorStandardBg: bad.soft,
      successStandardBg: done.soft,
      infoIconColor: copy.text,
      warningIconColor: live.text,
      errorIconColor: bad.text,
      successIconColor: done.text,
    },
    TableCell: { border: colors.line },
    SnackbarContent: { bg: colors.raised, color: colors.text },
  };
}

/** In pixels. */
export const topBarHeight = 44;

const size = (px: number): string => `${px / 16}rem`;

/** Lists that somebody has opened are not covered by a message, which stays for seconds. */
const aboveMessages = 1450;

export const theme = createTheme({
  cssVariables: { colorSchemeSelector: 'data-scheme' },
  colorSchemes: { light: { palette: paletteOf(light) }, dark: { palette: paletteOf(dark) } },
  typography: {
    fontFamily: fonts.text,
    h4: { fontSize: size(24), lineHeight: 28 / 24, fontWeight: 550, letterSpacing: '-0.5px' },
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
    MuiCssBaseline: {
      styleOverrides: {
        ':root': propertiesOf(light),
        '[data-scheme="dark"]': propertiesOf(dark),
        // What the keyboard reaches does not end up behind the bar at the top.
        html: { scrollPaddingTop: topBarHeight + 8 },
        // Without it the typeface for code joins "://" and "->" into one sign.
        body: { fontVariantLigatures: 'no-contextual' },
        'code, kbd, pre, samp': { fontFamily: fonts.code, fontFeatureSettings: '"zero" 1, "calt" 0' },
      },
    },
    MuiPaper: { styleOverrides: { rounded: { borderRadius: 8 } } },
    MuiDialogActions: { styleOverrides: { root: { padding: '8px 24px 20px' } } },
    MuiDialog: {
      styleOverrides: {
        paper: ({ theme: { vars } }) => ({
          backgroundImage: 'none',
          border: `1px solid ${vars?.palette.divider}`,
          borderRadius: 10,
          boxShadow: 'var(--cw-dialogShadow)',
        }),
      },
    },
    MuiMenu: {
      styleOverrides: {
        paper: ({ theme: { vars } }) => ({
          backgroundImage: 'none',
          border: `1px solid ${vars?.palette.divider}`,
          boxShadow: 'var(--cw-menuShadow)',
        }),
      },
    },
    MuiPopover: {
      styleOverrides: {
        root: { zIndex: aboveMessages },
        paper: ({ theme: { vars } }) => ({
          backgroundImage: 'none',
          border: `1px solid ${vars?.palette.divider}`,
          boxShadow: 'var(--cw-menuShadow)',
        }),
      },
    },
    // Who moves by keyboard sees where; the library shows a ripple, which reduced motion turns off.
    MuiButtonBase: {
      styleOverrides: { root: { '&.Mui-focusVisible': { outline: `2px solid ${shade('focus')}`, outlineOffset: 1 } } },
    },
    MuiLink: {
      styleOverrides: { root: { '&:focus-visible': { outline: `2px solid ${shade('focus')}`, outlineOffset: 1 } } },
    },
    MuiButton: {
      defaultProps: { disableElevation: true, disableFocusRipple: true },
      styleOverrides: {
        root: { padding: '5px 12px' },
        text: { padding: '5px 8px' },
        outlined: { padding: '4px 11px' },
      },
    },
    MuiIconButton: { defaultProps: { disableFocusRipple: true } },
    MuiToggleButton: {
      defaultProps: { disableFocusRipple: true },
      styleOverrides: {
        root: ({ theme: { vars } }) => ({
          color: vars?.palette.text.secondary,
          padding: '4px 10px',
          fontWeight: 500,
          '&.Mui-selected': { color: vars?.palette.text.primary },
        }),
      },
    },
    MuiOutlinedInput: {
      styleOverrides: { notchedOutline: ({ theme: { vars } }) => ({ borderColor: vars?.palette.action.active }) },
    },
    MuiInputBase: { styleOverrides: { root: { fontSize: size(13) } } },
    MuiInputLabel: { styleOverrides: { root: { fontSize: size(13) } } },
    MuiFormHelperText: { styleOverrides: { root: { marginLeft: 0 } } },
    // A button by itself, which has the browser's typeface.
    MuiAccordionSummary: { styleOverrides: { root: { fontFamily: fonts.text, fontSize: size(13) } } },
    MuiMenuItem: { styleOverrides: { root: { fontSize: size(13) } } },
    MuiTableCell: {
      styleOverrides: {
        head: ({ theme: { vars } }) => ({
          color: vars?.palette.text.secondary,
          fontSize: size(12),
          lineHeight: 16 / 12,
          fontWeight: 600,
        }),
      },
    },
    MuiTab: {
      defaultProps: { disableFocusRipple: true },
      styleOverrides: { root: { minHeight: 40, padding: '8px 12px' } },
    },
    MuiTabs: { styleOverrides: { root: { minHeight: 40 } } },
    MuiAlert: { defaultProps: { closeText: text.app.close } },
    MuiAlertTitle: { styleOverrides: { root: { fontSize: size(13), fontWeight: 600 } } },
    MuiAutocomplete: {
      styleOverrides: { popper: { zIndex: aboveMessages } },
      defaultProps: {
        clearText: text.widgets.clear,
        openText: text.widgets.openList,
        closeText: text.widgets.closeList,
        noOptionsText: text.widgets.noOptions,
        loadingText: text.app.loading,
      },
    },
    MuiTablePagination: {
      defaultProps: {
        labelRowsPerPage: text.widgets.rowsPerPage,
        labelDisplayedRows: ({ from, to, count }) => text.widgets.rows(from, to, count),
        getItemAriaLabel: (page) => text.widgets.pages[page],
      },
    },
    MuiSnackbarContent: {
      styleOverrides: {
        root: ({ theme: { vars } }) => ({
          backgroundImage: 'none',
          boxShadow: 'var(--cw-menuShadow)',
          border: `1px solid ${vars?.palette.divider}`,
          fontSize: size(13),
        }),
      },
    },
    MuiSnackbar: { defaultProps: { anchorOrigin: { vertical: 'bottom', horizontal: 'left' } } },
  },
});
