import { expect, test } from 'vitest';
import type { DeploymentOptions } from '../../../shared/model/deployment.ts';
import { checkGraph } from '../jobs/task-graph.ts';
import { deploymentGraph } from './deployment-graph.ts';

test.each<DeploymentOptions>([
  {},
  { skipMorphing: true },
  { inPlace: true },
  { keepWorkerOnFailure: true },
  { execute: {} },
  { execute: { lastPass: true }, skipMorphing: true },
])('a graph for %j can be run', (options) => expect(checkGraph(deploymentGraph(options))).toEqual([]));

test('network interfaces are there before the guest is prepared, and the server only after the worker is gone', () => {
  const order = deploymentGraph({}).map((node) => node.id);
  expect(order).toEqual([
    'check-replica',
    'check-destination',
    'snapshot-volumes',
    'create-volumes',
    'create-nics',
    'start-worker',
    'prepare-guest',
    'stop-worker',
    'create-server',
    'check-boot',
    'record-deployment',
    'settle-deployment',
  ]);
  expect(deploymentGraph({}).find((node) => node.id === 'create-server')?.after).toContain('stop-worker');
});
