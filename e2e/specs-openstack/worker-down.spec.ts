import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { run } from '../rigs/machines/child-process.ts';
import { startOpenSourceLab, type OpenSourceLab } from '../rigs/open-source-cloud/project-lab.ts';

const mib = 2 ** 20;

interface Worker {
  readonly id: string;
  readonly status: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly 'os-extended-volumes:volumes_attached': readonly unknown[];
}

describe('a worker whose hypervisor process dies before it answers', () => {
  let lab: OpenSourceLab;
  let file: string;

  beforeAll(async () => {
    lab = await startOpenSourceLab();
    file = join(lab.images, 'web.raw');
    await writeFile(file, randomBytes(8 * mib));
    await lab.createReplica('web', 'web');
  });
  afterAll(() => lab?.close());

  it('is replaced as soon as the cloud says so, within the same execution', async () => {
    const { id: replicaId } = await lab.use((core) => core.call('replica.show', { replica: 'web' }));
    const execution = lab.execute('web');
    const dead = await killFirstWorker(lab, replicaId, execution);
    const ended = await execution;
    expect(ended, `${ended.error?.code}: ${ended.error?.message}`).toMatchObject({ state: 'completed', leftBehind: 0 });
    const events = await lab.use((core) => core.call('execution.events', { execution: ended.id }));
    const told = events.filter(({ type }) => type === 'task.retry').map(({ message }) => message);
    expect(told, `server ${dead}`).toEqual([expect.stringMatching(/does not respond: .*SHUTOFF/)]);
    const {
      disks: [disk],
    } = await lab.use((core) => core.call('replica.show', { replica: 'web' }));
    expect(await lab.difference('web', { [disk?.diskId ?? '']: file })).toBeUndefined();
    expect((await lab.leftovers()).map((line) => line.split(' ')[0])).toEqual(['volume']);
  });
});

/** Resolves with the server's id, once it ran with its volume and its process was killed. */
async function killFirstWorker(lab: OpenSourceLab, replicaId: string, execution: Promise<unknown>): Promise<string> {
  let isOver = false;
  void execution
    .finally(() => {
      isOver = true;
    })
    .catch(() => undefined);
  while (!isOver) {
    const { servers } = await lab.api.call<{ servers: Worker[] }>('compute', 'GET', '/servers/detail');
    const worker = servers.find(
      (one) =>
        one.status === 'ACTIVE' &&
        one['os-extended-volumes:volumes_attached'].length > 0 &&
        one.metadata['causeway-replica'] === replicaId,
    );
    if (worker !== undefined) {
      await run('pkill', ['-KILL', '-f', '--', `-uuid ${worker.id}`]);
      return worker.id;
    }
    await delay(200);
  }
  throw new Error('the execution ended before its worker had a volume');
}
