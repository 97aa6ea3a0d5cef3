import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Writes docs/dependencies.md: every npm package that Causeway uses at run time, from package.json and package-lock.json.
 * A test fails when the page differs from them. Run it after each change of dependencies: `npm run docs:dependencies`.
 */

/** Why each direct dependency is there. The one place for it. */
const purposes: Readonly<Record<string, string>> = {
  '@aws-sdk/client-ebs': 'Reads snapshots block by block through EBS direct APIs.',
  '@aws-sdk/client-ec2': 'Client of the large public cloud: instances, volumes, snapshots.',
  '@aws-sdk/client-sts': 'Names the signed-in identity of the large public cloud, and assumes roles.',
  '@aws-sdk/credential-providers': 'Ways to sign in at the large public cloud: profiles, single sign-on, roles.',
  '@azure/arm-compute': 'Client of the resource-group cloud: virtual machines, disks, snapshots.',
  '@azure/arm-network': 'Client of the resource-group cloud: networks, interfaces, addresses.',
  '@azure/arm-resources': 'Client of the resource-group cloud: resource groups, locations, providers.',
  '@azure/arm-storage': 'Client of the resource-group cloud: storage accounts and their keys.',
  '@azure/identity': 'Ways to sign in at the resource-group cloud.',
  '@azure/msal-node': 'Signs people in at the resource-group cloud by a device code, and renews their tokens.',
  '@azure/storage-blob': 'Reads and writes page blobs, and disks by their signed addresses.',
  '@codemirror/autocomplete': 'Completion in the text editor.',
  '@codemirror/commands': 'Keys, undo and redo of the text editor.',
  '@codemirror/lang-json': 'Reads JSON for the colours of the text editor.',
  '@codemirror/lang-yaml': 'Reads YAML for the colours of the text editor.',
  '@codemirror/language': 'Colours, folding and indentation of the text editor.',
  '@codemirror/lint': 'Shows findings where they stand in a text.',
  '@codemirror/merge': 'Compares two texts side by side.',
  '@codemirror/search': 'Search and replace in the text editor.',
  '@codemirror/state': 'The text editor: its text and changes.',
  '@codemirror/view': 'The text editor of environment documents.',
  '@dagrejs/dagre': 'Places the boxes and lines of the task graph.',
  '@emotion/cache': "Inserts the page's styles with the nonce that the content security policy asks for.",
  '@emotion/react': 'Styling engine of Material UI.',
  '@emotion/styled': 'Styled components of Material UI.',
  '@fontsource-variable/inter':
    'Typeface of the page, bundled: it looks the same on every computer, and nothing is fetched.',
  '@fontsource-variable/jetbrains-mono': 'Typeface of the page for IDs, addresses, keys and code.',
  '@mui/icons-material': 'Icons of the page.',
  '@mui/material': 'Components of the page: tables, forms, dialogs, menus.',
  '@mui/x-charts': 'Draws rates over time, with values that pointer and keyboard can read.',
  '@lezer/highlight': 'Names what the text editor colours.',
  commander: 'Parses the command line and writes its help.',
  conf: 'Keeps settings when the workbench runs in a browser.',
  'electron-store': 'Keeps settings and the place of the window in the desktop app.',
  'fast-xml-parser': 'Reads XML: OVF descriptors, WinRM messages, answers of the virtualization platform.',
  'ipaddr.js': 'Parses and compares IP addresses and networks.',
  'jsonc-parser': 'Changes JSON files without losing comments and order.',
  marked: 'Parses the pages of the manual; the page renders the parts itself.',
  papaparse: 'Reads and writes CSV: inventories, reports.',
  'quickjs-wasi':
    "Evaluates proxy scripts (PAC), which may be anyone's: a JavaScript engine in WebAssembly, with limits of time and memory.",
  react: 'Renders the page.',
  'react-dom': 'Renders the page.',
  'react-hook-form': 'State and validation of forms.',
  'read-excel-file': 'Reads RVTools workbooks (XLSX).',
  ssh2: 'SSH client: connections to workers.',
  '@nats-io/jetstream': 'Streams of NATS: the journals of fleets.',
  '@nats-io/kv': 'Key-value buckets of NATS: which member of a fleet works on which replica.',
  '@nats-io/transport-node': 'Connections to the NATS servers of a fleet.',
  'ssh-config': "Reads the user's configuration of OpenSSH: names, users, ports, jump hosts and keys of movers.",
  ws: "WebSocket between the page and the workbench's server on loopback.",
  yaml: 'Reads and writes environment files, keeping comments and positions.',
  zod: 'Describes and validates every input: environments, API answers, messages between processes.',
};

