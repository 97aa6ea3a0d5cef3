import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { MoverService } from '../movers/mover-service.ts';

const [own, other] = ['a', 'b'].map((letter) => letter.repeat(64)) as [string, string];
let home: string;
let project: string;
let entry: string;
// They look for the home folder when they are loaded.
const commands = () => import('./commands.ts');
const files = () => import('./service-file.ts');

beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'causeway-services-')));
  vi.stubEnv('HOME', home);
  vi.resetModules();
  project = join(home, 'web');
  mkdirSync(join(project, '.causeway'), { recursive: true });
  entry = join(home, '.causeway-mover', 'engines', own, 'app', 'out', 'main', 'mover.js');
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(home, { recursive: true });
});

/** No process has this number: it is above the most that Linux gives. */
const crashed = (engine = own): MoverService => ({ project, socket: '', pid: 2 ** 22 + 1, version: '1.0.0', engine });

test.skipIf(process.platform !== 'linux')(
  'what has crashed is started again by its own engine, until somebody stops it',
  async () => {
    const { writeService, crashedService } = await files();
    const { runMoverCommand } = await commands();
    const run = (command: string) => runMoverCommand(command, { project, mayCreate: false, entry });
    expect(await run('start-again')).toEqual({ none: true });
    writeService(crashed(other));
    expect(await run('start-again')).toEqual({ none: true });
    writeService(crashed());
    // The engine of this test cannot run: that it is started shows in how it fails.
    mkdirSync(join(entry, '..'), { recursive: true });
    writeFileSync(entry, 'process.exit(3)');
    await expect(run('start-again')).rejects.toMatchObject({ code: 'mover.start-failed' });
    expect(crashedService(project)).toEqual(crashed());
    expect(await run('stop')).toEqual({ none: true });
    expect(await run('start-again')).toEqual({ none: true });
    writeService(crashed());
    await run('stop-all');
    expect(crashedService(project)).toBeUndefined();
  },
);
