import type { Finding } from '../schema/finding.ts';
import { escapedHtml, pageBeginning } from './escape-html.ts';
import { isValid, summarise, type FileResult } from './file-result.ts';

/**
 * A page for people without Causeway: a summary, then each document with its findings. One file without scripts, which
 * also prints well. Everything from documents is escaped, and a browser applies the policy that the page begins with.
 *
 * @param madeAt when the check was made, as it should be read
 */
export function formatHtml(results: readonly FileResult[], madeAt: string): string {
  const { files, valid, errors, warnings } = summarise(results);
  const summary = `${files} ${files === 1 ? 'document' : 'documents'}, ${valid} valid, ${errors} ${errors === 1 ? 'error' : 'errors'}, ${warnings} ${warnings === 1 ? 'warning' : 'warnings'}`;
  return [
    ...pageBeginning,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<title>Environment check</title>',
    `<style>${style}</style>`,
    '</head>',
    '<body>',
    '<h1>Environment check</h1>',
    `<p>${escapedHtml(madeAt)}. <strong>${summary}.</strong></p>`,
    ...results.map(section),
    '</body>',
    '</html>',
    '',
  ].join('\n');
}

function section(result: FileResult): string {
  const { file, findings } = result;
  const verdict = isValid(result) ? '<span class="valid">valid</span>' : '<span class="error">not valid</span>';
  const heading = `<h2>${escapedHtml(file)} ${verdict}</h2>`;
  if (findings.length === 0) return `<section>${heading}<p>Nothing found.</p></section>`;
  const head =
    '<thead><tr><th scope="col">Kind</th><th scope="col">Place</th><th scope="col">Finding</th><th scope="col">Rule</th></tr></thead>';
  return `<section>${heading}<table>${head}<tbody>${findings.map(row).join('\n')}</tbody></table></section>`;
}

function row({ severity, path, rule, message, suggestion, location }: Finding): string {
  const place = `<code>${escapedHtml(path === '' ? '/' : path)}</code>${location === undefined ? '' : `<br>line ${location.line}`}`;
  const advice = suggestion === undefined ? '' : `<br><em>${escapedHtml(suggestion)}</em>`;
  return `<tr><td class="${severity}">${severity}</td><td>${place}</td><td>${escapedHtml(message)}${advice}</td><td><code>${escapedHtml(rule)}</code></td></tr>`;
}

const style = `
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif }
body { max-width: 70rem; margin: 2rem auto; padding: 0 1rem }
h1 { font-size: 1.6rem } h2 { font-size: 1.15rem; margin: 2rem 0 .5rem; overflow-wrap: anywhere }
table { border-collapse: collapse; width: 100% } th, td { text-align: left; vertical-align: top; padding: .4rem .6rem; border-bottom: 1px solid #8886; overflow-wrap: anywhere }
.error { color: light-dark(#b3261e, #ff8a80); font-weight: 600 } .warning { color: light-dark(#8a5300, #ffcc66); font-weight: 600 } .valid { color: light-dark(#1b6e2c, #81d895) }
section { break-inside: avoid-page }
`;
