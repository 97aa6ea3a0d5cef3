import type { Replica } from '../../../../shared/model/replica.ts';
import { inSlices } from '../../concurrency/in-slices.ts';
import { defaultsFiles } from '../../project-files/defaults-files.ts';
import type { Handler } from '../core-context.ts';
import { projectFolderOf } from '../replica-environments.ts';
import { forOnePass } from '../trust/accepted-endpoints.ts';
import { readinessFindings } from '../waves/readiness.ts';

/** What is found is kept until something changes that the rules read, so that only the first call takes long. */
export const replicaReadiness: Handler<'replica.readiness'> = async (core, _nothing, signal) => {
  await core.accepted.load(core.store.endpoints.list());
  const defaults = defaultsFiles(projectFolderOf(core)).all();
  const found: { replicaId: string; errors: number; warnings: number; code: string; message: string }[] = [];
  const look = () => {
    const pass = forOnePass(core);
    return (replica: Replica): void => {
      const findings = readinessFindings(pass, replica, defaults).filter(({ severity }) => severity !== 'info');
      const errors = findings.filter(({ severity }) => severity === 'error');
      const first = errors[0] ?? findings[0];
      if (first !== undefined)
        found.push({
          replicaId: replica.id,
          errors: errors.length,
          warnings: findings.length - errors.length,
          code: first.code,
          message: first.message,
        });
    };
  };
  await inSlices(core.store.replicas.list(), look, signal);
  return found;
};
