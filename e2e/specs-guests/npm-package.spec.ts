import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { packageForNpm } from '../../scripts/package-npm.ts';

let folder: string;
let archive: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'causeway-npm-'));
  archive = packageForNpm(join(import.meta.dirname, '..', '..'));
  execFileSync('npm', ['init', '--yes'], { cwd: folder, stdio: 'ignore' });
  execFileSync('npm', ['install', '--no-audit', '--no-fund', archive], { cwd: folder, stdio: 'ignore' });
}, 600_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

const run = (command: string, ...argv: string[]): string =>
  execFileSync(join(folder, 'node_modules', '.bin', command), argv, { cwd: folder, encoding: 'utf8' });

it('installs the command line into an empty folder, with a Node that it can run on', async () => {
  expect(readFileSync(`${archive}.sha256`, 'utf8')).toBe(
    `${createHash('sha256').update(readFileSync(archive)).digest('hex')}  ${basename(archive)}\n`,
  );
  expect(run('causeway', '--version').trim()).toBe(
    (JSON.parse(readFileSync(join(folder, 'node_modules/causeway/package.json'), 'utf8')) as { version: string })
      .version,
  );
  await writeFile(
    join(folder, 'web.yaml'),
    'destination: { plugin: european-cloud, environment: { network_map: { default: production } } }\n',
  );
  const answer = JSON.parse(failing('validate', 'web.yaml', '--format', 'json')) as { summary: { files: number } };
  expect(answer.summary.files).toBe(1);
  await writeFile(join(folder, 'passphrase'), 'correct horse battery', { mode: 0o600 });
  execFileSync(join(folder, 'node_modules/.bin/causeway'), ['vault', 'init'], {
    cwd: folder,
    env: {
      ...process.env,
      CAUSEWAY_PASSPHRASE_FILE: join(folder, 'passphrase'),
      CAUSEWAY_USER_FOLDER: join(folder, 'user'),
    },
  });
  expect(readFileSync(join(folder, 'causeway.yaml'), 'utf8')).toContain('name:');
}, 120_000);

/** The output of a command that finds errors. */
function failing(...argv: string[]): string {
  try {
    return run('causeway', ...argv);
  } catch (error) {
    expect((error as { status: number }).status).toBe(1);
    return (error as { stdout: string }).stdout;
  }
}
