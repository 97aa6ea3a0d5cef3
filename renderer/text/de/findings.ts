import type { FindingWords } from '../catalogue.ts';
import type { GermanFinding } from './finding-row.ts';
import { fileFindings } from './findings-files.ts';
import { networkFindings } from './findings-networks.ts';
import { onlineFindings } from './findings-online.ts';
import { serverFindings } from './findings-server.ts';
import { shapeFindings } from './findings-shape.ts';
import { storageFindings } from './findings-storage.ts';
import { vmFindings } from './findings-vm.ts';
import { workerFindings } from './findings-workers.ts';

/** German texts of findings, by the names of their rules. A rule that is not here is shown in English. */
export const germanFindings: ReadonlyMap<string, FindingWords> = new Map(
  [
    fileFindings,
    shapeFindings,
    vmFindings,
    networkFindings,
    storageFindings,
    workerFindings,
    serverFindings,
    onlineFindings,
  ]
    .flatMap((rows) => Object.entries<GermanFinding>(rows))
    .map(([name, [title, cause, remedy]]) => [name, { title, cause, remedy }]),
);

export function germanFindingWords(name: string, english: FindingWords): FindingWords {
  return germanFindings.get(name) ?? english;
}
