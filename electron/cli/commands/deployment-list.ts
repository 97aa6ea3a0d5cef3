import type { Deployment } from '../../../shared/model/deployment.ts';
import { runList } from '../project/run-list.ts';

export const registerDeploymentList = runList<Deployment>({
  group: 'deployment',
  about: 'Deployments: replicas made into running VMs.',
  what: 'deployments',
  columns: ['id', 'replica', 'number', 'state', 'server', 'addresses', 'started', 'ended'],
  async read(core, input) {
    return {
      runs: await core.call('deployment.list', input),
      cells: (one, moment) => [
        one.id, one.replicaName, one.number, one.state, one.server?.name, one.server?.addresses.join(' '), moment(one.startedAt), moment(one.finishedAt),
      ],
    };
  },
});
