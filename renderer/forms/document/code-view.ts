import {
  acceptCompletion,
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
  type Completion,
  type CompletionContext,
  type CompletionResult,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { json } from '@codemirror/lang-json';
import { yaml } from '@codemirror/lang-yaml';
import { bracketMatching, foldGutter, foldKeymap, indentOnInput, indentUnit } from '@codemirror/language';
import { lintGutter, lintKeymap, setDiagnostics, type Diagnostic } from '@codemirror/lint';
import { MergeView } from '@codemirror/merge';
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search';
import { Compartment, EditorState, type Extension } from '@codemirror/state';
import {
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  hoverTooltip,
  keymap,
  lineNumbers,
  rectangularSelection,
} from '@codemirror/view';
import type { DocumentFormat } from '../../../shared/environment/read-document.ts';
import type { Finding } from '../../../shared/schema/finding.ts';
import { findingLines, type FindingLine, type PageFinding } from '../../components/finding-lines.ts';
import { text } from '../../text/text.ts';
import { codeTheme } from './code-theme.ts';
import { explainAt, factsOf, suggestAt, type ResourceChoices, type Suggestion } from './document-assist.ts';
import { findingRange } from './finding-range.ts';

/*
 * Everything of CodeMirror, in a part of the page that is loaded with the first text that somebody edits.
 */

export interface CodeViewOptions {
  readonly value: string;
  readonly format: DocumentFormat;
  readonly label: string;
  /** Id of a text that describes it. */
  readonly describedBy: string;
  readonly onChange: (value: string) => void;
  readonly resources: () => ResourceChoices;
  readonly onFix: (finding: Finding) => void;
}

export interface CodeView {
  readonly value: () => string;
  setValue(value: string): void;
  setFormat(format: DocumentFormat): void;
  setFindings(findings: readonly PageFinding[]): void;
  /** Puts the cursor on a finding, in sight. */
  show(finding: Finding): void;
  /** The line of the cursor, from 1. */
  line(): number;
  focus(): void;
  destroy(): void;
}

/** An editor in `parent`: colours, completion, explanations, findings, search, folding, undo. */
export function createCodeView(parent: HTMLElement, options: CodeViewOptions): CodeView {
  const language = new Compartment();
  let { format } = options;
  let isOutside = false;
  const suggest = (context: CompletionContext): CompletionResult | null => {
    const found = suggestAt(context.state.doc.toString(), format, context.pos, options.resources());
    if (
      found === undefined ||
      (!context.explicit &&
        found.from === context.pos &&
        !/[\s:"]/.test(context.state.sliceDoc(context.pos - 1, context.pos)))
    )
      return null;
    // On an empty place nothing is proposed unasked: whoever only begins a new line is not stopped by a list.
    if (!context.explicit && found.from === found.to) return null;
    return {
      from: found.from,
      to: found.to,
      options: found.suggestions.map((suggestion) =>
        completionOf(suggestion, context.state.sliceDoc(found.from, found.from + 1) === '"'),
      ),
      validFor: /^[\w."-]*$/,
    };
  };
  const view = new EditorView({
    parent,
    state: EditorState.create({
      doc: options.value,
      extensions: [
        ...surface(),
        EditorView.contentAttributes.of({
          'aria-label': options.label,
          'aria-describedby': options.describedBy,
          spellcheck: 'false',
        }),
        language.of(languageOf(format)),
        history(),
        indentUnit.of('  '),
        indentOnInput(),
        bracketMatching(),
        closeBrackets(),
        rectangularSelection(),
        highlightActiveLine(),
        highlightActiveLineGutter(),
        highlightSelectionMatches(),
        foldGutter(),
        lintGutter(),
        search({ top: true }),
        autocompletion({ override: [suggest], icons: false, maxRenderedOptions: 60 }),
        hoverTooltip((at, offset) => explanation(at, format, offset)),
        // Tab indents. After Escape, or once Ctrl+M was pressed, it moves on to what follows the editor: nobody is caught in it.
        keymap.of([
          { key: 'Tab', run: acceptCompletion },
          ...closeBracketsKeymap,
          ...defaultKeymap,
          ...searchKeymap,
          ...historyKeymap,
          ...foldKeymap,
          ...completionKeymap,
          ...lintKeymap,
          indentWithTab,
        ]),
        EditorView.updateListener.of((update) => {
          if (update.docChanged && !isOutside) options.onChange(update.state.doc.toString());
        }),
      ],
    }),
  });
  return {
    value: () => view.state.doc.toString(),
    setValue(value) {
      if (value === view.state.doc.toString()) return;
      isOutside = true;
      view.dispatch({ changes: changeBetween(view.state.doc.toString(), value) });
      isOutside = false;
    },
    setFormat(next) {
      if (next === format) return;
      format = next;
      view.dispatch({ effects: language.reconfigure(languageOf(format)) });
    },
    setFindings(findings) {
      view.dispatch(setDiagnostics(view.state, diagnosticsOf(view.state.doc.toString(), findings, options.onFix)));
    },
    show(finding) {
      const { from } = findingRange(view.state.doc.toString(), finding);
      view.dispatch({ selection: { anchor: from }, effects: EditorView.scrollIntoView(from, { y: 'center' }) });
      view.focus();
    },
    line: () => view.state.doc.lineAt(view.state.selection.main.head).number,
    focus: () => view.focus(),
    destroy: () => view.destroy(),
  };
}

/** Two texts side by side, the right one with what changed; neither can be edited. */
export function createComparison(
  parent: HTMLElement,
  {
    before,
    after,
    format,
    labels,
  }: {
    readonly before: string;
    readonly after: string;
    readonly format: DocumentFormat;
    readonly labels: readonly [string, string];
  },
): { destroy(): void } {
  const side = (label: string) => [
    ...surface(),
    EditorState.readOnly.of(true),
    languageOf(format),
    EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
    keymap.of(searchKeymap),
  ];
  return new MergeView({
    parent,
    a: { doc: before, extensions: side(labels[0]) },
    b: { doc: after, extensions: side(labels[1]) },
    collapseUnchanged: { margin: 3, minSize: 6 },
    gutter: true,
  });
}

/** What an editor and a comparison have in common. */
function surface(): readonly Extension[] {
  return [
    // The content security policy forbids styles without the nonce.
    EditorView.cspNonce.of(document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? ''),
    EditorState.phrases.of(text.editor.phrases),
    lineNumbers(),
    highlightSpecialChars(),
    codeTheme,
  ];
}

function languageOf(format: DocumentFormat): Extension {
  return format === 'json' ? json() : yaml();
}

/** What is typed is compared with the label: behind a quote, that has one, too. */
function completionOf({ label, insert, detail, help, kind, isFirst }: Suggestion, isQuoted: boolean): Completion {
  return {
    ...(isQuoted ? { label: `"${label}"`, displayLabel: label } : { label }),
    apply: insert,
    type: kind === 'key' ? 'property' : 'constant',
    boost: isFirst === true ? 10 : 0,
    ...(detail === undefined || detail === label ? {} : { detail }),
    ...(help === undefined || help === '' ? {} : { info: () => linesOf(help.split('\n')) }),
  };
}

function explanation(
  view: EditorView,
  format: DocumentFormat,
  offset: number,
): { pos: number; above: boolean; create: () => { dom: HTMLElement } } | null {
  const key = explainAt(view.state.doc.toString(), format, offset);
  if (key === undefined) return null;
  return {
    pos: offset,
    above: true,
    create: () => ({ dom: linesOf([key.label, key.help, ...factsOf(key)].filter((line) => line !== '')) }),
  };
}

function linesOf(lines: readonly string[]): HTMLElement {
  const box = document.createElement('div');
  box.className = 'cw-code-help';
  box.append(...lines.map((line) => Object.assign(document.createElement('div'), { textContent: line })));
  return box;
}

function linesInTheirLanguage(lines: readonly FindingLine[]): HTMLElement {
  const box = document.createElement('div');
  box.append(
    ...lines.map(({ words, isEnglish }) =>
      Object.assign(document.createElement('div'), { textContent: words, ...(isEnglish ? { lang: 'en' } : {}) }),
    ),
  );
  return box;
}

function diagnosticsOf(
  document: string,
  findings: readonly PageFinding[],
  onFix: CodeViewOptions['onFix'],
): Diagnostic[] {
  return findings
    .filter(({ location }) => location !== undefined)
    .map((finding) => ({ finding, lines: findingLines(finding) }))
    .map(({ finding, lines }) => ({
      ...findingRange(document, finding),
      severity: finding.severity,
      message: lines.map(({ words }) => words).join('\n'),
      ...(lines.some(({ isEnglish }) => isEnglish) ? { renderMessage: () => linesInTheirLanguage(lines) } : {}),
      ...(finding.fix === undefined
        ? {}
        : { actions: [{ name: text.validation.mendNow, apply: () => onFix(finding) }] }),
    }))
    .sort((one, other) => one.from - other.from);
}

/** The one stretch in which two texts differ, so that the cursor and the steps of undo stay where they are. */
function changeBetween(before: string, after: string): { from: number; to: number; insert: string } {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before.charCodeAt(start) === after.charCodeAt(start)) start += 1;
  let end = 0;
  while (
    end < shorter - start &&
    before.charCodeAt(before.length - 1 - end) === after.charCodeAt(after.length - 1 - end)
  )
    end += 1;
  return { from: start, to: before.length - end, insert: after.slice(start, after.length - end) };
}
