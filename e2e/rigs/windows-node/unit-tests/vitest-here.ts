/**
 * What `vitest` is for unit tests on Windows' Node: its own assertions and mocks, which need no vitest around them, and `suite.ts` for the rest.
 * Vitest itself does not start there: what it is built on has programs for each system, and only this machine's are installed.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type * as Vitest from 'vitest';

// The name leads here; its file does not.
const {
  expect: vitestExpect,
  vi: vitestVi,
  expectTypeOf,
} = (await import(new URL('../../../../node_modules/vitest/dist/index.js', import.meta.url).href)) as typeof Vitest;

export { afterAll, afterEach, beforeAll, beforeEach, describe, inject, it, test } from './suite.ts';
export { expectTypeOf };

const pollMs = 50;
const pollTimeoutMs = 60_000;

/** `expect.poll(ask).matcher(…)`, also with `.not` before it. */
function poll(ask: () => unknown, { timeout = pollTimeoutMs }: { readonly timeout?: number } = {}): unknown {
  const matchers = (isNot: boolean): unknown =>
    new Proxy(
      {},
      {
        get: (_target, name: string) =>
          name === 'not'
            ? matchers(true)
            : async (...given: unknown[]) => {
                const until = performance.now() + timeout;
                for (;;) {
                  try {
                    const assertion = vitestExpect(await ask()) as unknown as Record<
                      string,
                      Record<string, (...given: unknown[]) => unknown>
                    >;
                    const holder = isNot
                      ? assertion['not']!
                      : (assertion as unknown as Record<string, (...given: unknown[]) => unknown>);
                    return await holder[name]!(...given);
                  } catch (error) {
                    if (performance.now() > until) throw error;
                    await delay(pollMs);
                  }
                }
              },
      },
    );
  return matchers(false);
}

export const expect = Object.assign(
  (...given: Parameters<typeof vitestExpect>) => vitestExpect(...given),
  vitestExpect,
  { poll },
);

const stubbed = new Map<string, string | undefined>();

export const vi = Object.assign(Object.create(vitestVi) as typeof vitestVi, {
  stubEnv(name: string, value: string | undefined) {
    if (!stubbed.has(name)) stubbed.set(name, process.env[name]);
    setVariable(name, value);
  },
  unstubAllEnvs() {
    for (const [name, value] of stubbed) setVariable(name, value);
    stubbed.clear();
  },
});

function setVariable(name: string, value: string | undefined): void {
  if (value === undefined) delete process.env[name];
  else process.env[name] = value;
}
