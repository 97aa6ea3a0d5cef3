import { expect, test } from 'vitest';
import type { ThisComputer } from '../../../../../ports/own-vm.ts';
import type { SourceContext } from '../../source-context.ts';
import { awsOwnVm } from './own-vm.ts';

const never = new AbortController().signal;
const id = 'i-0123456789abcdef0';

/** A computer whose metadata service wants a token, or has no second version. */
function computer(version: 1 | 2, told: string, kept?: string): ThisComputer {
  return {
    async metadata(path, headers, _signal, method = 'GET') {
      if (path === '/latest/api/token') return version === 2 && method === 'PUT' && headers['x-aws-ec2-metadata-token-ttl-seconds'] === '60' ? 'AQAEAtoken==' : undefined;
      if (path !== '/latest/meta-data/instance-id' || method !== 'GET') return undefined;
      return version === 1 || headers['x-aws-ec2-metadata-token'] === 'AQAEAtoken==' ? told : undefined;
    },
    cloudInitId: async () => kept,
    productUuid: async () => 'ec2e1916-9099-7caf-fd21-012345abcdef',
  };
}

test.each([
  ['both versions', computer(2, id), ['metadata-service']],
  ['the first version alone, and cloud-init', computer(1, id, id), ['metadata-service', 'cloud-init']],
  ['what has another form', computer(2, '../../latest/user-data', '5d2bf37d-8cb2-454c-85b5-a22a5e98c8db'), []],
] as const)('an instance is told which one it is by %s', async (_by, here, expected) => {
  // Nothing is asked of the cloud.
  const hints = await awsOwnVm({} as SourceContext).hints!(here, never);
  expect(hints).toEqual(expected.map((by) => ({ vmId: id, by })));
});
