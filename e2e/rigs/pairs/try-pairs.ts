import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PluginId } from '../../../shared/model/plugin-id.ts';
import { smallPreparation } from '../guests/deployable-lab.ts';
import { talkingBootSector } from '../guests/talking-boot-sector.ts';
import { startProjectLab, type ProjectLab } from '../project/lab-project.ts';
import { firstDifference } from '../sparse-files.ts';
import { europeanCloud, type PairDestination } from './destinations.ts';
import type { PairSource } from './sources.ts';

const MiB = 2 ** 20;
type Step = 'full' | 'changed' | 'deployed';
type Results = Record<string, Record<string, Step[]>>;

export interface Pairs {
  readonly sources: Readonly<Partial<Record<PluginId, (folder: string) => Promise<PairSource>>>>;
  /** Beside the simulated European cloud, which every lab has. */
  readonly destinations: Readonly<Partial<Record<PluginId, () => Promise<PairDestination>>>>;
  /** Where only some are wanted. */
  isWanted?(from: PluginId, to: PluginId): boolean;
  /** File of what passed: of this execution over those of earlier ones, as a part may be tried again by itself. */
  readonly resultFile: string | undefined;
}

const readResults = (file: string | undefined): Results =>
  file !== undefined && existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as { pairs: Results }).pairs : {};

/** Each source with each destination: a VM of two small disks is copied, copied again by what changed, and deployed as a VM that boots. */
export function tryPairs({ sources, destinations: others, isWanted = () => true, resultFile }: Pairs): void {
  const results = readResults(resultFile);
  const targets: readonly PluginId[] = ['european-cloud', ...(Object.keys(others) as PluginId[])];
  const open = new Map<PluginId, PairDestination>();
  let lab: ProjectLab;

  beforeAll(async () => {
    lab = await startProjectLab({ patience: { boot: 'quick' }, core: { guests: smallPreparation(() => false) } });
    open.set('european-cloud', europeanCloud(lab.cloud));
    for (const [plugin, start] of Object.entries(others)) open.set(plugin as PluginId, await start());
    for (const [plugin, { connection }] of open)
      await lab.use((core) => core.call('endpoint.add', { name: `to-${plugin}`, plugin, connection }));
  });
  afterAll(async () => {
    for (const destination of open.values()) await destination.close();
    await lab?.close();
  });

  const kindsLeft = async ({ leftovers }: PairDestination): Promise<string[]> =>
    (await leftovers()).map((line) => line.split(' ')[0] ?? '').toSorted();

  describe.each(Object.entries(sources) as [PluginId, (folder: string) => Promise<PairSource>][])(
    '%s',
    (from, start) => {
      let folder: string;
      let source: PairSource;
      let networks: readonly string[];
      beforeAll(async () => {
        folder = await mkdtemp(join(tmpdir(), 'causeway-pair-'));
        source = await start(folder);
        await lab.use((core) => core.call('endpoint.add', { name: from, plugin: from, connection: source.connection }));
        await source.write(0, 0, talkingBootSector('(initramfs) '));
        const vm = await lab.use((core) => core.call('vm.show', { endpoint: from, vm: source.vmId }));
        networks = [...new Set(vm.nics.flatMap(({ network }) => network ?? []))];
      });
      afterAll(async () => {
        if (resultFile !== undefined) {
          mkdirSync(dirname(resultFile), { recursive: true });
          writeFileSync(
            resultFile,
            `${JSON.stringify({ date: new Date().toISOString(), pairs: results }, undefined, 2)}\n`,
          );
        }
        await source?.close();
        await rm(folder, { recursive: true, force: true });
      });

      it.each(targets.filter((to) => isWanted(from, to)))('%s', async (to) => {
        const destination = open.get(to);
        if (destination === undefined) throw new Error(`${to} was not started`);
        const name = `${from}-${to}`;
        const passed = ((results[from] ??= {})[to] = [] as Step[]);
        const before = await source.leftovers();
        const execute = async (): Promise<void> => {
          const { id } = await lab.use((core) => core.call('replica.execute', { replica: name }));
          const execution = await lab.use((core) => core.call('execution.show', { execution: id }));
          expect(execution, JSON.stringify(execution.error)).toMatchObject({ state: 'completed', leftBehind: 0 });
          const { disks } = await lab.use((core) => core.call('replica.show', { replica: name }));
          for (const [diskId, file] of Object.entries(await source.files())) {
            const volumeId = disks.find((disk) => disk.diskId === diskId)?.volumeId ?? '';
            expect(
              await firstDifference(file, await destination.volumePath(volumeId)),
              `disk ${diskId}`,
            ).toBeUndefined();
          }
        };

        await source.write(0, MiB, randomBytes(MiB));
        await source.write(1, 0, randomBytes(2 * MiB));
        await lab.use((core) =>
          core.call('replica.create', {
            name,
            source: from,
            destination: `to-${to}`,
            vm: source.vmId,
            sourceEnvironment: source.environment,
            destinationEnvironment: destination.environment(networks.length === 0 ? ['default'] : networks),
          }),
        );
        await execute();
        passed.push('full');

        await source.write(0, 5 * MiB, randomBytes(MiB));
        await source.write(1, MiB, Buffer.alloc(MiB / 2));
        await execute();
        passed.push('changed');

        const { id } = await lab.use((core) =>
          core.call('deployment.create', { replica: name, options: { bootCheck: { mode: 'none' } } }),
        );
        const deployment = await lab.use((core) => core.call('deployment.show', { deployment: id }));
        expect(deployment, JSON.stringify(deployment.error)).toMatchObject({ state: 'completed' });
        await expect.poll(() => destination.console(deployment.server?.id ?? '')).toContain('web login: ');
        await lab.use((core) => core.call('deployment.delete', { deployment: id, dryRun: false }));
        await lab.use((core) => core.call('replica.delete', { replica: name }));
        expect(await kindsLeft(destination)).toEqual([]);
        expect(await source.leftovers()).toEqual(before);
        passed.push('deployed');
      });
    },
  );
}