/** Licences of packages that name them in an old form, which npm leaves out of the lock file (`licenses` in their package.json). */
const licences: Readonly<Record<string, string>> = { buildcheck: 'MIT', 'cpu-features': 'MIT', ssh2: 'MIT' };

/**
 * Where a library could stand in for code of this project, what was decided, and why. The numbers of the table come from
 * `npm run bench -- tables`; sizes are of the built page, minified / compressed.
 */
const weighed = `| For | Decision | Why |
|---|---|---|
| Task graph | Library: @dagrejs/dagre | Lines no longer cross boxes of rows that they pass, and parallel chains stay straight. A row is still what can start at the same time. Leaving out redundant lines and folding a long chain stay here: the library does neither. 50 / 17 kB, loaded when somebody opens the graph. |
| Rate over time | Library: @mui/x-charts | Each value can be read with the pointer and with the arrow keys, and screen readers get it; the drawing before was one picture with a summary. Times on the axis. Works under the content security policy. 305 / 93 kB, loaded with the first execution that somebody opens: the start of the page does not grow. Costs 12 ms of processor time per new value instead of 5, at most once a second. Scale and gaps stay here. |
| Large tables | Own: \`renderer/components/paged-table.tsx\` | @mui/x-data-grid 9.14 (free version) with 10,000 rows, 50 a page, grid / own: processor time until the first rows 1.24, scrolling 4.4, sorting 0.96, next page 0.80, typing into the search 1.09; memory 1.27; elements 0.59; no axe findings in either; 54 Tab stops against 59. It adds 431 / 126 kB to screens that are the start of most work. It draws few elements only inside a box of fixed height with its own scroll bar; as tall as its rows it needs 1.4 times the time for the first rows and 1.7 for typing. Find in page misses rows out of sight. Its free version has no more than 100 rows per page, as here. |
| Text editor of environment documents | Library: CodeMirror 6 | Monaco needs workers from blobs and writes styles without the nonce: the content security policy would have to be opened. CodeMirror takes the nonce. 457 / 148 kB, loaded with the first text that somebody edits. The start of the page grew from 2,382 to 2,393 kB (11 / 2 kB) by the texts around it. Completion, explanations and findings come from the plugins' schemas and the checks here; a language server of its own is not needed. |
| Week of a bandwidth profile, progress bars | Own | A few rectangles with words; no chart type of the library fits. |
| SOCKS 5 | Own: \`electron/engine/http/proxy-connection.ts\` | The library socks hands on what a server says first, as SSH servers do, by an event that a reader of the stream misses. The protocol is three messages. |
| Mail (SMTP) | Own: \`electron/engine/notifications/\` | Plain text to one server, with STARTTLS, a pinned certificate and the proxies in effect: a dozen commands. nodemailer (MIT-0) does far more, e.g. attachments, pools and OAuth, which would be brought in and kept up for nothing. |
| IP addresses and networks | Library: ipaddr.js | Parsing of all written forms, and of networks, is easy to get wrong. |
`;

/** What is read of a package in package-lock.json. */
interface Locked {
  readonly version: string;
  readonly license?: string;
  readonly hasInstallScript?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}
interface Lock {
  readonly packages: Readonly<Record<string, Locked>>;
}

