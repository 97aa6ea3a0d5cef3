import { readFileSync } from 'node:fs';
import { basename, isAbsolute, join, resolve } from 'node:path';
import { parse, stringify } from 'yaml';
import { z } from 'zod';
import type { Project } from '../../shared/contract/shell.ts';
import { createProjectFile, hasContent } from '../engine/project-files/named-files.ts';
import { projectTrust } from '../engine/trust/trusted-projects.ts';
import { CausewayError } from '../../shared/model/causeway-error.ts';

/** The file that makes a folder a project. People share it; it says nothing about one computer. */
const fileName = 'causeway.yaml';
const contentSchema = z.looseObject({ name: z.string().trim().min(1).max(100) });

/** @throws CausewayError `general.invalid-input` when the folder is no project or its file is damaged */
export function readProject(folder: string): Project {
  const path = join(absolute(folder), fileName);
  if (!hasContent(path))
    throw new CausewayError('general.invalid-input', `${folder} is not a project: it has no ${fileName}`);
  const content = contentSchema.safeParse(parsed(path));
  if (!content.success) throw new CausewayError('general.invalid-input', `${path} does not contain a project name`);
  return { folder: absolute(folder), name: content.data.name };
}

/** Makes the folder where needed. A folder that is a project already is refused, so that nothing is overwritten. */
export function createProject(folder: string, name: string): Project {
  const path = join(absolute(folder), fileName);
  if (!createProjectFile(path, stringify({ name })))
    throw new CausewayError('general.invalid-input', `${folder} is already a project: open it instead`);
  // Whoever makes a project trusts it; endpoints that already lie in the folder still ask.
  projectTrust(absolute(folder)).accept();
  return { folder: absolute(folder), name };
}

/**
 * Names a project that the command line made, so that the workbench opens it as well. A name that is there stays. Commands don't
 * need it: on a full disk or in a folder that is read only they still list, cancel and remove. The next command tries again.
 */
export function ensureProjectFile(folder: string): void {
  try {
    createProjectFile(join(folder, fileName), stringify({ name: basename(folder).trim().slice(0, 100) || 'Project' }));
  } catch {
    // The workbench says that the folder is no project yet.
  }
}

function parsed(path: string): unknown {
  try {
    return parse(readFileSync(path, 'utf8'));
  } catch (cause) {
    throw new CausewayError(
      'general.invalid-input',
      `${basename(path)} could not be read: ${cause instanceof Error ? cause.message : ''}`,
      { cause },
    );
  }
}

function absolute(folder: string): string {
  if (!isAbsolute(folder)) throw new CausewayError('general.invalid-input', `"${folder}" is not an absolute path`);
  return resolve(folder);
}
