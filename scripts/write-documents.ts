import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { errorSections, findingSections } from './documents/failure-texts.ts';
import { withBlock } from './documents/generated-block.ts';
import { performancePictures, performanceText } from './documents/performance.ts';
import { pluginList, pluginPages } from './documents/plugin-pages.ts';
import { promiseTables } from './documents/promises.ts';
import { systemsTable } from './documents/systems.ts';
import { wholeDeployment, wholeExecution } from './documents/task-graphs.ts';
import { ownVmTable } from './documents/own-vms.ts';
import { wallsTable } from './documents/walls.ts';
import { documentSchemaText } from '../shared/plugins/render/document-schema.ts';
import { currentMatrix, currentSummary } from './support-matrix.ts';

/**
 * Writes the generated parts of the pages in docs/. A test fails when a page differs from the code: then run `npm run docs`.
 */

/** Page → name of a generated part → what writes it. */
export const generated: Readonly<Record<string, Readonly<Record<string, () => string>>>> = {
  'README.md': { support: () => currentSummary(join(import.meta.dirname, '..')), systems: systemsTable },
  'docs/architecture.md': { walls: wallsTable },
  'docs/manual/movers.md': { 'own-vm': ownVmTable },
  'docs/one-execution.md': { execution: wholeExecution, deployment: wholeDeployment },
  'docs/manual/README.md': { plugins: pluginList },
  'docs/manual/when-something-fails.md': { errors: errorSections, findings: findingSections },
  'docs/performance.md': { results: () => performanceText(join(import.meta.dirname, '..')) },
  'docs/promises.md': { promises: promiseTables },
  'docs/support-matrix.md': { matrix: () => currentMatrix(join(import.meta.dirname, '..')) },
};

/** Pages that are generated as a whole → what writes them. */
export const generatedPages: Readonly<Record<string, () => string>> = {
  ...pluginPages,
  ...performancePictures(join(import.meta.dirname, '..')),
  'docs/schemas/environment.schema.json': documentSchemaText,
};

/** A page as it should be now. */
export function currentPage(root: string, page: string): string {
  const whole = generatedPages[page];
  if (whole !== undefined) return whole();
  return Object.entries(generated[page] ?? {}).reduce(
    (text, [name, write]) => withBlock(text, name, write()),
    readFileSync(join(root, page), 'utf8'),
  );
}

if (import.meta.main) {
  const root = join(import.meta.dirname, '..');
  for (const page of [...Object.keys(generated), ...Object.keys(generatedPages)]) {
    mkdirSync(dirname(join(root, page)), { recursive: true });
    writeFileSync(join(root, page), currentPage(root, page));
  }
}
