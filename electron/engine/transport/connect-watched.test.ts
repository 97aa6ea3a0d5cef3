import { describe, expect, it } from 'vitest';
import { connectWatched, type WorkerWatch } from './connect-watched.ts';

const never = new AbortController().signal;

describe('connecting to a worker that does not answer', () => {
  const notes: string[] = [];
  const watch = (whyDown: WorkerWatch['whyDown']): WorkerWatch => ({
    host: 'worker',
    note: (message) => notes.push(message),
    whyDown,
    slowMs: 1,
  });
  const silence = (signal: AbortSignal) =>
    new Promise<never>((_, reject) =>
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true }),
    );

  it('ends as soon as its platform says that it is down, with the reason', async () => {
    await expect(
      connectWatched(
        silence,
        watch(async () => 'status INACTIVE'),
        never,
      ),
    ).rejects.toMatchObject({
      code: 'transport.worker-down',
      retryable: true,
      message: expect.stringContaining('status INACTIVE') as unknown,
    });
    expect(notes).toHaveLength(1);
  });

  it.each<[string, WorkerWatch['whyDown']]>([
    ['answers with an error', async () => Promise.reject(new Error('no network'))],
    [
      'cannot even be asked',
      () => {
        throw new Error('no such project');
      },
    ],
  ])('goes on while its platform %s', async (_what, whyDown) => {
    const asked = Promise.withResolvers<string>();
    let looks = 0;
    const look: WorkerWatch['whyDown'] = (signal) => {
      looks += 1;
      if (looks === 3) asked.resolve('connected');
      return whyDown(signal);
    };
    expect(await connectWatched(() => asked.promise, watch(look), never)).toBe('connected');
  });

  it("ends with the caller's reason when that gives up", async () => {
    const cancel = new AbortController();
    const connecting = connectWatched(
      silence,
      watch(async () => undefined),
      cancel.signal,
    );
    cancel.abort(new Error('enough'));
    await expect(connecting).rejects.toThrow('enough');
  });
});
