import { expect, test } from 'vitest';
import type { ThisComputer } from '../../../../../ports/own-vm.ts';
import type { SourceContext } from '../../source-context.ts';
import { awsOwnVm, roomOf } from './own-vm.ts';

const never = new AbortController().signal;
const id = 'i-0123456789abcdef0';

/** A computer whose metadata service wants a token, or has no second version. */
function computer(version: 1 | 2, told: string, kept?: string): ThisComputer {
  return {
    async metadata(path, headers, _signal, method = 'GET') {
      if (path === '/latest/api/token')
        return version === 2 && method === 'PUT' && headers['x-aws-ec2-metadata-token-ttl-seconds'] === '60'
          ? 'AQAEAtoken=='
          : undefined;
      if (path !== '/latest/meta-data/instance-id' || method !== 'GET') return undefined;
      return version === 1 || headers['x-aws-ec2-metadata-token'] === 'AQAEAtoken==' ? told : undefined;
    },
    cloudInitId: async () => kept,
    productUuid: async () => 'ec2e1916-9099-7caf-fd21-012345abcdef',
    bootId: () => undefined,
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

test('an instance takes as many more volumes as there are names, and as its type allows', () => {
  const instance = (names: readonly string[], interfaces = 1) => ({
    BlockDeviceMappings: names.map((name) => ({ DeviceName: name })),
    NetworkInterfaces: Array.from({ length: interfaces }, () => ({})),
  });
  // Root disks have other names.
  expect([
    roomOf(instance(['/dev/xvda']), undefined),
    roomOf(instance(['/dev/xvda', '/dev/sdf', '/dev/sdz']), {}),
  ]).toEqual([21, 19]);
  const few = { EbsInfo: { MaximumEbsAttachments: 6 } };
  expect(roomOf(instance(['/dev/xvda', '/dev/sdf'], 3), few)).toBe(4);
  const shared = {
    EbsInfo: { MaximumEbsAttachments: 6, AttachmentLimitType: 'shared' as const },
    InstanceStorageInfo: { Disks: [{ Count: 2 }] },
  };
  expect([
    roomOf(instance(['/dev/xvda'], 1), shared),
    roomOf(instance(['/dev/xvda', '/dev/sdf', '/dev/sdg'], 3), shared),
  ]).toEqual([2, 0]);
});
