import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startExportLab, type ExportLab } from '../rigs/open-source-cloud/export-lab.ts';
import { leftInOrigin, startOriginServer, type OriginServer } from '../rigs/open-source-cloud/origin-server.ts';
import type { EngineProcess } from '../rigs/project/lab-project.ts';

const MiB = 1024;
const mib = 1024 * 1024;
/** What may be under way, unacknowledged, when something dies: it is sent again, and no more than that. */
const inFlight = 8 * mib;

let exporting: ExportLab;
let server: OriginServer;

beforeAll(async () => {
  exporting = await startExportLab({ patience: { checkpointMs: 400 } });
  server = await startOriginServer(exporting.cloud, { name: 'origin-crash', boots: 'volume' });
});
afterAll(async () => {
  await server?.close();
  await exporting?.close();
});

/** Kills the engine once it has sent so much. */
async function killAfter(engine: EngineProcess, bytes: number): Promise<void> {
  const far = Promise.withResolvers<void>();
  engine.onProgress = ({ total }) => {
    if (total.phase === 'copying' && total.bytesSent >= bytes) far.resolve();
  };
  await Promise.race([far.promise, engine.ended]);
  await engine.kill();
}

describe.each(['distributed_snapshots', 'objectstore_backups', 'distributed_backups', 'service_backups'])(
  'an engine that is killed in an export by %s',
  (mechanism) => {
    beforeAll(async () => exporting.createReplica(mechanism, server.id, await exporting.mechanism(mechanism)));

    const keepsBackups = mechanism === 'objectstore_backups' || mechanism === 'distributed_backups';
    // In the middle of what is being made in the cloud, of reading it (for the service backups: of starting their worker), of
    // removing it (a chain of backups is kept whole, so that there is nothing to remove).
    it.each([
      { task: 'take-snapshot', method: 'POST', what: 'for the first time' },
      { task: 'replicate-disks', method: mechanism === 'service_backups' ? 'POST' : undefined, what: 'with changes' },
      { task: 'release-snapshot', method: keepsBackups ? undefined : 'DELETE', what: 'with changes' },
    ] as const)('goes on after $task, $what, and ends byte-identical with a clean ledger', async ({ task, method }) => {
      await server.scribble('vda', 40 * MiB, 24 * MiB);
      const byProgress = task === 'replicate-disks' && method === undefined;
      const engine = exporting.lab.start(
        mechanism,
        { bandwidthLimit: 6 * mib },
        byProgress ? undefined : { task, method },
      );
      if (byProgress) await killAfter(engine, 6 * mib);
      const killed = (await engine.ended) === undefined;
      const after = exporting.lab.start(mechanism);
      const execution = await after.ended;
      expect(execution, JSON.stringify(execution?.error)).toMatchObject({ state: 'completed', leftBehind: 0 });
      if (execution === undefined) return;
      expect(killed, 'it was at work').toBe(true);
      expect(await exporting.difference(mechanism, server)).toBeUndefined();
      const sent = await exporting.bytesSent(execution);
      console.log(`${mechanism}, killed in ${task}: ${(sent / mib).toFixed(1)} MiB sent after that`);
      expect(sent).toBeLessThanOrEqual(24 * mib + inFlight);

      const items = await exporting.lab.use((core) => core.call('ledger.list', {}));
      expect(items.filter(({ lifetime }) => lifetime === 'temporary')).toEqual([]);
      // What the cloud has of us is what the ledger has, and one base alone is kept.
      const sources = items.filter(({ kind }) => kind === 'volume-snapshot' || kind === 'volume-backup');
      const left = await leftInOrigin(exporting.cloud);
      expect(left.length, left.join()).toBe(sources.length);
      if (mechanism === 'distributed_snapshots') expect(left).toHaveLength(1);
      if (mechanism === 'service_backups') expect(left).toEqual([]);
      expect(exporting.lab.cloud.world.leftovers().filter((line) => !line.startsWith('volume '))).toEqual([]);
    });

    it('leaves nothing once the replica is deleted', async () => {
      await exporting.lab.use((core) => core.call('replica.delete', { replica: mechanism }));
      expect(await leftInOrigin(exporting.cloud)).toEqual([]);
      expect(await exporting.lab.use((core) => core.call('ledger.list', {}))).toEqual([]);
    });
  },
);
