import type { IncomingMessage } from 'node:http';
import { readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import { createAdmission } from './admission.ts';
import { redirectFile } from './open-in-browser.ts';

test('a session that nobody uses ends, one that is used goes on', () => {
  let now = 0;
  const hour = 60 * 60 * 1000;
  const admission = createAdmission(
    () => 1,
    () => now,
  );
  const { cookie } = admission.redeem(admission.issue())!;
  const request = { headers: { cookie: cookie.split(';')[0] } } as IncomingMessage;
  for (let uses = 0; uses < 4; uses += 1) {
    now += 11 * hour;
    expect(admission.hasSession(request)).toBe(true);
  }
  now += 13 * hour;
  expect(admission.hasSession(request)).toBe(false);
});

test.skipIf(process.platform === 'win32')(
  'the link reaches the browser in a file that its owner alone can read',
  () => {
    const { file, remove } = redirectFile('http://127.0.0.1:1/?token=a&b="c"');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(file)).mode & 0o777).toBe(0o700);
    expect(readFileSync(file, 'utf8')).toContain('url=http://127.0.0.1:1/?token=a&amp;b=&quot;c&quot;"');
    remove();
  },
);