/** The page for these two files. Throws when a direct dependency has no purpose, or a purpose no dependency. */
export function dependenciesPage(
  manifest: { readonly dependencies: Readonly<Record<string, string>> },
  { packages }: Lock,
): string {
  const direct = Object.keys(manifest.dependencies);
  const unexplained = direct.filter((name) => purposes[name] === undefined);
  const unused = Object.keys(purposes).filter((name) => !direct.includes(name));
  if (unexplained.length + unused.length > 0) {
    throw new Error(
      `purposes in scripts/dependencies.ts: missing for ${unexplained.join(', ') || 'none'}; without a dependency: ${unused.join(', ') || 'none'}`,
    );
  }
  const broughtBy = new Map<string, Set<string>>();
  for (const name of direct) walk(`node_modules/${name}`, name);

  function walk(place: string, root: string): void {
    const roots = broughtBy.get(place) ?? new Set();
    if (roots.has(root)) return;
    broughtBy.set(place, roots.add(root));
    const { dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta } = packages[place] ?? {};
    const peers = Object.keys(peerDependencies ?? {}).filter((name) => peerDependenciesMeta?.[name]?.optional !== true);
    for (const name of [...Object.keys({ ...dependencies, ...optionalDependencies }), ...peers]) {
      const found = resolve(name, place);
      if (found !== undefined) walk(found, root);
    }
  }
  /** As Node does: the nearest node_modules folder, outwards. */
  function resolve(name: string, from: string): string | undefined {
    for (
      let folder = from;
      folder !== '';
      folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))
    ) {
      const place = `${folder}/node_modules/${name}`;
      if (packages[place] !== undefined) return place;
    }
    return packages[`node_modules/${name}`] === undefined ? undefined : `node_modules/${name}`;
  }

  const nameOf = (place: string): string => place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length);
  const facts = (place: string): string => {
    const { version, license = licences[nameOf(place)] ?? 'not given', hasInstallScript = false } = packages[place]!;
    return `${version} | ${license} | ${hasInstallScript ? '**yes**' : 'no'}`;
  };
  const isDirect = (place: string): boolean =>
    direct.includes(nameOf(place)) && place === `node_modules/${nameOf(place)}`;
  const rows = (places: readonly string[], last: (place: string) => string): string =>
    places
      .toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))
      .map((place) => `| ${nameOf(place)} | ${facts(place)} | ${last(place)} |\n`)
      .join('');
  const all = [...broughtBy.keys()];
  const transitive = all.filter((place) => !isDirect(place));
  const heading = (last: string): string =>
    `| Package | Version | Licence | Install script | ${last} |\n|---|---|---|---|---|\n`;
  return `# Dependencies

<!-- Written by scripts/dependencies.ts. Change it there, then run: npm run docs:dependencies -->

What Causeway uses at run time, ${direct.length} npm packages and the ${transitive.length} that they bring. Versions are those of package-lock.json. An install
script runs once, when npm installs the package: ssh2 and cpu-features try to build faster native code and work without it.
Tools for development, building and tests are in package.json and not part of the application; Electron is the runtime of the desktop app.

## Direct

${heading('Used for')}${rows(all.filter(isDirect), (place) => purposes[nameOf(place)]!)}
## Library or own code

${weighed}
## Brought by them

${heading('Brought by')}${rows(transitive, (place) => [...broughtBy.get(place)!].toSorted().join(', '))}`;
}

/** The page as it should be now. */
export function currentPage(root: string): string {
  const read = (name: string): unknown => JSON.parse(readFileSync(join(root, name), 'utf8'));
  return dependenciesPage(
    read('package.json') as { dependencies: Record<string, string> },
    read('package-lock.json') as Lock,
  );
}

if (import.meta.main) {
  const root = join(import.meta.dirname, '..');
  writeFileSync(join(root, 'docs', 'dependencies.md'), currentPage(root));
}
