import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { corpus, corpusBuses } from '../../e2e/rigs/guests/corpus.ts';
import { corpusResultsSchema, type CorpusResults } from '../../e2e/rigs/guests/corpus-results.ts';
import { guestLayouts } from '../../e2e/rigs/guests/layouts.ts';
import { markdownTable } from './generated-block.ts';

const resultFile = 'docs/results/guests.json';
const titles: Readonly<Record<(typeof corpusBuses)[number], string>> = {
  scsi: 'VirtIO SCSI',
  virtio: 'VirtIO block',
  ide: 'IDE',
  sata: 'SATA',
};
/** Those that are moved from another hypervisor than the rest have a spec of their own. */
const layouts = Object.entries(guestLayouts).filter(([name]) => name !== 'generation2');

/** Every guest of the corpus with what came of it on each bus; what was not run is said to be. */
export function corpusTable({ guests }: Pick<CorpusResults, 'guests'>): string {
  const known = [
    ...Object.entries(corpus).map(([name, { about, refused }]) => ({ name, about, refused })),
    ...layouts.map(([name, { about }]) => ({ name: `layout ${name}`, about, refused: undefined })),
  ];
  const rows = known.map(({ name, about, refused }) => {
    const found = guests[name];
    const outcome =
      found === undefined
        ? 'not run'
        : found.prepared === refused
          ? `refused, as it should be (\`${refused}\`)`
          : found.prepared === 'prepared'
            ? 'yes'
            : `**no** (\`${found.prepared}\`)`;
    const cells = corpusBuses.map((bus) => {
      const came = found?.buses[bus];
      if (refused !== undefined) return '–';
      return came === undefined ? 'not run' : came === 'booted' ? 'yes' : '**no**';
    });
    return [`\`${name}\``, about, outcome, ...cells];
  });
  return markdownTable(['Guest', 'What it is', 'Prepared', ...corpusBuses.map((bus) => titles[bus])], rows);
}

/** What came of all guests of the corpus in one line, which has no result as one run. */
export function corpusInParts(results: Pick<CorpusResults, 'date' | 'guests'> | undefined): string {
  if (results === undefined) return 'none on record';
  const guests = Object.entries(corpus).map(([name, { refused }]) => ({ refused, found: results.guests[name] }));
  const right = guests.filter(({ refused, found }) => found?.prepared === (refused ?? 'prepared')).length;
  const starts = guests
    .filter(({ refused }) => refused === undefined)
    .flatMap(({ found }) => corpusBuses.map((bus) => found?.buses[bus]));
  const failed = starts.filter((came) => came !== undefined && came !== 'booted').length;
  const answered = `${starts.filter((came) => came === 'booted').length} of ${starts.length} starts answered`;
  return `run in parts, last ${results.date.slice(0, 10)}: ${right} of ${guests.length} guests prepared or refused as they should be, ${answered}${failed === 0 ? '' : `, **${failed} failed**`}`;
}

/** What is on record of the corpus. */
export function corpusResults(root: string): CorpusResults | undefined {
  const file = join(root, resultFile);
  return existsSync(file) ? corpusResultsSchema.parse(JSON.parse(readFileSync(file, 'utf8'))) : undefined;
}

/** The section of the support matrix. */
export function corpusText(root: string): string {
  const results = corpusResults(root);
  return [
    `Guests of Debian's archive, each made without drivers of VirtIO, prepared, and started on QEMU${results === undefined || results.emulators.length === 0 ? '' : ` ${results.emulators.join(' or ')}`} with its disk on each bus (\`npm run test:guests\`, ${results === undefined ? 'no result on record' : `last ${results.date.slice(0, 10)}`}). *yes*: it answered SSH`,
    'with its own host key, its data were whole, and the driver of that bus drove its disk. Layouts of several disks are started on VirtIO block alone.',
    '',
    corpusTable(results ?? { guests: {} }),
  ].join('\n');
}
