import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fleetConfigSchema, readFleetConfig, removeFleetConfig, writeFleetConfig } from './fleet-config.ts';

const config = fleetConfigSchema.parse({
  servers: ['tls://nats:4222'],
  project: 'dc1',
  user: 'alice',
  passwordFile: '/home/alice/password',
});

describe('membership in a fleet', () => {
  let folder: string;
  const former = process.env['CAUSEWAY_USER_FOLDER'];
  const project = (name: string): string => join(folder, name);
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'causeway-membership-'));
    process.env['CAUSEWAY_USER_FOLDER'] = join(folder, 'user');
    for (const name of ['one', 'two']) mkdirSync(join(project(name), '.causeway'), { recursive: true });
  });
  afterEach(() => {
    if (former === undefined) delete process.env['CAUSEWAY_USER_FOLDER'];
    else process.env['CAUSEWAY_USER_FOLDER'] = former;
    rmSync(folder, { recursive: true });
  });

  it('is of one project folder and this user, readable by nobody else, until the project leaves', () => {
    writeFleetConfig(project('one'), config);
    expect([readFleetConfig(project('one')), readFleetConfig(project('two'))]).toEqual([config, undefined]);
    const [name] = readdirSync(join(folder, 'user', 'fleets'));
    if (process.platform !== 'win32') expect(statSync(join(folder, 'user', 'fleets', name!)).mode & 0o777).toBe(0o600);
    removeFleetConfig(project('one'));
    expect(readFleetConfig(project('one'))).toBeUndefined();
  });

  it('comes with no project folder: whoever sends one could otherwise have a file of this computer sent as a password', () => {
    for (const place of ['.causeway/fleet.json', 'fleet.json'])
      writeFileSync(join(project('two'), place), JSON.stringify({ folder: project('two'), fleet: config }));
    expect(readFleetConfig(project('two'))).toBeUndefined();
    writeFleetConfig(project('one'), config);
    expect(existsSync(join(project('one'), '.causeway', 'fleet.json'))).toBe(false);
  });

  it('of a damaged file is an error, and not a project of this computer alone', () => {
    writeFleetConfig(project('one'), config);
    const [name] = readdirSync(join(folder, 'user', 'fleets'));
    writeFileSync(join(folder, 'user', 'fleets', name!), '{');
    expect(() => readFleetConfig(project('one'))).toThrow('does not describe a fleet');
  });
});
