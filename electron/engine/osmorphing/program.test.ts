// needs: python3
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { defaultProgramFolder } from './program-archive.ts';

const folder = defaultProgramFolder();

function python(args: readonly string[]): { readonly code: number | null; readonly text: string } {
  const env = { ...process.env, PYTHONDONTWRITEBYTECODE: '1' };
  const { status, stdout, stderr, error } = spawnSync('python3', args, { cwd: folder, env, encoding: 'utf8' });
  if (error !== undefined) throw new Error(`python3 is needed for this test: ${error.message}`);
  return { code: status, text: stdout + stderr };
}

describe('the program that prepares Linux guests', () => {
  it("passes its own tests, on trees of files with stand-ins for the guest's programs", () => {
    const { code, text } = python(['-m', 'unittest', 'discover', '-s', 'tests', '-t', '.']);
    expect(text).toMatch(/Ran (?:[2-9]\d|\d{3,}) tests/);
    expect(text, text).toMatch(/OK( \(skipped=\d+\))?\s*$/);
    expect(code).toBe(0);
    // Hundreds of tests in a process of their own: minutes beside other work.
  }, 600_000);

  it('is written in Python 3.6 and stands on its standard library alone', () => {
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
      (name) => name.endsWith('.py') && !name.startsWith('tests'),
    );
    const check =
      'import ast, sys\nfor name in sys.argv[1:]: ast.parse(open(name).read(), name, feature_version=(3, 6))';
    expect(python(['-c', check, ...files])).toEqual({ code: 0, text: '' });
    const known = new Set([
      'base64',
      'collections',
      'ctypes',
      'difflib',
      'errno',
      'fcntl',
      'fnmatch',
      'glob',
      'gzip',
      'hashlib',
      'ipaddress',
      'json',
      'os',
      'platform',
      'posixpath',
      'queue',
      're',
      'shutil',
      'signal',
      'stat',
      'struct',
      'subprocess',
      'sys',
      'tempfile',
      'threading',
      'time',
      'traceback',
      'urllib.error',
      'urllib.parse',
      'urllib.request',
      'uuid',
      'zipfile',
      'zlib',
      // Not of the standard library: the one way to the registry of Windows guests, installed on the worker when it is needed.
      'hivex',
      'causeway_osmorphing.cli',
    ]);
    for (const name of files) {
      const text = readFileSync(join(folder, name), 'utf8');
      for (const [, module = ''] of text.matchAll(/^\s*(?:import|from) ([a-z_][\w.]*)/gm))
        expect(known, `${name} imports ${module}`).toContain(module);
    }
    expect(files.length).toBeGreaterThan(30);
  });
});
