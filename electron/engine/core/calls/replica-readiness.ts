import { setImmediate as othersFirst } from 'node:timers/promises';
import { defaultsFiles } from '../../project-files/defaults-files.ts';
import type { Handler } from '../core-context.ts';
import { projectFolderOf } from '../replica-environments.ts';
import { readinessFindings } from '../waves/readiness.ts';

/** So many are checked without a pause: some milliseconds. */
const atOnce = 20;

/** What is found is kept until something changes that the rules read, so that only the first call takes long. */
export const replicaReadiness: Handler<'replica.readiness'> = async (core, _nothing, signal) => {
  await core.accepted.load(core.store.endpoints.list());
  const files = defaultsFiles(projectFolderOf(core));
  const defaults = { project: files.project(), waves: files.waves.list() };
  const found: { replicaId: string; errors: number; warnings: number; message: string }[] = [];
  for (const [index, replica] of core.store.replicas.list().entries()) {
    if (index % atOnce === atOnce - 1) {
      await othersFirst();
      signal.throwIfAborted();
    }
    const findings = readinessFindings(core, replica, defaults).filter(({ severity }) => severity !== 'info');
    const errors = findings.filter(({ severity }) => severity === 'error');
    if (findings.length > 0) found.push({ replicaId: replica.id, errors: errors.length, warnings: findings.length - errors.length, message: (errors[0] ?? findings[0]!).message });
  }
  return found;
};
