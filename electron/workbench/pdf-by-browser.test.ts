import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { pdfByBrowser, printingBrowser } from './pdf-by-browser.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'causeway-printing-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A program in place of a browser. */
function program(lines: string): string {
  const path = join(folder, 'chromium');
  writeFileSync(path, `#!/bin/sh\n${lines}\n`);
  chmodSync(path, 0o755);
  return path;
}

test('a report is printed by the browser that is there, and nothing of it stays behind', async () => {
  const browser = program(
    `for o in "$@"; do case $o in --print-to-pdf=*) f=\${o#*=};; file://*) p=\${o#file://};; esac; done; { printf '%%PDF-'; cat "$p"; } > "$f"; echo "$f" > ${join(folder, 'where')}`,
  );
  expect((await pdfByBrowser('<p>Anna</p>', new AbortController().signal, browser)).toString()).toBe(
    '%PDF-<p>Anna</p>',
  );
  expect(printingBrowser({ PATH: folder })).toBe(browser);
});

test('what the browser said is in the error, if it printed nothing', async () => {
  await expect(
    pdfByBrowser('', new AbortController().signal, program('echo no display >&2; exit 1')),
  ).rejects.toMatchObject({ code: 'evidence.not-printed', message: 'no display' });
  await expect(pdfByBrowser('', new AbortController().signal, join(folder, 'missing'))).rejects.toMatchObject({
    code: 'evidence.not-printed',
  });
  expect(existsSync(join(folder, 'missing'))).toBe(false);
});
