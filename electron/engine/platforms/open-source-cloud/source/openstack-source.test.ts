import { describe, expect, it } from 'vitest';
import type { Snapshot } from '../../../ports/source-platform.ts';
import { OpenStackSource } from './openstack-source.ts';
import type { SourceContext } from './source-context.ts';

const signal = new AbortController().signal;

const ways = {
  distributed_snapshots: { marks: { snapshotId: 'it' }, alive: 'available', dead: 'deleting' },
  distributed_backups: { marks: { backupId: 'it' }, alive: 'available', dead: 'error' },
  objectstore_backups: { marks: { backupId: 'it' }, alive: 'available', dead: 'deleting' },
  service_backups: { marks: { interimVolumeId: 'it' }, alive: 'in-use', dead: 'error' },
};

describe.each(Object.entries(ways))('what %s reads from', (mechanism, { marks, alive, dead }) => {
  const confirmed = (status: string | undefined): Promise<void> => {
    const get = async () => (status === undefined ? undefined : { id: 'it', status });
    const cloud = { volume: { snapshots: { get }, backups: { get }, volumes: { get } }, close: () => undefined };
    const source = new OpenStackSource({ cloud, session: { cloud }, folder: '/nowhere' } as unknown as SourceContext);
    const snapshot: Snapshot = {
      id: 't',
      tag: 't',
      vmId: 'srv-1',
      takenAt: '2026-11-01T00:00:00Z',
      disks: [{ diskId: 'vol-1', sizeBytes: 2 ** 30 }],
      state: { mechanism, disks: { 'vol-1': marks } },
    };
    return source.assertUnchanged(snapshot, signal);
  };

  it('is confirmed as long as the cloud has it', () => confirmed(alive));

  it.each([dead, undefined])('is denied when the cloud says %s', async (status) => {
    await expect(confirmed(status)).rejects.toMatchObject({ code: 'source.snapshot-lost' });
  });
});
