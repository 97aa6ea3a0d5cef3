import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { filesBelow, packagedFiles, planPackage } from './package-contents.ts';
import { engineFlags } from '../electron/engine/runtime/engine-flags.ts';

/**
 * Makes the archive of the engine for Linux: Node, the built application without Electron, and three commands. It is what a mover gets, and
 * how the command line and the workbench in the browser are installed without a checkout. Beside it: its SHA-256 and a list of what is in it
 * (CycloneDX). `npm run package -- --engine [--arch x64|arm64]`
 */

const commands: Readonly<Record<string, string>> = {
  causeway: 'cli.js',
  'causeway-mover': 'mover.js',
  'causeway-workbench': 'host.js',
};

/** Makes the archive and returns its path. */
export function packageEngine(root: string, arch: 'x64' | 'arm64'): string {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { readonly version: string };
  const name = `causeway-${version}-linux-${arch}`;
  const dist = join(root, 'dist');
  mkdirSync(dist, { recursive: true });
  const work = mkdtempSync(join(tmpdir(), 'causeway-engine-'));
  try {
    const folder = join(work, name);
    copyApplication(root, join(folder, 'app'));
    copyFileSync(nodeBinary(root, arch, work), join(folder, 'node'));
    chmodSync(join(folder, 'node'), 0o755);
    for (const [command, file] of Object.entries(commands)) writeCommand(join(folder, 'bin', command), file);
    const archive = join(dist, `${name}.tar.gz`);
    // The same sources make the same archive: a mover knows an engine by its digest.
    execFileSync('tar', [
      '--sort=name',
      '--mtime=@0',
      '--owner=0',
      '--group=0',
      '--numeric-owner',
      '-I',
      'gzip -n -6',
      '-cf',
      `${archive}.part`,
      '-C',
      work,
      name,
    ]);
    renameSync(`${archive}.part`, archive);
    writeFileSync(
      `${archive}.sha256`,
      `${createHash('sha256').update(readFileSync(archive)).digest('hex')}  ${name}.tar.gz\n`,
    );
    writeFileSync(
      join(dist, `${name}.cdx.json`),
      execFileSync('npm', ['sbom', '--sbom-format', 'cyclonedx', '--omit', 'dev', '--package-lock-only'], {
        cwd: root,
        maxBuffer: 64 * 2 ** 20,
      }),
    );
    return archive;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** What the desktop app packages, without what only Electron runs. */
function copyApplication(root: string, target: string): void {
  const plan = planPackage(root);
  const own = packagedFiles(root);
  const packages = plan.packages.filter((folder) => !/node_modules\/electron(-store)?$/.test(folder));
  for (const path of [
    ...own,
    ...packages.flatMap((folder) => filesBelow(root, folder)).filter(plan.includesOfPackage),
  ]) {
    mkdirSync(dirname(join(target, path)), { recursive: true });
    cpSync(join(root, path), join(target, path), { dereference: true });
  }
  const { name, version, type, license } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Record<
    string,
    string
  >;
  writeFileSync(join(target, 'package.json'), `${JSON.stringify({ name, version, type, license }, undefined, 2)}\n`);
}

/** Node's program for the system: of this installation where it fits, otherwise from its npm package. */
function nodeBinary(root: string, arch: 'x64' | 'arm64', work: string): string {
  const { version } = JSON.parse(readFileSync(join(root, 'node_modules/node/package.json'), 'utf8')) as {
    readonly version: string;
  };
  if (process.platform === 'linux' && process.arch === arch) return process.execPath;
  const archive = execFileSync('npm', ['pack', '--silent', `node-linux-${arch}@${version}`], {
    cwd: work,
    encoding: 'utf8',
  }).trim();
  execFileSync('tar', ['-xzf', archive, 'package/bin/node'], { cwd: work });
  return join(work, 'package/bin/node');
}

function writeCommand(path: string, file: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(
    path,
    `#!/bin/sh\nhere=$(dirname "$(readlink -f "$0")")\nexec "$here/../node" ${engineFlags.join(' ')} "$here/../app/out/main/${file}" "$@"\n`,
  );
  chmodSync(path, 0o755);
}
