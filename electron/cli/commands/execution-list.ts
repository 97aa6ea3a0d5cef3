import type { Execution } from '../../../shared/model/execution.ts';
import { runList } from '../project/run-list.ts';

export const registerExecutionList = runList<Execution>({
  group: 'execution',
  about: 'Executions of replicas.',
  what: 'executions',
  columns: ['id', 'replica', 'number', 'state', 'started', 'ended'],
  async read(core, input) {
    const runs = await core.call('execution.list', input);
    const replicas = new Map((await core.call('replica.list', {})).map(({ id, name }) => [id, name]));
    return { runs, cells: (one, moment) => [one.id, replicas.get(one.replicaId) ?? one.replicaId, one.number, one.state, moment(one.startedAt), moment(one.finishedAt)] };
  },
});
