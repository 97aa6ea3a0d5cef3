import { expect, test } from 'vitest';
import { confinedPage, htmlPage, reportFileName } from './escape-html.ts';

test('a page of ours is taken, and one that begins with anything before its policy is not', () => {
  const page = htmlPage({ title: 'A & B', body: ['<p>x</p>'] });
  expect(confinedPage(page)).toBe(page);
  for (const other of [
    page.replace("default-src 'none'", 'default-src *'),
    page.replace('<head>', '<head><script src="https://example.invalid/x.js"></script>'),
    `<!doctype html><iframe src="file:///etc/passwd"></iframe>${page}`,
    ` ${page}`,
    '',
  ])
    expect(() => confinedPage(other)).toThrow(expect.objectContaining({ code: 'evidence.foreign-page' }));
});

test('a proposed file name stays a report in the folder that it is saved to', () => {
  expect(['report-web-01.html', 'Bericht für Büro (2).html'].map(reportFileName)).toEqual([
    'report-web-01.html',
    'Bericht für Büro (2).html',
  ]);
  for (const name of [
    '../.bashrc',
    '../x.html',
    'a/b.html',
    'a\\b.html',
    '.hidden.html',
    'report.hta',
    'report.html.bat',
    'C:x.html',
    '',
    `${'a'.repeat(300)}.html`,
  ])
    expect(reportFileName(name)).toBe('report.html');
});
