import type { DeploymentDetail, DeploymentOptions } from '../../../shared/model/deployment.ts';

/** Those of the last time; a migration whose runs were completed is repeated without copying anything again. */
export function optionsForAgain({ options, tasks }: Pick<DeploymentDetail, 'options' | 'tasks'>): DeploymentOptions {
  const passes = tasks.filter(({ id }) => id.startsWith('execute-'));
  if (options.execute === undefined || passes.length === 0 || passes.some((task) => task.state !== 'completed'))
    return options;
  const { execute: _done, ...rest } = options;
  return rest;
}
