import { describe, expect, test } from 'vitest';
import type { DestinationRun } from '../ports/destination-platform.ts';
import { keyOf } from './worker-entries.ts';
import { needsOfWorker, requireWorkerQuota, type WorkerNeeds } from './worker-needs.ts';

const needs: WorkerNeeds = { server: { cores: 2 }, nic: { ports: 1 }, 'boot-volume': { volumes: 1, gigabytes: 10 } };

/** A ledger that has created these parts of the disk copy worker already. */
const runWith = (...parts: readonly string[]) =>
  ({
    ledger: {
      find: (_kind: string, key: string) =>
        parts.some((part) => key === keyOf('disk-copy', part)) ? { resourceId: key } : undefined,
    },
  }) as unknown as Pick<DestinationRun, 'ledger'>;

const full = async () => ({
  cores: { limit: 2, usage: 0 },
  ports: { limit: 1, usage: 1 },
  volumes: { limit: 5, usage: 5 },
  gigabytes: { limit: -1, usage: 0 },
});
const shortOf = (run: Pick<DestinationRun, 'ledger'>) =>
  requireWorkerQuota(run, 'disk-copy', needs, full, {}).then(
    () => '',
    (error: Error) => error.message,
  );

describe('the needs of a worker', () => {
  test('are those of all its parts together', () => {
    expect(needsOfWorker(needs)).toEqual({ cores: 2, ports: 1, volumes: 1, gigabytes: 10 });
  });

  test('are refused when the quotas are too small, without the parts that exist', async () => {
    expect(await shortOf(runWith())).toBe('ports: 1 needed, 0 of 1 free; volumes: 1 needed, 0 of 5 free');
    expect(await shortOf(runWith('nic'))).toBe('volumes: 1 needed, 0 of 5 free');
    expect(await shortOf(runWith('nic', 'boot-volume'))).toBe('');
  });

  test('are none once the server exists', async () => {
    expect(await shortOf(runWith('server'))).toBe('');
  });
});
