import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { archiveName } from '../electron/movers/engine-archive.ts';
import { bundledLibraries } from './bundled-libraries.ts';
import { importedPackages, packagesReachedFrom } from './main-process-packages.ts';
import { filesBelow, planPackage } from './package-contents.ts';

const root = join(import.meta.dirname, '..');
const plan = planPackage(root);

test.each([
  'out/main/main.js',
  'out/main/engine.js',
  'out/main/chunks/core-ab12.js',
  'out/preload/preload.cjs',
  'out/renderer/index.html',
  'assets/tray/tray.png',
  'assets/tray/trayTemplate@2x.png',
  'package.json',
  'LICENSE',
])('%s goes into the archive', (path) => {
  expect([plan.includes(path), plan.isUnpacked(path)]).toEqual([true, false]);
});

test.each([
  'out/main/main.js.map',
  'out/.built-main',
  'electron/main.ts',
  'shared/model/vm.ts',
  'renderer/index.html',
  'e2e/rigs/sshd.ts',
  'scripts/test.ts',
  'docs/security.md',
  'package-lock.json',
  '.env',
  'electron-builder.env',
  'electron-builder.yml',
  'assets/icons/icon.ico',
  'assets/worker/tests/test_agent.py',
  'assets/worker/osmorphing/testing/guest.py',
  'assets/worker/osmorphing/__pycache__/a.pyc',
  '.cache/x',
  'dist/old.exe',
])('%s is left out', (path) => {
  expect(plan.includes(path)).toBe(false);
});

test('every program for workers and hosts is unpacked, as it is sent from disk', () => {
  const programs = filesBelow(root, 'assets/worker').filter(
    (path) => !/(\.test\.|\/(tests|testing|__pycache__)\/|\.pyc$)/.test(path),
  );
  expect(programs.length).toBeGreaterThan(10);
  expect(programs.filter((path) => !plan.includes(path) || !plan.isUnpacked(path))).toEqual([]);
});

test('engines for movers go along where they were made, of this version alone, to where the application looks for them', () => {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  for (const system of ['linux-x64', 'linux-arm64']) {
    const name = archiveName(version, system);
    // The folder of resources, beside app.asar, is where the application lies: `join(application, '..')`.
    expect(plan.resourceOf(`dist/${name}`)).toBe(`movers/${name}`);
  }
  for (const other of [
    'causeway-0.0.0-old-linux-x64.tar.gz',
    `causeway-${version}-linux-x64.tar.gz.sha256`,
    `causeway-${version}-linux-x64.tar.gz.part`,
    `causeway-${version}.tgz`,
    'linux-unpacked/causeway-workbench',
  ]) {
    expect([other, plan.resourceOf(`dist/${other}`)]).toEqual([other, undefined]);
  }
});

test('the engine of proxy scripts is unpacked, as a thread loads it from disk', () => {
  const needed = [
    'package.json',
    'quickjs.wasm',
    'dist/index.js',
    'dist/wasi-shim.js',
    'dist/extensions.js',
    'dist/version.js',
  ].map((name) => `node_modules/quickjs-wasi/${name}`);
  expect(
    needed.filter((path) => !existsSync(join(root, path)) || !plan.includesOfPackage(path) || !plan.isUnpacked(path)),
  ).toEqual([]);
});

test('the npm packages that the main process imports go along, with what they bring along, and no others', () => {
  const imported = importedPackages(root);
  expect([...imported]).toEqual(expect.arrayContaining(['ssh2', 'ipaddr.js', 'fast-xml-parser', 'quickjs-wasi']));
  expect(
    [...imported].filter(
      (name) => bundledLibraries(root).includes(name) || !existsSync(join(root, 'node_modules', name)),
    ),
  ).toEqual([]);
  const reached = packagesReachedFrom(root, imported);
  // Those for other systems are not installed here.
  const installed = [...reached].filter((folder) => existsSync(join(root, folder)));
  expect(
    installed.filter((folder) => !plan.packages.includes(folder) || !plan.includesOfPackage(`${folder}/package.json`)),
  ).toEqual([]);
  // To be named in electron-builder.yml: nothing loads them there.
  const useless = plan.packages.filter(
    (folder) => !reached.has(folder) && filesBelow(root, folder).some(plan.includesOfPackage),
  );
  expect(useless).toEqual([]);
});

test('what packages bring along is found where Node would find it', () => {
  expect(packagesReachedFrom(root, ['@nats-io/transport-node'])).toEqual(
    new Set([
      'node_modules/@nats-io/transport-node',
      'node_modules/@nats-io/nats-core',
      'node_modules/@nats-io/nkeys',
      'node_modules/@nats-io/nkeys/node_modules/tweetnacl',
      'node_modules/@nats-io/nuid',
    ]),
  );
});

test('no native code goes along, so that a package for one processor runs on every other', () => {
  const native = plan.packages
    .flatMap((folder) => filesBelow(root, folder))
    .filter((path) => /\.(node|dll|dylib|so|exe)$/.test(path));
  // Some are there, of tools that stay out.
  expect(native).not.toEqual([]);
  expect(native.filter(plan.includesOfPackage)).toEqual([]);
});

test("what is in the bundle stays out: what only the page uses, and the clouds' own libraries with what they bring along", () => {
  expect(bundledLibraries(root)).toEqual(expect.arrayContaining(['@aws-sdk/client-ec2', '@azure/arm-compute', 'zod']));
  for (const name of [
    '@mui/material',
    'react',
    'react-dom',
    '@emotion/react',
    ...bundledLibraries(root),
    '@smithy/core',
    '@azure/core-client',
    '@typespec/ts-http-runtime',
  ])
    expect([name, plan.includesOfPackage(`node_modules/${name}/package.json`)]).toEqual([name, false]);
});
