import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { DiskReader } from '../../electron/engine/ports/disk-reader.ts';
import { createTransferTables, openTransferState, replicateDisk } from '../../electron/engine/replication/index.ts';
import { agentLock } from '../../electron/engine/transport/agent-launch.ts';
import { connectWorker } from '../../electron/engine/transport/connect-worker.ts';
import { freePort, type SshdRig } from '../rigs/sshd.ts';
import { startWanLink, type LinkShape } from '../rigs/wan-link.ts';
import { endedChildrenCpuSeconds, ownCpuSeconds, treeCpuSeconds } from './process-cpu.ts';
import { mebibyte, openImage } from './transfer-disks.ts';
import { ddOverSsh, nbdcopy, qemuImgConvert, startNbdServer } from './transfer-peers.ts';

const never = new AbortController().signal;

/** What one copy took, in seconds. */
export interface Sample {
  readonly seconds: number;
  readonly clientCpu: number;
  readonly serverCpu: number;
}

export interface Way {
  readonly name: string;
  readonly run: () => Promise<Sample>;
}

/** What all ways copy, where to, and over what. */
export interface Course {
  /** Holds the disks; agents may open files in it. */
  readonly scratch: string;
  readonly sshd: SshdRig;
  readonly certificates: string;
  readonly source: string;
  readonly target: string;
  /** Undefined: loopback as it is. */
  readonly link: LinkShape | undefined;
}

/** On a long link each way takes long: only what people would use is there, and both mechanisms side by side. */
export function waysOver(course: Course, mechanism: 'HTTPS' | 'SSH' | 'both'): readonly Way[] {
  const own = (name: string, by: 'HTTPS' | 'SSH', what: 'pipeline' | 'link' = 'pipeline'): Way => ({
    name,
    run: () => causeway(by, course, what),
  });
  const nbdkit = nbdPeer('nbdcopy > nbdkit', 'nbdkit', nbdcopy, course);
  const dd = sshPeer('dd | ssh dd', undefined, course);
  if (mechanism === 'both') return [own('causeway', 'HTTPS'), own('causeway over SSH', 'SSH'), nbdkit, dd];
  const both = [own('causeway', mechanism), own('causeway, link alone', mechanism, 'link')];
  if (mechanism === 'SSH') return [...both, dd, sshPeer('dd | ssh -c aes128-gcm dd', 'aes128-gcm@openssh.com', course)];
  return [
    ...both,
    nbdkit,
    nbdPeer('nbdcopy > qemu-nbd', 'qemu-nbd', nbdcopy, course),
    nbdPeer('qemu-img > nbdkit', 'nbdkit', qemuImgConvert, course),
    nbdPeer('qemu-img > qemu-nbd', 'qemu-nbd', qemuImgConvert, course),
  ];
}

function nbdPeer(
  name: string,
  kind: 'nbdkit' | 'qemu-nbd',
  copy: typeof nbdcopy,
  { certificates, source, target, link }: Course,
): Way {
  return {
    name,
    run: async () => {
      const server = await startNbdServer(kind, certificates, target);
      try {
        return await over(link, server.port, (port) =>
          measured(
            () => copy(source, port, certificates),
            endedChildrenCpuSeconds,
            () => treeCpuSeconds(server.pid),
          ),
        );
      } finally {
        await server.stop();
      }
    },
  };
}

function sshPeer(name: string, cipher: string | undefined, { sshd, source, target, link }: Course): Way {
  return {
    name,
    run: () =>
      over(link, sshd.port, (port) =>
        measured(
          () => ddOverSsh(source, target, { ...sshd, port }, cipher),
          endedChildrenCpuSeconds,
          () => treeCpuSeconds(sshd.pid),
        ),
      ),
  };
}

/** Works on a port behind which a link leads to `port`, or on this port where there is no link. */
async function over<T>(shape: LinkShape | undefined, port: number, work: (port: number) => Promise<T>): Promise<T> {
  if (shape === undefined) return work(port);
  const link = await startWanLink(port, shape);
  try {
    return await work(link.port);
  } finally {
    await link.stop();
  }
}

