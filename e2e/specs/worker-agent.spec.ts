// needs: python3
import { execFileSync, spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32, deflateRawSync, zstdCompressSync } from 'node:zlib';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { defaultAgentPath } from '../../electron/engine/transport/agent-launch.ts';
import { FrameParser } from '../../electron/engine/transport/frame-parser.ts';
import {
  encodeHead,
  frameFlags,
  headBytes,
  requestTypes,
  statuses,
  type FrameHead,
} from '../../electron/engine/transport/protocol.ts';

const diskBytes = 1024 * 1024;

type Answer = { readonly head: FrameHead; readonly payload: Buffer };

/** Speaks to an agent frame by frame, also wrong ones. */
class RawAgent {
  readonly process: ChildProcessWithoutNullStreams;
  readonly #answers: Answer[] = [];
  #wake: () => void = () => undefined;
  #ended = false;

  constructor(parameters: readonly string[], environment: Readonly<Record<string, string>> = {}) {
    this.process = spawn('python3', [defaultAgentPath(), '--stdio', ...parameters], {
      env: { ...process.env, ...environment },
    });
    const parser = new FrameParser((head, payload) => this.#answers.push({ head, payload: Buffer.from(payload) }));
    this.process.stdin.on('error', () => undefined);
    this.process.stdout.on('data', (piece: Buffer) => {
      parser.push(piece);
      this.#wake();
    });
    this.process.stdout.on('end', () => {
      this.#ended = true;
      this.#wake();
    });
  }

  send(bytes: Uint8Array): void {
    this.process.stdin.write(bytes);
  }

  /** The next answer; undefined when the agent has ended its output. */
  async next(): Promise<Answer | undefined> {
    while (this.#answers.length === 0 && !this.#ended) await new Promise<void>((resolve) => (this.#wake = resolve));
    return this.#answers.shift();
  }

  async ask(
    type: keyof typeof requestTypes,
    fields: Partial<FrameHead> = {},
    payload: Uint8Array = Buffer.alloc(0),
  ): Promise<Answer> {
    this.send(frame(requestTypes[type], fields, payload));
    const answer = await this.next();
    if (answer === undefined) throw new Error('the agent ended');
    return answer;
  }
}

function frame(type: number, fields: Partial<FrameHead>, payload: Uint8Array): Buffer {
  const head = Buffer.alloc(headBytes);
  const checked = ((fields.flags ?? 0) & frameFlags.CHECKED) !== 0;
  encodeHead(
    {
      flags: 0,
      request: 7,
      volume: 0,
      offset: 0,
      length: payload.length,
      argument: 0,
      ...fields,
      type,
      payloadLength: payload.length,
      payloadChecksum: checked ? crc32(payload) : 0,
    },
    head,
  );
  return Buffer.concat([head, payload]);
}

describe('the worker agent', () => {
  let folder: string;
  let disk: string;
  let before: Buffer;
  const agents: RawAgent[] = [];

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'causeway-agent-'));
    disk = join(folder, 'disk');
    before = randomBytes(diskBytes);
    await writeFile(disk, before);
  });
  afterEach(async () => {
    for (const agent of agents.splice(0)) agent.process.kill('SIGKILL');
    await rm(folder, { recursive: true, force: true });
  });

  async function opened(
    ...more: readonly string[]
  ): Promise<{ agent: RawAgent; volume: number; features: readonly string[] }> {
    const agent = new RawAgent(['--allow', folder, ...more]);
    agents.push(agent);
    const { features } = JSON.parse((await agent.ask('HELLO')).payload.toString()) as {
      readonly features: readonly string[];
    };
    const answer = await agent.ask('OPEN', {}, Buffer.from(disk));
    expect([answer.head.argument, answer.head.length]).toEqual([statuses.OK, diskBytes]);
    return { agent, volume: answer.head.volume, features };
  }

  it('is written in the syntax of Python 3.6, with the standard library alone', async () => {
    const check = 'import ast,sys; ast.parse(sys.stdin.read(), feature_version=(3, 6))';
    const source = await readFile(defaultAgentPath(), 'utf8');
    execFileSync('python3', ['-c', check], { input: source });
    expect(() => execFileSync('python3', ['-c', check], { input: 'if (n := 1): pass', stdio: 'pipe' })).toThrow();
    const imported = [...source.matchAll(/^import (\w+)$/gm)].map(([, name]) => name);
    const standard = execFileSync('python3', ['-c', 'import sys; print(*sys.stdlib_module_names)'], {
      encoding: 'utf8',
    }).split(/\s+/);
    expect(imported.filter((name) => !standard.includes(name ?? ''))).toEqual([]);
    expect(source).not.toMatch(/^\s*from \w+ import/m);
  });

  it('answers a damaged head with BAD_FRAME and hangs up', async () => {
    const { agent, volume } = await opened();
    const bytes = frame(requestTypes.WRITE, { volume }, Buffer.from('not to be written'));
    bytes[20] = (bytes[20] ?? 0) ^ 1;
    agent.send(bytes);
    expect((await agent.next())?.head).toMatchObject({ request: 0, argument: statuses.BAD_FRAME });
    expect(await agent.next()).toBeUndefined();
    expect((await readFile(disk)).equals(before)).toBe(true);
  });

  it('writes nothing of a payload that was damaged on the way', async () => {
    const { agent, volume } = await opened();
    const bytes = frame(requestTypes.WRITE, { volume, flags: frameFlags.CHECKED }, Buffer.from('not to be written'));
    bytes[headBytes + 3] = (bytes[headBytes + 3] ?? 0) ^ 0x10;
    agent.send(bytes);
    expect((await agent.next())?.head).toMatchObject({ request: 7, argument: statuses.BAD_FRAME });
    expect(await agent.next()).toBeUndefined();
    expect((await readFile(disk)).equals(before)).toBe(true);
  });

  it('refuses what does not inflate to exactly the length it names', async () => {
    const { agent, volume } = await opened();
    const flags = frameFlags.DEFLATED;
    for (const [payload, length] of [
      [deflateRawSync(Buffer.alloc(5000, 'a')), 4999],
      [deflateRawSync(Buffer.alloc(5000, 'a')), 5001],
      [deflateRawSync(randomBytes(5000)).subarray(0, 4000), 5000],
      [Buffer.from('no deflate stream at all'), 100],
      [deflateRawSync(Buffer.alloc(64 * diskBytes)), 64 * diskBytes],
    ] as const) {
      const { head } = await agent.ask('WRITE', { volume, flags, length }, payload);
      expect([statuses.BAD_REQUEST, statuses.OUT_OF_RANGE]).toContain(head.argument);
    }
    expect((await readFile(disk)).equals(before)).toBe(true);
  });

  it('refuses what is no Zstandard frame of exactly the length it names', async () => {
    const { agent, volume, features } = await opened();
    expect(features).toContain('zstd');
    const flags = frameFlags.ZSTD;
    const noise = randomBytes(5000);
    const damaged = zstdCompressSync(noise);
    damaged[6] = (damaged[6] ?? 0) ^ 0xff;
    for (const [payload, length] of [
      [zstdCompressSync(Buffer.alloc(5000, 'a')), 4999],
      [zstdCompressSync(Buffer.alloc(5000, 'a')), 5001],
      [zstdCompressSync(noise).subarray(0, 4000), 5000],
      [Buffer.concat([zstdCompressSync(noise), Buffer.from('more')]), 5000],
      [damaged.subarray(0, 12), 5000],
      [Buffer.from('no frame at all'), 100],
      [Buffer.alloc(0), 100],
      [zstdCompressSync(Buffer.alloc(64 * diskBytes)), 64 * diskBytes],
    ] as const) {
      const { head } = await agent.ask('WRITE', { volume, flags, length }, payload);
      expect([statuses.BAD_REQUEST, statuses.OUT_OF_RANGE]).toContain(head.argument);
    }
    expect((await readFile(disk)).equals(before)).toBe(true);
    expect((await agent.ask('WRITE', { volume, flags, length: 5000 }, zstdCompressSync(noise))).head.argument).toBe(
      statuses.OK,
    );
    expect((await readFile(disk)).subarray(0, 5000).equals(noise)).toBe(true);
  });

  it('checks the range of a write itself', async () => {
    const { agent, volume } = await opened();
    for (const [offset, length] of [
      [diskBytes, 1],
      [diskBytes - 1, 2],
      [2 ** 52, 1],
      [0, 2 ** 52],
    ] as const) {
      expect((await agent.ask('ZERO', { volume, offset, length })).head.argument).toBe(statuses.OUT_OF_RANGE);
    }
    expect((await agent.ask('WRITE', { volume, offset: diskBytes - 1 }, Buffer.from('ab'))).head.argument).toBe(
      statuses.OUT_OF_RANGE,
    );
    expect((await readFile(disk)).equals(before)).toBe(true);
  });

  it('wants HELLO first, and knows no volume that was not opened', async () => {
    const agent = new RawAgent(['--allow', folder]);
    agents.push(agent);
    expect((await agent.ask('OPEN', {}, Buffer.from(disk))).head.argument).toBe(statuses.BAD_REQUEST);
    await agent.ask('HELLO');
    expect((await agent.ask('WRITE', { volume: 1 }, Buffer.from('x'))).head.argument).toBe(statuses.BAD_REQUEST);
    expect((await agent.ask('HELLO', {}, Buffer.from('{"session":"made up"}'))).head.argument).toBe(
      statuses.BAD_REQUEST,
    );
    expect((await agent.ask('PING')).head).toMatchObject({
      type: requestTypes.PING,
      request: 7,
      argument: statuses.OK,
    });
  });

  it('does not write a volume that another agent has open', async () => {
    await opened();
    const other = new RawAgent(['--allow', folder]);
    agents.push(other);
    await other.ask('HELLO');
    expect((await other.ask('OPEN', {}, Buffer.from(disk))).head.argument).toBe(statuses.IN_USE);
  });

  it('survives any frame that is well formed, and never writes by one that it refuses', async () => {
    const { agent, volume } = await opened();
    const fields = fc.record({
      type: fc.oneof(
        fc.constantFrom(requestTypes.DIGEST, requestTypes.OPEN, requestTypes.ZERO, requestTypes.WRITE),
        fc.integer({ min: 11, max: 255 }),
      ),
      flags: fc.constantFrom(
        0,
        frameFlags.DEFLATED,
        frameFlags.CHECKED,
        frameFlags.ZSTD,
        frameFlags.ZSTD | frameFlags.DEFLATED,
      ),
      volume: fc.constantFrom(volume, 0, 99),
      offset: fc.oneof(fc.maxSafeNat(), fc.nat(2 * diskBytes)).filter((offset) => offset >= diskBytes),
      length: fc.integer({ min: 1, max: 2 ** 40 }),
      argument: fc.nat(),
      payload: fc.uint8Array({ maxLength: 200 }),
    });
    await fc.assert(
      fc.asyncProperty(fields, async ({ type, payload, ...rest }) => {
        agent.send(frame(type, rest, payload));
        expect((await agent.next())?.head.argument).not.toBe(statuses.OK);
      }),
      { numRuns: 300 },
    );
    expect((await readFile(disk)).equals(before)).toBe(true);
  });

  it('writes blocks that it keeps from earlier callers, and only those that still are what was asked for', async () => {
    const blocks = join(folder, 'blocks');
    const keeping = (): Promise<{ agent: RawAgent; volume: number; features: readonly string[] }> =>
      opened('--store', blocks, '--store-bytes', '4194304');
    const [first, second] = [randomBytes(65536), randomBytes(65536)];
    const digests = Buffer.concat(
      [second, first, randomBytes(65536)].map((block) => createHash('sha256').update(block).digest()),
    );
    const former = await keeping();
    expect(former.features).toContain('recall');
    await former.agent.ask(
      'WRITE',
      { volume: former.volume, offset: 0, length: 131072 },
      Buffer.concat([first, second]),
    );
    await former.agent.ask('END');
    // The next one keeps what is there, and is not taken in by a file that was changed meanwhile.
    for (const isChanged of [false, true]) {
      if (isChanged) {
        const bytes = await readFile(blocks);
        bytes[65536 + 9]! ^= 1;
        await writeFile(blocks, bytes);
      }
      await writeFile(disk, before);
      const { agent, volume } = await keeping();
      const answer = await agent.ask('RECALL', { volume, offset: 262144, length: 3 * 65536, argument: 65536 }, digests);
      expect([answer.head.argument, [...answer.payload]]).toEqual([statuses.OK, isChanged ? [0, 1, 0] : [1, 1, 0]]);
      const now = await readFile(disk);
      expect(
        now.subarray(262144, 262144 + 65536).equals(isChanged ? before.subarray(262144, 262144 + 65536) : second),
      ).toBe(true);
      expect(now.subarray(262144 + 65536, 262144 + 131072).equals(first)).toBe(true);
      expect(now.subarray(262144 + 131072).equals(before.subarray(262144 + 131072))).toBe(true);
      for (const wrong of [{ argument: 4096 }, { length: 2 * 65536 }]) {
        expect(
          (await agent.ask('RECALL', { volume, offset: 0, length: 3 * 65536, argument: 65536, ...wrong }, digests)).head
            .argument,
        ).toBe(statuses.BAD_REQUEST);
      }
      expect(
        (await agent.ask('RECALL', { volume, offset: diskBytes - 65536, length: 3 * 65536, argument: 65536 }, digests))
          .head.argument,
      ).toBe(statuses.OUT_OF_RANGE);
      await agent.ask('END');
    }
    const { agent, volume, features } = await opened();
    expect(features).not.toContain('recall');
    expect([
      ...(await agent.ask('RECALL', { volume, offset: 0, length: 3 * 65536, argument: 65536 }, digests)).payload,
    ]).toEqual([0, 0, 0]);
  });

  it('answers others while it logs in to a target, and tells a failure without the secret', async () => {
    const [tool, gate] = [join(folder, 'iscsiadm'), join(folder, 'gate')];
    execFileSync('mkfifo', [gate]);
    // Logging in waits until somebody writes, and is refused by the target then.
    await writeFile(tool, `#!/bin/sh\necho "$@" >&2\ncase "$*" in *--login) read line < ${gate}; exit 24;; esac\n`, {
      mode: 0o755,
    });
    const agent = new RawAgent([], { PATH: `${folder}:${process.env['PATH'] ?? ''}` });
    agents.push(agent);
    let told = '';
    agent.process.stderr.on('data', (piece: Buffer) => (told += piece.toString()));
    await agent.ask('HELLO');
    const login = { target: 'iqn.2015-12.example:none', portal: '127.0.0.1:3260', user: 'u', secret: 'very-secret' };
    agent.send(frame(requestTypes.DEVICES, { request: 8 }, Buffer.from(JSON.stringify({ logins: [login] }))));
    expect((await agent.ask('PING')).head).toMatchObject({ request: 7, argument: statuses.OK });
    await writeFile(gate, 'go\n');
    const answer = await agent.next();
    expect(answer?.head).toMatchObject({ request: 8, argument: statuses.LOGIN_FAILED });
    expect(answer?.payload.toString()).toContain('refused user or secret');
    const ended = once(agent.process, 'close');
    await agent.ask('END');
    await ended;
    expect(told + (answer?.payload.toString() ?? '')).not.toContain('very-secret');
  });

  it('ends at the end of its input, at SIGTERM, and when it is told to', async () => {
    const ways: ((agent: RawAgent) => void)[] = [
      (agent) => agent.process.stdin.end(),
      (agent) => void agent.process.kill('SIGTERM'),
      (agent) => agent.send(frame(requestTypes.END, {}, Buffer.alloc(0))),
    ];
    for (const end of ways) {
      const { agent } = await opened();
      const exit = once(agent.process, 'exit');
      end(agent);
      expect((await exit)[0]).toBe(0);
    }
  });

  it('ends by itself when nobody speaks', async () => {
    const agent = new RawAgent(['--idle', '0.3']);
    agents.push(agent);
    await agent.ask('HELLO');
    expect((await once(agent.process, 'exit'))[0]).toBe(0);
  });
});
