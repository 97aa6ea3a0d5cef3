import { globSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { bundledLibraries } from './bundled-libraries.ts';

interface Locked {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

/** The npm packages that the main process, the engine and the command line import, and that are in no bundle. */
export function importedPackages(root: string): ReadonlySet<string> {
  const bundled = bundledLibraries(root);
  // Loaded by its place on disk.
  const imported = new Set<string>(['quickjs-wasi']);
  for (const path of globSync('{electron,shared}/**/*.ts', { cwd: root })) {
    if (/\.test\.ts$|[\\/]testing[\\/]/.test(path)) continue;
    const text = readFileSync(join(root, path), 'utf8').replaceAll(/^(?:import|export) type [^;]*;$/gm, '');
    for (const [, from = ''] of text.matchAll(/(?:\bfrom |^import |\bimport\()'([^'.][^']*)'/gm)) {
      const name = /^(?:@[^/]+\/)?[^/]+/.exec(from)?.[0] ?? '';
      // Electron is the runtime.
      if (!isBuiltin(from) && name !== 'electron' && !bundled.includes(name)) imported.add(name);
    }
  }
  return imported;
}

/** Folders of these packages and of all that they bring along, relative to the root, as package-lock.json places them. */
export function packagesReachedFrom(root: string, names: Iterable<string>): ReadonlySet<string> {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, Locked>>;
  };
  const reached = new Set<string>();
  /** As Node looks for it: beside the one who asks, then in each folder above. */
  const placeOf = (from: string, name: string): string | undefined => {
    for (let at = from; ; at = at.includes('/node_modules/') ? at.slice(0, at.lastIndexOf('/node_modules/')) : '') {
      const place = `${at === '' ? '' : `${at}/`}node_modules/${name}`;
      if (packages[place] !== undefined) return place;
      if (at === '') return undefined;
    }
  };
  const visit = (place: string | undefined): void => {
    if (place === undefined || reached.has(place)) return;
    reached.add(place);
    const {
      dependencies = {},
      optionalDependencies = {},
      peerDependencies = {},
      peerDependenciesMeta = {},
    } = packages[place]!;
    const peers = Object.keys(peerDependencies).filter((name) => peerDependenciesMeta[name]?.optional !== true);
    for (const name of [...Object.keys(dependencies), ...Object.keys(optionalDependencies), ...peers])
      visit(placeOf(place, name));
  };
  for (const name of names) visit(placeOf('', name));
  return reached;
}