/** `pipeline`: as an execution does it, with digests, plan and checkpoints. `link`: the same reads and writes alone. */
async function causeway(mechanism: 'HTTPS' | 'SSH', course: Course, what: 'pipeline' | 'link'): Promise<Sample> {
  const { sshd, link } = course;
  const agentPort = await freePort();
  return mechanism === 'SSH'
    ? over(link, sshd.port, (sshPort) => replicated('SSH', course, what, { sshPort, httpsPort: agentPort, agentPort }))
    : over(link, agentPort, (httpsPort) =>
        replicated('HTTPS', course, what, { sshPort: sshd.port, httpsPort, agentPort }),
      );
}

interface Ports {
  readonly sshPort: number;
  readonly httpsPort: number;
  /** Where the agent listens. */
  readonly agentPort: number;
}

async function replicated(
  mechanism: 'HTTPS' | 'SSH',
  { scratch, sshd, source, target }: Course,
  what: 'pipeline' | 'link',
  { sshPort, httpsPort, agentPort }: Ports,
): Promise<Sample> {
  const workerId = randomUUID();
  const access = {
    workerId,
    host: '127.0.0.1',
    sshPort,
    httpsPort,
    username: sshd.username,
    privateKeyPem: sshd.privateKeyPem,
    hostKey: sshd.hostKey,
  };
  const session = await connectWorker(access, mechanism, { allowPaths: [scratch], agentPorts: [agentPort] }, never);
  const reader = await openImage(source);
  const diskBytes = reader.sizeBytes;
  const writer = await session.open(
    { path: target, serial: '', byPath: [], sizeBytes: diskBytes, inUse: false },
    never,
  );
  const agent = mechanism === 'HTTPS' ? await agentPid(workerId) : sshd.pid;
  const folder = await mkdtemp(join(scratch, 'state-'));
  const db = new DatabaseSync(join(folder, 'state.db'));
  createTransferTables(db);
  const state = openTransferState({ db, folder, replicaId: 'bench', diskId: 'disk', sizeBytes: diskBytes });
  const request = {
    reader,
    writer,
    state,
    snapshotId: 'one',
    baseSnapshotId: undefined,
    volumeId: 'volume',
    volumeIsNew: true,
    volumesAreZeroed: true,
    signal: never,
  };
  try {
    return await measured(
      async () => {
        if (what === 'pipeline') await replicateDisk(request);
        else await copyPlainly(reader, writer);
      },
      ownCpuSeconds,
      () => treeCpuSeconds(agent),
    );
  } finally {
    await writer.close();
    await session.close();
    await reader.close();
    db.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Data as the source tells it, in pieces of a few megabytes: nothing is looked at, remembered or hashed. */
async function copyPlainly(
  reader: DiskReader,
  writer: Awaited<ReturnType<Awaited<ReturnType<typeof connectWorker>>['open']>>,
): Promise<void> {
  const pieceBytes = 2 * mebibyte;
  async function* pieces(): AsyncGenerator<{ readonly offset: number; readonly length: number }> {
    for await (const { offset, length, kind } of reader.extents(never)) {
      for (let at = 0; kind === 'data' && at < length; at += pieceBytes)
        yield { offset: offset + at, length: Math.min(pieceBytes, length - at) };
    }
  }
  const work = pieces();
  const lane = async (): Promise<void> => {
    const buffer = Buffer.alloc(pieceBytes);
    for (let next = await work.next(); !next.done; next = await work.next()) {
      const part = buffer.subarray(0, next.value.length);
      await reader.read(next.value.offset, part, never);
      await writer.write(next.value.offset, part, never);
    }
  };
  await Promise.all(Array.from({ length: 8 }, lane));
  await writer.flush(never);
}

async function measured(work: () => Promise<void>, clientCpu: () => number, serverCpu: () => number): Promise<Sample> {
  const [client, server, begun] = [clientCpu(), serverCpu(), performance.now()];
  await work();
  const seconds = (performance.now() - begun) / 1000;
  return { seconds, clientCpu: clientCpu() - client, serverCpu: serverCpu() - server };
}

async function agentPid(workerId: string): Promise<number> {
  for (const folder of ['/run', tmpdir()]) {
    const text = await readFile(join(folder, `causeway-agent-${agentLock(workerId)}.lock`), 'utf8').catch(() => '');
    if (text !== '') return Number(text.split(' ')[0]);
  }
  throw new Error('the agent has no lock file');
}
