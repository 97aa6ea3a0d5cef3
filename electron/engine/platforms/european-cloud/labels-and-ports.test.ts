import { describe, expect, it } from 'vitest';
import { openSession, type EuropeanCloudContext } from './session.ts';
import { workerEndpoint } from './worker-network.ts';
import { asServerLabels } from './server-labels.ts';

describe('labels of servers', () => {
  it('are keys, with values where there is a =', () => {
    expect(asServerLabels(['env=prod', 'migrated', 'tier=a=b'])).toEqual({
      labels: { env: 'prod', migrated: '' },
      refused: [{ index: 2, reason: expect.stringContaining('"tier=a=b"') as unknown }],
    });
  });

  it.each(['with space', '-x', '', 'ümlaut', 'stackit-own', 'k='.padEnd(70, 'v'), '=v'])(
    '%j is refused, and named',
    (text) => {
      expect(asServerLabels(['fine', text]).refused).toEqual([
        { index: 1, reason: expect.stringContaining(JSON.stringify(text)) as unknown },
      ]);
    },
  );

  it('a key twice is refused', () => {
    expect(asServerLabels(['a=1', 'a=2']).refused.map((each) => each.index)).toEqual([1]);
  });
});

describe('where a worker is reached from here', () => {
  const reach = (more: object, context: EuropeanCloudContext = {}): string[] => {
    const session = openSession({ project_id: 'p', region_name: 'eu01', service_account_key: '{}', ...more }, context);
    return [22, 5566, 5986].map((port) => Object.values(workerEndpoint(session, '198.51.100.9', port)).join(':'));
  };

  it('is at its own address and ports', () => {
    expect(reach({})).toEqual(['198.51.100.9:22', '198.51.100.9:5566', '198.51.100.9:5986']);
  });

  it('is at the ports that the connection maps them to', () => {
    expect(reach({ worker_ssh_port: 20_022 })).toEqual([
      '198.51.100.9:20022',
      '198.51.100.9:5566',
      '198.51.100.9:5986',
    ]);
    expect(reach({ worker_https_port: 443 })).toEqual(['198.51.100.9:22', '198.51.100.9:443', '198.51.100.9:5986']);
  });

  it('is where the context says, whatever the connection says', () => {
    const resolveAddress = (_address: string, port: number) => ({ host: '127.0.0.1', port: port + 1 });
    expect(reach({ worker_ssh_port: 20_022 }, { resolveAddress })).toEqual([
      '127.0.0.1:23',
      '127.0.0.1:5567',
      '127.0.0.1:5987',
    ]);
  });

  it.each([0, 70_000, '22'])('is not at port %j', (port) => {
    expect(() => reach({ worker_ssh_port: port })).toThrow('worker_ssh_port');
  });
});
