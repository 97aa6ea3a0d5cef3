import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, relative, sep } from 'node:path';
import { parse } from 'yaml';

/**
 * What a package will contain, without making one: the builder's own matchers decide, by electron-builder.yml. Prints what goes
 * into the archive (app.asar) and what is unpacked beside it. `--list` names every file.
 */

/** The part of the builder's internals that decides. They come with the exact version in package-lock.json. */
interface FileMatcher {
  readonly from: string;
  readonly to: string;
  createFilter(): (path: string, stat: { isDirectory(): boolean }) => boolean;
}
interface FileMatchers {
  getMainFileMatchers(
    appDir: string,
    to: string,
    expand: (text: string) => string,
    options: object,
    packager: object,
    outDir: string,
    isCompiled: boolean,
  ): FileMatcher[];
  getNodeModuleFileMatcher(
    appDir: string,
    to: string,
    expand: (text: string) => string,
    options: object,
    packager: object,
  ): FileMatcher;
  getFileMatchers(config: object, name: string, to: string, options: object): FileMatcher[] | null;
}

interface BuilderConfig {
  readonly directories: { readonly output: string; readonly buildResources: string };
}

export interface PackagePlan {
  /** Folders of the npm packages that go along, relative to the root. */
  readonly packages: readonly string[];
  /** Whether a file of the project, npm packages aside, is packaged. It need not exist. */
  includes(path: string): boolean;
  /** Whether a file of an npm package that goes along is packaged. */
  includesOfPackage(path: string): boolean;
  /** Whether a packaged file lies beside the archive, where other programs can read it. */
  isUnpacked(path: string): boolean;
  /** Where a file that is taken along beside the archive, unchanged, lies in the folder of resources; undefined for all others. It need not exist. */
  resourceOf(path: string): string | undefined;
}

const aFile = { isDirectory: () => false };
/** The builder unpacks packages with such files by itself. */
const nativeFile = /\.(dll|exe|dylib|so|node)$/;

export function planPackage(root: string): PackagePlan {
  const config = parse(readFileSync(join(root, 'electron-builder.yml'), 'utf8')) as BuilderConfig;
  const matchers = createRequire(import.meta.url)(
    join(root, 'node_modules/app-builder-lib/out/fileMatcher.js'),
  ) as FileMatchers;
  const to = join(root, config.directories.output, 'planned');
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { readonly version: string };
  const expand = (text: string): string => text.replaceAll('${version}', version);
  const info = {
    projectDir: root,
    buildResourcesDir: config.directories.buildResources,
    isPrepackedAppAsar: false,
    config,
    debugLogger: { isEnabled: false },
  };
  const [main] = matchers.getMainFileMatchers(
    root,
    to,
    expand,
    {},
    { info },
    join(root, config.directories.output),
    false,
  );
  const ofPackages = matchers.getNodeModuleFileMatcher(root, to, expand, {}, info).createFilter();
  const options = {
    macroExpander: expand,
    customBuildOptions: {},
    globalOutDir: join(root, config.directories.output),
    defaultSrc: root,
  };
  const [unpacked] = matchers.getFileMatchers(config, 'asarUnpack', to, options) ?? [];
  const resources = matchers.getFileMatchers(config, 'extraResources', to, options) ?? [];
  const files = main!.createFilter();
  const unpack = unpacked?.createFilter();
  return {
    packages: productionPackages(root),
    includes: (path) => files(join(root, path), aFile),
    includesOfPackage: (path) => ofPackages(join(root, path), aFile),
    isUnpacked: (path) => nativeFile.test(path) || unpack?.(join(root, path), aFile) === true,
    resourceOf(path) {
      const matcher = resources.find(({ from }) => !relative(from, join(root, path)).startsWith('..'));
      if (matcher?.createFilter()(join(root, path), aFile) !== true) return undefined;
      return join(relative(to, matcher.to), relative(matcher.from, join(root, path)))
        .split(sep)
        .join('/');
    },
  };
}

/** Those that package-lock.json installs without development, as far as this system has them. */
function productionPackages(root: string): string[] {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, { readonly dev?: boolean }>>;
  };
  return Object.entries(packages)
    .filter(([folder, { dev }]) => folder.startsWith('node_modules/') && dev !== true && existsSync(join(root, folder)))
    .map(([folder]) => folder);
}

/** Every file below a folder, without the npm packages inside of it. */
export function filesBelow(root: string, folder: string): string[] {
  const found: string[] = [];
  const walk = (path: string): void => {
    for (const entry of readdirSync(path, { withFileTypes: true })) {
      const inside = join(path, entry.name);
      if (entry.isDirectory()) {
        if (entry.name !== 'node_modules') walk(inside);
      } else found.push(relative(root, inside).split(sep).join('/'));
    }
  };
  if (existsSync(join(root, folder))) walk(join(root, folder));
  return found;
}

/** The project's own files of a package without Electron, relative to the root. */
export function packagedFiles(root: string): string[] {
  const plan = planPackage(root);
  return [...filesBelow(root, 'out'), ...filesBelow(root, 'assets'), 'LICENSE'].filter(
    (path) => existsSync(join(root, path)) && plan.includes(path) && !path.startsWith('out/preload/'),
  );
}

function printPlan(root: string, isWhole: boolean): void {
  const plan = planPackage(root);
  const own = [...filesBelow(root, 'out'), ...filesBelow(root, 'assets'), 'package.json', 'LICENSE'].filter(
    (path) => existsSync(join(root, path)) && plan.includes(path),
  );
  const ofPackages = plan.packages.flatMap((folder) => filesBelow(root, folder)).filter(plan.includesOfPackage);
  const all = [...own, ...ofPackages];
  const [beside, inside] = [all.filter(plan.isUnpacked), all.filter((path) => !plan.isUnpacked(path))];
  for (const [title, paths] of [
    ['In the archive (app.asar)', inside],
    ['Unpacked beside it (app.asar.unpacked)', beside],
  ] as const) {
    const sizes = new Map<string, { files: number; bytes: number }>();
    for (const path of paths) {
      const part = path.startsWith('node_modules/')
        ? (/^node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? path)
        : path.split('/').slice(0, 2).join('/');
      const size = sizes.get(part) ?? { files: 0, bytes: 0 };
      sizes.set(part, { files: size.files + 1, bytes: size.bytes + statSync(join(root, path)).size });
    }
    const total = [...sizes.values()].reduce((sum, { bytes }) => sum + bytes, 0);
    console.log(`${title}: ${paths.length} files, ${mebibytes(total)}`);
    if (isWhole) for (const path of paths.toSorted()) console.log(`  ${path}`);
    else
      for (const [part, { files, bytes }] of [...sizes].toSorted(([, one], [, other]) => other.bytes - one.bytes))
        console.log(`  ${mebibytes(bytes).padStart(10)}  ${part} (${files})`);
  }
  if (!existsSync(join(root, 'out', 'main', 'main.js')))
    console.log('The application is not built: run npm run build first.');
}

function mebibytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(2)} MiB`;
}

if (import.meta.main) printPlan(join(import.meta.dirname, '..'), process.argv.includes('--list'));
