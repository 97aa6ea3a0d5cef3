import { describe, expect, test } from 'vitest';
import type { FileResult } from '../../../shared/reports/file-result.ts';
import { formatJson } from '../../../shared/reports/json.ts';
import { formatJunit } from './junit.ts';
import { formatSarif } from '../../../shared/reports/sarif.ts';
import { formatText } from './text.ts';
import { formatCsv } from '../../../shared/reports/csv.ts';
import { confinedPage } from '../../../shared/reports/escape-html.ts';
import { formatHtml } from '../../../shared/reports/html.ts';
import { fileUri } from './file-uri.ts';

const hostile = 'a<b>&"\'\u0000\u001b[31m\ud800]]>';
const results: readonly FileResult[] = [
  { file: 'waves/web 01#1.yaml', findings: [] },
  {
    file: '/abs/ä.json',
    findings: [
      {
        severity: 'error',
        path: '/vm/id',
        rule: 'vm/wrong-type',
        message: `Wrong: ${hostile}.`,
        suggestion: 'Put it in quotes.',
        location: { line: 3, column: 7 },
      },
      { severity: 'warning', path: '/a~1b', rule: 'document/odd', message: 'Odd.' },
      {
        severity: 'info',
        path: '',
        rule: 'general/no-catalog',
        message: 'There is no catalog.',
        suggestion: 'Capture one.',
      },
    ],
  },
];

describe('JSON', () => {
  test('has exactly the documented members, without places', () => {
    expect(JSON.parse(formatJson(results))).toEqual({
      files: [
        { file: 'waves/web 01#1.yaml', valid: true, findings: [] },
        {
          file: '/abs/ä.json',
          valid: false,
          findings: [
            {
              severity: 'error',
              path: '/vm/id',
              rule: 'vm/wrong-type',
              message: `Wrong: ${hostile}.`,
              suggestion: 'Put it in quotes.',
            },
            { severity: 'warning', path: '/a~1b', rule: 'document/odd', message: 'Odd.' },
            {
              severity: 'info',
              path: '',
              rule: 'general/no-catalog',
              message: 'There is no catalog.',
              suggestion: 'Capture one.',
            },
          ],
        },
      ],
      summary: { files: 2, valid: 1, errors: 1, warnings: 1 },
    });
  });
});

describe('text', () => {
  test('has place, severity and message on a line, and no control character of a document', () => {
    const text = formatText(results, { colour: false });
    expect(text).toContain('/abs/ä.json:3:7 error Wrong: a<b>');
    expect(text).toContain('\\u001b[31m');
    expect(text).not.toContain('\u001b');
    expect(text).toContain('2 files checked, 1 valid: 1 error, 1 warning\n');
  });

  test('says what concerns all files alike once', () => {
    const [, result] = results;
    const text = formatText(
      Array.from({ length: 5 }, () => result as FileResult),
      { colour: false },
    );
    expect(text.split('There is no catalog.')).toHaveLength(2);
  });

  test('is coloured only when asked', () => {
    expect(formatText(results, { colour: true })).toContain('\u001b[31merror\u001b[0m');
  });
});

describe('JUnit', () => {
  const xml = formatJunit(results, { strict: false });

  test('is well-formed whatever the messages hold', () => {
    expect(unbalanced(xml)).toEqual([]);
    expect(xml).not.toMatch(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/);
    expect(xml.isWellFormed()).toBe(true);
    expect(xml).toContain('Wrong: a&lt;b&gt;&amp;');
    expect(xml).toContain('message="Wrong: a&lt;b&gt;&amp;&quot;');
  });

  test('counts suites, cases and failures; with strict, warnings fail too', () => {
    expect(xml).toContain('<testsuites name="causeway validate" tests="4" failures="1" errors="0">');
    expect(formatJunit(results, { strict: true })).toContain('failures="2"');
  });
});

describe('SARIF', () => {
  const log = JSON.parse(formatSarif(results, fileUri)) as {
    version: string;
    runs: [
      {
        tool: { driver: { rules: { id: string }[] } };
        artifacts: { location: { uri: string } }[];
        results: Record<string, unknown>[];
      },
    ];
  };

  test('names rules, files as URI references, levels and regions', () => {
    expect(log.version).toBe('2.1.0');
    const [run] = log.runs;
    expect(run.artifacts.map(({ location }) => location.uri)).toEqual([
      'waves/web%2001%231.yaml',
      'file:///abs/%C3%A4.json',
    ]);
    expect(run.results.map(({ level }) => level)).toEqual(['error', 'warning', 'note']);
    for (const { ruleId, ruleIndex } of run.results) expect(run.tool.driver.rules[Number(ruleIndex)]?.id).toBe(ruleId);
    expect(run.results[0]).toMatchObject({
      locations: [
        {
          physicalLocation: {
            artifactLocation: { uri: 'file:///abs/%C3%A4.json', index: 1 },
            region: { startLine: 3, startColumn: 7 },
          },
          logicalLocations: [{ fullyQualifiedName: '/vm/id' }],
        },
      ],
    });
  });
});

/** Tags that do not close in order; attributes and text must hold no bare angle bracket or ampersand. */
function unbalanced(xml: string): string[] {
  const open: string[] = [];
  const wrong: string[] = [];
  const token =
    /<\?xml[^>]*\?>|<(\/?)([a-z-]+)((?: [a-z]+="[^"<&]*(?:&(?:amp|lt|gt|quot|#\d+);[^"<&]*)*")*)(\/?)>|([^<]+)/gy;
  for (let found = token.exec(xml), end = 0; ; found = token.exec(xml)) {
    if (found === null)
      return end === xml.length ? [...wrong, ...open] : [...wrong, `not XML at ${end}: ${xml.slice(end, end + 40)}`];
    end = token.lastIndex;
    const [, closing, name = '', , single, text] = found;
    if (text !== undefined && /&(?!(?:amp|lt|gt|quot|#\d+);)/.test(text)) wrong.push(text);
    if (closing === '/') {
      if (open.pop() !== name) wrong.push(name);
    } else if (name !== '' && single !== '/') open.push(name);
  }
}

describe('CSV', () => {
  test('has a row for each finding, and no cell that a spreadsheet takes for a formula', () => {
    const csv = formatCsv([
      { file: '=cmd()', findings: [{ severity: 'error', path: '/a', rule: 'x/y', message: 'A "b", c\nd' }] },
    ]);
    expect(csv).toBe(
      'file,line,column,severity,path,rule,message,suggestion\r\n"\'=cmd()",,,error,/a,x/y,"A ""b"", c\nd",\r\n',
    );
    expect(formatCsv(results).split('\r\n')).toHaveLength(5);
  });
});

describe('HTML', () => {
  test('says every finding, and lets nothing of a document become markup', () => {
    const html = formatHtml(results, '2026-01-01 <b>');
    expect(html).toContain('2 documents, 1 valid, 1 error, 1 warning');
    expect(html).not.toMatch(/<b>|\ud800/);
    expect(html.match(/<tr>/g)).toHaveLength(4);
    expect(html).toContain('<code>/a~1b</code>');
  });

  test('begins with a policy, and has no characters that turn the direction of text', () => {
    const html = formatHtml(
      [
        {
          file: 'a\u202egpj.yaml',
          findings: [{ severity: 'error', path: '/a\u2066', rule: 'x/y', message: "it's\u0007 \u202d1" }],
        },
      ],
      'now',
    );
    expect(confinedPage(html)).toBe(html);
    expect(html).not.toMatch(/[\u202a-\u202e\u2066-\u2069\u0007]/);
    expect(html).toContain('it&#39;s');
  });
});
