import { join } from 'node:path';
import {
  layerSetSchema,
  waveSchema,
  type Defaults,
  type LayerSet,
  type Wave,
} from '../../../shared/environment/layers.ts';
import { namedFiles, readProjectFile, stableText, writeProjectFile, type NamedFiles } from './named-files.ts';

/** What a project's virtual machines have in common: one file for all of them, one for each wave. */
export interface DefaultsFiles {
  project(): LayerSet;
  saveProject(environments: LayerSet): void;
  readonly waves: NamedFiles<Wave>;
  /** The project's and those of all waves, e.g. to read them once for many replicas. */
  all(): Defaults;
}

const damaged = 'engine.defaults-damaged';

export function defaultsFiles(projectFolder: string): DefaultsFiles {
  const path = join(projectFolder, 'defaults.json');
  const project = (): LayerSet => readProjectFile(path, layerSetSchema, damaged) ?? {};
  const waves = namedFiles({ folder: join(projectFolder, 'waves'), schema: waveSchema, damaged, textOf: stableText });
  return {
    project,
    saveProject: (environments) => writeProjectFile(path, stableText(environments)),
    waves,
    all: () => ({ project: project(), waves: waves.list() }),
  };
}
