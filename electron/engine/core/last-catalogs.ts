import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { catalogSchema, type Catalog } from '../../../shared/model/catalog.ts';
import { writeProjectFile } from '../project-files/named-files.ts';
import type { CoreContext } from './core-context.ts';

/** The last catalog of each destination, so that there are choices without a network. */
function pathOf({ stateFolder }: Pick<CoreContext, 'stateFolder'>, endpointId: string): string {
  return join(stateFolder, 'catalogs', `${endpointId}.json`);
}

export function keepCatalog(core: Pick<CoreContext, 'stateFolder'>, endpointId: string, catalog: Catalog): void {
  writeProjectFile(pathOf(core, endpointId), `${JSON.stringify(catalog)}\n`);
}

/** Undefined if there is none. A damaged one is ignored: it is only a copy. */
export function lastCatalog(core: Pick<CoreContext, 'stateFolder'>, endpointId: string): Catalog | undefined {
  const path = pathOf(core, endpointId);
  if (!existsSync(path)) return undefined;
  try {
    return catalogSchema.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    return undefined;
  }
}
