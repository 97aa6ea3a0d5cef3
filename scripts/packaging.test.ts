import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { bundledLibraries } from './bundled-libraries.ts';
import { builderArguments, packagingProblems } from './package.ts';

const root = join(import.meta.dirname, '..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const schema = JSON.parse(read('node_modules/app-builder-lib/scheme.json')) as {
  definitions: { FuseOptionsV1: { properties: Record<string, unknown> } };
};
const { dependencies } = JSON.parse(read('package.json')) as { dependencies: Record<string, string> };

interface Config {
  files: string[];
  asarUnpack: string[];
  electronFuses: Record<string, boolean>;
  [key: string]: unknown;
}
const config = (): Config => parse(read('electron-builder.yml')) as Config;
// The schema has formats and keywords of its own makers: they describe, and need not be known.
const accepts = new Ajv({ strict: false, validateFormats: false, logger: false }).compile(schema);

describe('the configuration of the packages', () => {
  test('is what the builder understands', () => {
    accepts(config());
    expect(accepts.errors ?? []).toEqual([]);
  });

  test.each([
    ['a misspelt key', (it: Config) => (it['asarUnpacked'] = [])],
    ['a misspelt fuse', (it: Config) => (it.electronFuses['runAsNodes'] = false)],
    ['a fuse that is no switch', (it: Config) => (it.electronFuses['runAsNode'] = 'off' as never)],
    ['a misspelt key below', (it: Config) => (it['nsis'] = { oneClik: false })],
    ['a target that is none', (it: Config) => (it['linux'] = { target: 42 })],
  ])('would not pass with %s', (_what, spoil) => {
    const spoilt = config();
    spoil(spoilt);
    expect(accepts(spoilt)).toBe(false);
  });

  test('sets every fuse that there is, each to the closed side; there are no cookies to encrypt', () => {
    const { electronFuses } = config();
    expect(Object.keys(electronFuses).sort()).toEqual(Object.keys(schema.definitions.FuseOptionsV1.properties).sort());
    expect(
      Object.entries(electronFuses)
        .filter(([, isOn]) => isOn)
        .map(([name]) => name)
        .sort(),
    ).toEqual(['enableEmbeddedAsarIntegrityValidation', 'onlyLoadAppFromAsar', 'resetAdHocDarwinSignature']);
  });

  test('builds an installer for each system, with icons that are there', () => {
    const { win, mac, linux } = config() as unknown as Record<
      string,
      { target: (string | { target: string; arch: string[] })[]; icon: string }
    >;
    expect([win!.target, mac!.target, linux!.target].flat()).toEqual([
      'nsis',
      'appx',
      { target: 'dmg', arch: ['universal'] },
      'AppImage',
      'deb',
    ]);
    for (const { icon } of [win!, mac!, linux!]) expect(existsSync(join(root, icon)), icon).toBe(true);
    expect(readFileSync(join(root, win!.icon)).subarray(0, 4)).toEqual(Buffer.from([0, 0, 1, 0]));
    expect(readFileSync(join(root, mac!.icon)).subarray(0, 4).toString()).toBe('icns');
    // The builder takes sizes of Linux icons from their names.
    const names = globSync('*.png', { cwd: join(root, linux!.icon) });
    expect(names).toEqual(
      expect.arrayContaining(['16x16.png', '32x32.png', '48x48.png', '128x128.png', '256x256.png', '512x512.png']),
    );
    for (const name of names)
      expect(
        `${readFileSync(join(root, linux!.icon, name)).readUInt32BE(16)}x${readFileSync(join(root, linux!.icon, name)).readUInt32BE(20)}.png`,
      ).toBe(name);
  });

  test('tells macOS why it connects to the own network, without which such connections fail', () => {
    expect(config()['mac']).toMatchObject({
      hardenedRuntime: true,
      extendInfo: { NSLocalNetworkUsageDescription: expect.stringMatching(/\.$/) as string },
    });
  });

  test('keeps App Nap of macOS away from an app that waits for the begin of a wave', () => {
    expect(config()['mac']).toMatchObject({ extendInfo: { NSAppSleepDisabled: true } });
  });

  test('leaves out no package that the main process loads, but for those in its bundle', () => {
    const excluded = config()
      .files.filter((pattern) => pattern.startsWith('!node_modules/{'))
      .flatMap((pattern) => pattern.slice('!node_modules/{'.length, pattern.indexOf('}')).split(','));
    const bundled = bundledLibraries(root);
    const left = Object.keys(dependencies).filter(
      (name) => !bundled.includes(name) && excluded.some((each) => name === each || name.startsWith(`${each}/`)),
    );
    const importers = globSync('{electron,shared}/**/*.ts', { cwd: root }).filter((path) => !path.endsWith('.test.ts'));
    expect(left.length).toBeGreaterThan(0);
    for (const name of left) {
      expect(
        importers.filter((path) => new RegExp(`from '${name}['/]`).test(read(path))),
        name,
      ).toEqual([]);
    }
  });

  test("takes the worker's programs along, unpacked", () => {
    expect(config().files).toContain('assets/worker/**');
    expect(config().asarUnpack).toContain('assets/worker/**');
  });
});

describe('the variables of a company', () => {
  test('give the packages an update feed, in a form that the builder understands, and never upload anything', () => {
    const given = builderArguments(['--linux'], { CAUSEWAY_UPDATE_FEED: 'https://updates.example/causeway' });
    expect(given).toEqual([
      '--linux',
      '--publish',
      'never',
      '-c.publish.provider=generic',
      '-c.publish.url=https://updates.example/causeway',
    ]);
    const changed = config();
    changed['publish'] = Object.fromEntries(
      given.slice(3).map((argument) => argument.replace('-c.publish.', '').split('=')) as [string, string][],
    );
    accepts(changed);
    expect(accepts.errors ?? []).toEqual([]);
    expect(builderArguments([], {})).toEqual(['--publish', 'never']);
  });

  test.each([
    [{}, []],
    [
      { CAUSEWAY_UPDATE_FEED: 'http://updates.example' },
      ['CAUSEWAY_UPDATE_FEED must be an https:// address without user, query and fragment'],
    ],
    [
      { CAUSEWAY_UPDATE_FEED: 'https://me:word@updates.example' },
      ['CAUSEWAY_UPDATE_FEED must be an https:// address without user, query and fragment'],
    ],
    [
      { CSC_LINK: 'x', CSC_KEY_PASSWORD: 'y', APPLE_API_KEY: 'z' },
      ['APPLE_API_KEY is set without APPLE_API_KEY_ID', 'APPLE_API_KEY is set without APPLE_API_ISSUER'],
    ],
    [{ WIN_CSC_KEY_PASSWORD: 'y' }, ['WIN_CSC_KEY_PASSWORD is set without WIN_CSC_LINK']],
  ])('%j: %j', (environment, problems) => expect(packagingProblems(environment)).toEqual(problems));

  test('are all in the documentation', () => {
    const page = read('docs/packaging.md');
    for (const name of [
      'CAUSEWAY_UPDATE_FEED',
      'WIN_CSC_LINK',
      'WIN_CSC_KEY_PASSWORD',
      'CSC_LINK',
      'CSC_KEY_PASSWORD',
      'APPLE_API_KEY',
      'APPLE_API_KEY_ID',
      'APPLE_API_ISSUER',
    ])
      expect(page).toContain(`\`${name}\``);
  });
});
