// needs: native workers, port 22
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { commandLineIn } from '../rigs/project/command-line-in.ts';
import { startProjectLab, type ProjectLab } from '../rigs/project/lab-project.ts';

const MiB = 1024 * 1024;
const names = ['web', 'database'];

/** The command line knows nothing of the lab: it needs workers at the usual ports. */
describe('executions whose engine was killed', () => {
  let lab: ProjectLab;
  let causeway: ReturnType<typeof commandLineIn>;
  beforeAll(async () => {
    lab = await startProjectLab();
    causeway = commandLineIn(lab.project);
    for (const name of names) {
      await writeFile(join(lab.images, `${name}.raw`), randomBytes(24 * MiB));
      await lab.createReplica(name, name, 'HTTPS');
    }
  });
  afterAll(() => lab.close());

  /** Runs an engine until it has sent some of the disk, and kills it. */
  async function killed(name: string): Promise<void> {
    const engine = lab.start(name, { bandwidthLimit: 6 * MiB });
    const some = Promise.withResolvers<void>();
    engine.onProgress = ({ total }) => void (total.bytesSent >= 6 * MiB && some.resolve());
    await some.promise;
    await engine.kill();
    expect(await engine.ended).toBeUndefined();
  }

  async function expectEqual(name: string): Promise<void> {
    const { disks } = await lab.use((core) => core.call('vm.show', { endpoint: 'images', vm: name }));
    expect(await lab.difference(name, { [disks[0]?.id ?? '']: join(lab.images, `${name}.raw`) })).toBeUndefined();
  }

  it('go on together, each to its end', async () => {
    for (const name of names) await killed(name);
    expect((await causeway('execution', 'list')).output.match(/interrupted/g)).toHaveLength(2);
    const { status, output } = await causeway('execution', 'resume');
    expect(status, output).toBe(0);
    for (const name of names) {
      expect(output).toContain(`Execution 1 of ${name} is completed.`);
      await expectEqual(name);
    }
    expect(lab.cloud.world.leftovers().filter((line) => !line.startsWith('volume '))).toEqual([]);
  });

  it.runIf(process.env['CAUSEWAY_EVERY_STEP'] === '1')(
    'go on by name, and what happened before is not told again',
    async () => {
      await writeFile(join(lab.images, 'web.raw'), randomBytes(24 * MiB));
      await killed('web');
      const { status, output } = await causeway('execution', 'resume', 'web');
      expect(status, output).toBe(0);
      expect(output).toContain('Execution 2 of web is completed.');
      expect(output).not.toContain('Check the source');
      await expectEqual('web');
      expect(await causeway('execution', 'resume', 'web')).toMatchObject({ status: 1 });
    },
  );
});
