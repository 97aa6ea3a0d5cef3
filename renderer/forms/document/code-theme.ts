import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { fonts, shade, stateColor } from '../../app/theme.ts';

const color = {
  text: 'var(--mui-palette-text-primary)', quiet: 'var(--mui-palette-text-secondary)', sheet: 'var(--mui-palette-background-paper)', line: 'var(--mui-palette-divider)',
  accent: 'var(--mui-palette-primary-main)', selected: 'var(--mui-palette-action-selected)', hover: 'var(--mui-palette-action-hover)', control: 'var(--mui-palette-action-active)',
};

/** The look of the page, light and dark by the same custom properties; nothing of it depends on a theme of its own. */
export const codeTheme = [
  EditorView.theme({
    '&': { fontSize: '13px', color: color.text, backgroundColor: color.sheet, height: '100%' },
    '&.cm-focused': { outline: 'none' },
    '.cm-scroller': { fontFamily: fonts.code, lineHeight: '20px', fontFeatureSettings: '"zero" 1, "calt" 0' },
    '.cm-content': { caretColor: color.text, paddingBlock: '8px' },
    '.cm-cursor': { borderLeftColor: color.text },
    '.cm-gutters': { backgroundColor: shade('sunken'), color: shade('text3'), borderRight: `1px solid ${color.line}` },
    '.cm-activeLine': { backgroundColor: 'transparent' },
    '&.cm-focused .cm-activeLine': { backgroundColor: color.hover },
    '.cm-activeLineGutter': { backgroundColor: color.hover, color: color.text },
    '.cm-content ::selection, .cm-line::selection, .cm-line ::selection': { backgroundColor: color.selected },
    '.cm-selectionMatch': { backgroundColor: color.selected },
    '.cm-matchingBracket, &.cm-focused .cm-matchingBracket': { backgroundColor: color.selected, outline: `1px solid ${color.control}` },
    '.cm-tooltip': { backgroundColor: shade('raised'), color: color.text, border: `1px solid ${color.line}`, borderRadius: '5px', boxShadow: 'var(--cw-menuShadow)', maxWidth: '480px' },
    '.cm-tooltip.cm-tooltip-autocomplete > ul': { fontFamily: fonts.code, fontSize: '12px', maxHeight: '280px' },
    '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '3px 8px', minHeight: '24px' },
    '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': { backgroundColor: color.selected, color: color.text },
    '.cm-completionLabel': { color: color.text },
    '.cm-completionMatchedText': { textDecoration: 'none', fontWeight: 700, color: color.accent },
    '.cm-completionDetail': { fontFamily: fonts.text, fontStyle: 'normal', color: color.quiet, marginLeft: '12px' },
    '.cm-completionInfo': { padding: '8px 12px' },
    '.cw-code-help': { fontFamily: fonts.text, fontSize: '12px', lineHeight: '18px', padding: '6px 10px', maxWidth: '440px', whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' },
    '.cw-code-help > div:first-child': { fontWeight: 600 },
    '.cm-completionInfo .cw-code-help': { padding: '0' },
    '.cm-completionInfo .cw-code-help > div:first-child': { fontWeight: 400 },
    '.cm-diagnostic': { fontFamily: fonts.text, fontSize: '12px', lineHeight: '18px', padding: '6px 10px', whiteSpace: 'pre-wrap' },
    '.cm-diagnostic-error': { borderLeft: `3px solid ${stateColor('bad', 'solid')}` },
    '.cm-diagnostic-warning': { borderLeft: `3px solid ${stateColor('live', 'solid')}` },
    '.cm-diagnostic-info': { borderLeft: `3px solid ${stateColor('copy', 'solid')}` },
    '.cm-diagnosticAction': { backgroundColor: color.accent, color: 'var(--mui-palette-primary-contrastText)', borderRadius: '5px', padding: '3px 10px', minHeight: '24px', fontFamily: fonts.text, fontSize: '12px' },
    '.cm-lintRange-error': { backgroundImage: 'none', textDecoration: `underline wavy ${stateColor('bad', 'solid')}`, textUnderlineOffset: '3px' },
    '.cm-lintRange-warning': { backgroundImage: 'none', textDecoration: `underline wavy ${stateColor('live', 'solid')}`, textUnderlineOffset: '3px' },
    '.cm-lintRange-info': { backgroundImage: 'none', textDecoration: `underline dotted ${stateColor('copy', 'solid')}`, textUnderlineOffset: '3px' },
    '.cm-panels': { backgroundColor: shade('sunken'), color: color.text, borderColor: color.line, fontFamily: fonts.text },
    '.cm-panels.cm-panels-top': { borderBottom: `1px solid ${color.line}` },
    '.cm-textfield': { backgroundColor: color.sheet, color: color.text, border: `1px solid ${color.control}`, borderRadius: '5px', fontSize: '12px', padding: '3px 6px' },
    '.cm-button': { backgroundImage: 'none', backgroundColor: color.sheet, color: color.text, border: `1px solid ${color.control}`, borderRadius: '5px', fontSize: '12px', minHeight: '24px' },
    '.cm-panel.cm-search [name=close]': { color: color.text, fontSize: '16px', minWidth: '24px', minHeight: '24px' },
    '.cm-searchMatch': { backgroundColor: stateColor('live', 'soft') },
    '.cm-searchMatch-selected': { outline: `2px solid ${stateColor('live', 'solid')}` },
    '.cm-foldPlaceholder': { backgroundColor: color.hover, border: `1px solid ${color.line}`, color: color.quiet },
    '.cm-changedLine': { backgroundColor: `${stateColor('done', 'soft')} !important` },
    '.cm-changedText': { background: 'none', backgroundColor: stateColor('done', 'soft'), textDecoration: `underline 2px ${stateColor('done', 'solid')}` },
    '.cm-deletedChunk': { backgroundColor: stateColor('bad', 'soft') },
    '&.cm-merge-a .cm-changedLine': { backgroundColor: `${stateColor('bad', 'soft')} !important` },
    '&.cm-merge-a .cm-changedText': { background: 'none', backgroundColor: stateColor('bad', 'soft'), textDecoration: `underline 2px ${stateColor('bad', 'solid')}` },
    '.cm-collapsedLines': { background: 'none', backgroundColor: color.hover, color: color.quiet, fontFamily: fonts.text, fontSize: '12px' },
    // The package's own sign is in few fonts.
    '.cm-collapsedLines:before, .cm-collapsedLines:after': { content: '"…"' },
  }),
  syntaxHighlighting(
    HighlightStyle.define([
      { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: color.accent },
      { tag: [tags.string, tags.attributeValue], color: stateColor('done', 'text') },
      { tag: [tags.number, tags.bool, tags.null, tags.keyword, tags.atom], color: stateColor('person', 'text') },
      { tag: [tags.comment, tags.lineComment], color: color.quiet, fontStyle: 'italic' },
      { tag: [tags.punctuation, tags.separator, tags.bracket], color: color.quiet },
      { tag: [tags.labelName, tags.typeName, tags.meta], color: stateColor('live', 'text') },
      { tag: tags.invalid, color: stateColor('bad', 'text') },
    ]),
  ),
];
