import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runProgram } from '../program.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'causeway-resume-'));
  mkdirSync(join(folder, '.causeway'), { mode: 0o700 });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function causeway(...argv: string[]): Promise<{ status: number; output: string }> {
  const stdout = new PassThrough();
  let output = '';
  stdout.on('data', (piece: Buffer) => (output += piece.toString()));
  const context = { stdout, stderr: stdout, env: {}, entry: import.meta.url, signal: new AbortController().signal };
  const status = await runProgram([...argv, '--project', folder], context);
  return { status, output };
}

test.each(['execution', 'deployment'])('when no %s was interrupted, that is said and is no failure', async (kind) => {
  expect(await causeway(kind, 'resume')).toEqual({ status: 0, output: 'Nothing was interrupted.\n' });
  expect(await causeway(kind, 'resume', '--json')).toEqual({ status: 0, output: '' });
});

test.each(['execution', 'deployment'])('an %s that is not known is named', async (kind) => {
  const { status, output } = await causeway(kind, 'resume', 'nowhere');
  expect([status, output]).toEqual([1, expect.stringContaining(`${kind} nowhere`)]);
});
