import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { oneLine } from '../shared/testing/one-line.ts';
import { systemRows, underWine } from './documents/systems.ts';

const root = join(import.meta.dirname, '..');
/** They come with the system. */
const ofTheSystem = ['reg', 'scutil', 'ipconfig', 'gsettings', 'nmcli', 'whoami', 'icacls'];

test('every program that the engine starts is named in the table of systems, and no other', () => {
  const started = new Set<string>();
  for (const path of globSync('electron/engine/**/*.ts', { cwd: root })) {
    if (/\.test\.ts$|\/testing\//.test(path)) continue;
    for (const [, name] of oneLine(readFileSync(join(root, path), 'utf8')).matchAll(
      /\b(?:runTool|spawn|spawnSync|execFile|execFileSync|run)\('([a-z][\w-]*)', \[/g,
    ))
      started.add(name!);
  }
  expect(started).toContain('rbd');
  const named = systemRows.flatMap(({ programs = [] }) => programs);
  expect([...started].filter((name) => !ofTheSystem.includes(name)).toSorted()).toEqual(named.toSorted());
});

test('a system that no test runs on is nowhere called tested, and what Wine has shown names the specs', () => {
  expect(
    systemRows.filter(
      ({ support: [linux, mac, windows] }) =>
        mac === 'tested' || windows === 'tested' || linux === underWine || mac === underWine,
    ),
  ).toEqual([]);
  for (const {
    support: [, , windows],
    onWine = [],
    part,
  } of systemRows) {
    expect([part, windows === underWine]).toEqual([part, onWine.length > 0]);
    for (const name of onWine) expect(existsSync(join(root, 'e2e', `${name}.spec.ts`)), name).toBe(true);
  }
});
