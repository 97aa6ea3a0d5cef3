// needs: python3
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectAgentHere } from './agent-here.ts';

const never = new AbortController().signal;
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'agent-here-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A sudo that answers with these words. */
function sudoSaying(words: string, status: number): string {
  const bin = mkdtempSync(join(folder, 'bin-'));
  writeFileSync(join(bin, 'sudo'), `#!/bin/sh\necho '${words}' >&2\nexit ${status}\n`);
  chmodSync(join(bin, 'sudo'), 0o755);
  return bin;
}

/** What stands for this computer: its programs are in this folder alone. */
const withPath = (path: string): readonly string[] => ['/usr/bin/env', `PATH=${path}`];

describe.runIf(process.platform === 'linux')('the agent on this computer', () => {
  const as = { isRoot: true, epoch: 0 };

  it('lists block devices, and ends with its session', async () => {
    const session = await connectAgentHere({ ...as, purpose: `${folder} list` }, never);
    expect(session.mechanism).toBe('local');
    expect(await session.devices(never)).toEqual(expect.any(Array));
    await session.close();
    await expect(session.devices(never)).rejects.toMatchObject({ code: 'transport.closed' });
  });

  it('is one for each purpose: the next one ends the former, a caller that was replaced gets none', async () => {
    const purpose = `${folder} fence`;
    const first = await connectAgentHere({ ...as, purpose, epoch: 1 }, never);
    const other = await connectAgentHere({ ...as, purpose: `${purpose} of another replica`, epoch: 1 }, never);
    const second = await connectAgentHere({ ...as, purpose, epoch: 2 }, never);
    await expect.poll(() => first.lost.aborted, { timeout: 20_000 }).toBe(true);
    await expect(connectAgentHere({ ...as, purpose, epoch: 1 }, never)).rejects.toMatchObject({
      code: 'fleet.claim-lost',
    });
    expect([second.lost.aborted, other.lost.aborted]).toEqual([false, false]);
    await Promise.all([second.close(), other.close()]);
  });

  it.each([
    ['sudo: a password is required', 1, 'transport.here-not-privileged'],
    ['sudo: python3: command not found', 1, 'transport.here-python-missing'],
    ['sudo: unable to open /etc/sudoers', 1, 'transport.here-not-privileged'],
    ['Traceback: no such module', 1, 'transport.agent-start'],
  ] as const)('says what is missing when sudo says "%s"', async (words, status, code) => {
    await expect(
      connectAgentHere(
        { purpose: folder, epoch: 0, isRoot: false, within: withPath(sudoSaying(words, status)) },
        never,
      ),
    ).rejects.toMatchObject({ code, message: expect.stringContaining(words) as string });
  });

  it('says that there is no sudo, or no Python', async () => {
    const empty = mkdtempSync(join(folder, 'empty-'));
    await expect(
      connectAgentHere({ purpose: folder, epoch: 0, isRoot: false, within: withPath(empty) }, never),
    ).rejects.toMatchObject({ code: 'transport.here-not-privileged' });
    await expect(
      connectAgentHere({ purpose: folder, epoch: 0, isRoot: true, within: withPath(empty) }, never),
    ).rejects.toMatchObject({ code: 'transport.here-python-missing' });
  });

  it('gives up when it is asked to', async () => {
    const stop = new AbortController();
    const starting = connectAgentHere(
      { ...as, purpose: folder, within: ['/bin/sh', '-c', 'exec sleep 60'] },
      stop.signal,
    );
    stop.abort();
    await expect(starting).rejects.toMatchObject({ code: 'general.cancelled' });
  });
});
