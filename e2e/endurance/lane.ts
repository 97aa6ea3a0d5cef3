import { randomBytes } from 'node:crypto';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { ExecutionDetail } from '../../shared/model/execution.ts';
import { Peaks } from '../rigs/european-cloud/fault-cases.ts';
import { startProjectLab, type EngineProcess, type ProjectLab } from '../rigs/project/lab-project.ts';

export const MiB = 1024 * 1024;
export type Transport = 'HTTPS' | 'SSH';

/** A lab with one disk, in which points of one transport follow each other. Lanes run beside each other. */
export interface Lane {
  readonly transport: Transport;
  readonly lab: ProjectLab;
  readonly peaks: Peaks;
  readonly image: string;
  readonly diskId: string;
  readonly engines: EngineProcess[];
  newReplica(): Promise<string>;
  deleteReplica(name: string): Promise<void>;
  /** An execution by an engine in this process, to its end. */
  execute(replica: string): Promise<ExecutionDetail>;
  /** What is wrong with an execution that should have ended well, and with what it left. */
  wrongAfter(execution: ExecutionDetail | undefined, replica: string): Promise<string[]>;
  /** What is there beside the one volume of the replica, in the cloud or in the ledger. */
  leftOver(): Promise<string[]>;
  close(): Promise<void>;
}

export async function startLane(transport: Transport, diskMiB: number): Promise<Lane> {
  const peaks = new Peaks();
  const started: { lab?: ProjectLab } = {};
  const lab = await startProjectLab({
    onCall: () => started.lab !== undefined && peaks.look(started.lab.cloud.world),
    patience: {
      checkpointMs: 200,
      loginMs: 30_000,
      workerMs: 3_000,
      linkMs: 1_500,
      agentMs: 3_000,
      cloud: { requestMs: 4_000, volumeMs: 3_000, attachMs: 3_000, serverMs: 20_000, removeMs: 8_000 },
    },
  });
  started.lab = lab;
  const { images, cloud, use, difference } = lab;
  const image = join(images, 'disk.raw');
  const file = await open(image, 'w');
  await file.truncate(diskMiB * MiB);
  for (let at = 0; at < diskMiB; at += 4) await file.write(randomBytes(2 * MiB), 0, 2 * MiB, at * MiB);
  await file.close();
  const diskId = (await use((core) => core.call('vm.show', { endpoint: 'images', vm: 'disk' }))).disks[0]?.id ?? '';
  const engines: EngineProcess[] = [];
  let count = 0;
  const leftOver = async (): Promise<string[]> => {
    const entries = await use((core) => core.call('ledger.list', {}));
    return [
      ...(cloud.world.volumes.size > 1 ? [`${cloud.world.volumes.size} volumes`] : []),
      ...cloud.world.leftovers().filter((line) => !line.startsWith('volume ')),
      ...entries
        .filter((entry) => entry.lifetime === 'temporary')
        .map((entry) => `in the ledger: ${entry.kind} ${entry.state}`),
    ];
  };
  return {
    transport,
    lab,
    peaks,
    image,
    diskId,
    engines,
    leftOver,
    async newReplica() {
      count += 1;
      await lab.createReplica(`disk-${count}`, 'disk', transport);
      return `disk-${count}`;
    },
    async deleteReplica(name) {
      await use((core) => core.call('replica.delete', { replica: name }));
    },
    async execute(replica) {
      const { id } = await use((core) => core.call('replica.execute', { replica }));
      return use((core) => core.call('execution.show', { execution: id }));
    },
    async wrongAfter(execution, replica) {
      const wrong: string[] = [];
      if (execution?.state !== 'completed')
        wrong.push(
          `it is ${execution?.state ?? 'not ended'}: ${execution?.error?.code ?? ''} ${execution?.error?.message ?? ''}`,
        );
      else if (execution.error !== undefined)
        wrong.push(`completed with ${execution.error.code}: ${execution.error.message}`);
      if ((execution?.leftBehind ?? 0) > 0) wrong.push(`${execution?.leftBehind} left behind`);
      const at = execution?.state === 'completed' ? await difference(replica, { [diskId]: image }) : undefined;
      if (at !== undefined) wrong.push(at);
      return [
        ...wrong,
        ...(await leftOver()),
        ...cloud.violations.map((violation) => `violation of the API: ${JSON.stringify(violation)}`),
      ];
    },
    async close() {
      for (const engine of engines.splice(0)) await engine.kill();
      await lab.close();
    },
  };
}

/** Changes some MiB of the image, each to noise or to zeros. */
export async function change(image: string, diskMiB: number, random: () => number, parts: number): Promise<void> {
  const file = await open(image, 'r+');
  for (let part = 0; part < parts; part += 1) {
    const bytes = random() < 0.8 ? randomBytes(MiB) : Buffer.alloc(MiB);
    await file.write(bytes, 0, MiB, Math.floor(random() * diskMiB) * MiB);
  }
  await file.close();
}
