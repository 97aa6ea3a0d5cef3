import { CausewayError } from '../model/causeway-error.ts';

/** A text as it may stand in HTML, in text and in attributes. */
export function escapedHtml(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/gu, ' ')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}

export interface Page {
  readonly title: string;
  readonly body: readonly string[];
}

/** What every page begins with: the policy comes before all that it is for. */
export const pageBeginning: readonly string[] = [
  '<!doctype html>',
  '<html lang="en">',
  '<head>',
  '<meta charset="utf-8">',
  '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; style-src \'unsafe-inline\'">',
];

/**
 * A page as the engine gave it, which may be a mover's: whatever it holds, a browser applies the policy that it begins with, so that it loads
 * nothing and runs nothing.
 *
 * @throws CausewayError `evidence.foreign-page`
 */
export function confinedPage(html: string): string {
  if (!html.startsWith(`${pageBeginning.join('\n')}\n`))
    throw new CausewayError(
      'evidence.foreign-page',
      'the page does not begin with the policy that reports of Causeway have',
    );
  return html;
}

/**
 * The name of a file for a report that the engine proposes, which may be a mover's: no folder, nothing hidden, no other kind of file.
 */
export function reportFileName(proposed: string): string {
  return /^[\p{L}\p{N}_][\p{L}\p{N} _.,()+-]{0,150}\.html$/u.test(proposed) ? proposed : 'report.html';
}

/**
 * One file for any browser and for paper: no script, nothing from elsewhere. The policy makes the browser refuse both, should
 * something have got past the escaping.
 */
export function htmlPage({ title, body }: Page): string {
  return [
    ...pageBeginning,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${escapedHtml(title)}</title>`,
    `<style>${style}</style>`,
    '</head>',
    '<body>',
    '<main>',
    ...body,
    '</main>',
    '</body>',
    '</html>',
    '',
  ].join('\n');
}

/** A table whose cells are HTML already. */
export function htmlTable(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const head = headings.map((heading) => `<th scope="col">${escapedHtml(heading)}</th>`).join('');
  return `<div class="scroll" tabindex="0"><table><thead><tr>${head}</tr></thead><tbody>${rows.map((row) => `<tr>${row.map((cell) => `<td>${cell}</td>`).join('')}</tr>`).join('\n')}</tbody></table></div>`;
}

const style = `
@page { size: A4; margin: 18mm }
:root { color-scheme: light; font: 14px/1.5 Inter, system-ui, sans-serif; color: #14232b; background: #fff }
main { max-width: 60rem; margin: 2rem auto; padding: 0 1.5rem }
.kind { color: #45565f; border-bottom: 1px solid #c9d3d8; padding-bottom: .6rem; margin: 0 0 1.6rem; display: flex; justify-content: space-between; gap: 1rem }
h1 { font-size: 1.9rem; line-height: 1.2; margin: 0 0 .4rem; overflow-wrap: anywhere } h2 { font-size: 1rem; margin: 1.8rem 0 .4rem } h3 { font-size: .95rem; margin: 1.2rem 0 .3rem }
.lead { font-size: 1.05rem; color: #45565f; margin: 0 0 1rem }
.verdict { display: flex; justify-content: space-between; gap: 2rem; background: #f1f5f6; border-left: 4px solid #45565f; padding: .8rem 1.1rem }
.verdict.good { border-color: #0b6b4a } .verdict.bad { border-color: #b3261e } .verdict strong { display: block; font-size: 1.15rem } .verdict div:last-child { text-align: right }
.scroll { overflow-x: auto }
table { border-collapse: collapse; width: 100% } th { text-align: left; border-bottom: 1px solid #14232b } td { border-bottom: 1px solid #dbe2e5 } th, td { padding: .35rem .8rem .35rem 0; vertical-align: top; overflow-wrap: anywhere }
code, pre { font: 12px/1.5 ui-monospace, "Cascadia Mono", "DejaVu Sans Mono", monospace; overflow-wrap: anywhere } pre { background: #f1f5f6; padding: .7rem; white-space: pre-wrap }
.good b { color: #0b6b4a } b.good { color: #0b6b4a } b.bad { color: #b3261e } b.warn { color: #7a4b00 } .muted { color: #45565f }
ul { padding-left: 1.2rem } section, tr, .verdict { break-inside: avoid } footer { margin: 2.5rem 0; border-top: 1px solid #c9d3d8; padding-top: .6rem; color: #45565f }
.sign { display: grid; grid-template-columns: 1fr 1fr; gap: 2rem } .sign div { border-top: 1px solid #14232b; margin-top: 3rem; padding-top: .3rem }
`;
