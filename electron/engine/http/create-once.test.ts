import { describe, expect, it } from 'vitest';
import { CausewayError } from '../../../shared/model/causeway-error.ts';
import { createOnce } from './create-once.ts';
import { createHastyClock } from '../time/testing/hasty-clock.ts';

const signal = new AbortController().signal;
const options = () => ({
  backOff: { attempts: 3, firstMs: 100, capMs: 1_000 },
  clock: createHastyClock(),
  random: () => 0,
  looks: 2,
});
const lost = (code: 'cloud.unavailable' | 'cloud.unexpected-answer' = 'cloud.unavailable') =>
  new CausewayError(code, 'HTTP 502', { details: { ambiguous: true } });

/** A place whose creations succeed or fail as told; `done` says whether a failed one was carried out. */
function place(
  script: readonly { readonly error?: CausewayError; readonly done: boolean; readonly visibleAfterLooks?: number }[],
) {
  const things: { visibleFrom: number }[] = [];
  let creations = 0;
  let looks = 0;
  return {
    things,
    counts: () => ({ creations, looks }),
    create: async () => {
      const step = script[creations];
      creations += 1;
      if (step?.done === true) things.push({ visibleFrom: looks + (step.visibleAfterLooks ?? 0) });
      if (step?.error !== undefined) throw step.error;
      return { id: 'made' };
    },
    find: async () => {
      looks += 1;
      return things.some((thing) => thing.visibleFrom < looks) ? { id: 'found' } : undefined;
    },
  };
}

describe('a creation that must not happen twice', () => {
  it('that is under way when everything is called off tells what it made', async () => {
    const cancel = new AbortController();
    const clock = { ...createHastyClock(), after: () => () => undefined };
    const { promise, resolve } = Promise.withResolvers<{ id: string }>();
    const made = createOnce(
      {
        create: async (s) => {
          s.addEventListener('abort', () => resolve({ id: 'given up' }));
          return promise;
        },
        find: async () => undefined,
      },
      { ...options(), clock },
      cancel.signal,
    );
    cancel.abort(new Error('called off'));
    resolve({ id: 'made' });
    expect(await made).toEqual({ id: 'made' });
  });

  it('is not begun when everything was called off', async () => {
    const cloud = place([]);
    await expect(createOnce(cloud, options(), AbortSignal.abort(new Error('called off')))).rejects.toThrow(
      'called off',
    );
    expect(cloud.counts().creations).toBe(0);
  });

  it('takes what a lost answer left', async () => {
    const cloud = place([{ error: lost(), done: true }]);
    expect(await createOnce(cloud, options(), signal)).toEqual({ id: 'found' });
    expect(cloud.things).toHaveLength(1);
  });

  it('looks more than once: the service may still be at it when its gateway gives up', async () => {
    const cloud = place([{ error: lost(), done: true, visibleAfterLooks: 1 }]);
    expect(await createOnce(cloud, options(), signal)).toEqual({ id: 'found' });
    expect(cloud.things).toHaveLength(1);
  });

  it('asks again when nothing came of it', async () => {
    const cloud = place([{ error: lost(), done: false }, { done: true }]);
    expect(await createOnce(cloud, options(), signal)).toEqual({ id: 'made' });
    expect(cloud.counts()).toEqual({ creations: 2, looks: 2 });
  });

  it('takes what an earlier request made late, when the next one is refused because of it', async () => {
    const cloud = place([
      { error: lost(), done: true, visibleAfterLooks: 2 },
      { error: new CausewayError('cloud.request-refused', 'HTTP 400: in use'), done: false },
    ]);
    expect(await createOnce(cloud, options(), signal)).toEqual({ id: 'found' });
    expect(cloud.things).toHaveLength(1);
    const other = place([
      { error: lost(), done: false },
      { error: new CausewayError('cloud.request-refused', 'HTTP 400: in use'), done: false },
    ]);
    await expect(createOnce(other, options(), signal)).rejects.toMatchObject({ code: 'cloud.request-refused' });
  });

  it('does not ask again after a clear refusal', async () => {
    const cloud = place([{ error: new CausewayError('cloud.request-refused', 'HTTP 400'), done: false }]);
    await expect(createOnce(cloud, options(), signal)).rejects.toMatchObject({ code: 'cloud.request-refused' });
    expect(cloud.counts()).toEqual({ creations: 1, looks: 0 });
  });

  it('looks, but does not ask again, after an answer that makes no sense', async () => {
    const cloud = place([{ error: lost('cloud.unexpected-answer'), done: false }]);
    await expect(createOnce(cloud, options(), signal)).rejects.toMatchObject({ code: 'cloud.unexpected-answer' });
    expect(cloud.counts()).toEqual({ creations: 1, looks: 2 });
  });

  it('gives up after its attempts', async () => {
    const cloud = place(Array.from({ length: 9 }, () => ({ error: lost(), done: false })));
    await expect(createOnce(cloud, options(), signal)).rejects.toMatchObject({ code: 'cloud.unavailable' });
    expect(cloud.counts().creations).toBe(3);
  });
});
